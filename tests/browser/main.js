// Every journey, in one process: they share a sandbox and a Chromium. `cargo xtask browser` runs it.

// First what takes a while, then all journeys at once: the runner goes through what it knows of, and ends the sandbox
// after that, whatever is still being read.
await import("./support/pages.js");
await import("./journeys/all.js");
