// What every page does where scripts run. Each part stands by itself, and no page needs one to work.

import { offerCanned } from "./canned.js";
import { compose } from "./composer.js";
import { askFirst, sendAgain, sendLink } from "./forms.js";
import { useKeys } from "./keys.js";
import { follow } from "./live.js";
import { bePresent } from "./present.js";
import { showTimes } from "./times.js";
import { offerUploads } from "./upload.js";

showTimes(document);
if (matchMedia("(width >= 75rem)").matches) {
  for (const details of document.querySelectorAll("details[data-wide]")) details.open = true;
}
sendLink();
sendAgain();
askFirst();
if (document.querySelector("[data-live]")) follow();
offerCanned();
offerUploads();
compose();
bePresent();
useKeys();
