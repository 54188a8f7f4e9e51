// What the dashboard's pages cost, measured in a Chromium. `cargo xtask bench dashboard` runs it.

import { elements, interactions, messages, switching } from "./acting.js";
import { memory, storm, tabs } from "./crowd.js";
import { tell } from "./figures.js";
import { loading, shifts } from "./loading.js";
import { chromium } from "./place.js";
import { server } from "./server.js";
import { sizes } from "./sizes.js";

// The crowd comes last: who writes there stands in the list from then on.
for (const measure of [sizes, server, loading, shifts, elements, switching, messages, interactions, tabs, storm, memory]) {
  tell(`measuring: ${measure.name}`);
  await measure();
}
await chromium.close();
