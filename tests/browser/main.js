// Every journey, in one process: they share a sandbox and a Chromium. `cargo xtask browser` runs it.

// First what takes a while, then all journeys at once, with nothing to wait for between them: as soon as the runner has
// gone through what it knows of, it ends the sandbox, whatever is still being read.
await import("./support/pages.js");
await import("./journeys/all.js");
