// Every journey, in one process: they share a sandbox and a Chromium. `cargo xtask browser` runs it.

await import("./journeys/pages.js");
await import("./journeys/keyboard.js");
await import("./journeys/faults.js");
await import("./journeys/together.js");
await import("./journeys/without_script.js");
// Last: its names and texts are in every list from then on.
await import("./journeys/corpus.js");
