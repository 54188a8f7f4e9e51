// Shows what changes as it changes. One window of a browser listens for all of them.

import { parsed, show, toEnd } from "./patch.js";

const EVENTS = [
  "reset",
  "conversation.changed",
  "message.recorded",
  "message.changed",
  "message.status",
  "note.added",
  "presence.changed",
  "groups.changed",
  "workspace.changed",
  "broadcasts.changed",
  "channels.changed",
];

const told = "BroadcastChannel" in window ? new BroadcastChannel("live") : null;
let last = 0;
let waiting = 0;
let busy = false;
let again = false;

function banner(isOff) {
  const line = document.querySelector("[data-offline]");
  if (line) line.hidden = !isOff;
}

/** Loads what is shown at once, then at most once a second, one request at a time, and once more at the end. */
function changed() {
  if (document.hidden) return;
  if (busy) {
    again = true;
  } else if (!waiting) {
    waiting = setTimeout(load, Math.max(0, last + 1000 - Date.now()));
  }
}

async function load() {
  waiting = 0;
  busy = true;
  last = Date.now();
  try {
    // A page that answered a form is not where it says it is.
    const here = document.querySelector("[data-here]")?.dataset.here ?? location.href;
    const answer = await fetch(here, { headers: { accept: "text/html" } });
    if (answer.redirected && new URL(answer.url).pathname === "/dashboard/sign-in") {
      location.assign(answer.url);
      return;
    }
    if (answer.ok) show(await parsed(answer));
    banner(false);
  } catch {
    banner(true);
  } finally {
    busy = false;
    if (again) {
      again = false;
      changed();
    }
  }
}

function listen() {
  const stream = new EventSource("/dashboard/api/events");
  const tell = () => {
    told?.postMessage("changed");
    changed();
  };
  for (const event of EVENTS) stream.addEventListener(event, tell);
  stream.addEventListener("open", tell);
  stream.addEventListener("error", () => {
    if (stream.readyState !== EventSource.CLOSED) return;
    stream.close();
    changed();
    setTimeout(listen, 5000);
  });
}

/** Follows what happens for as long as the page is there. */
export function follow() {
  toEnd();
  told?.addEventListener("message", changed);
  if (navigator.locks) {
    navigator.locks.request("live", () => new Promise(listen));
  } else {
    listen();
  }
  addEventListener("offline", () => banner(true));
  for (const event of ["online", "pageshow"]) addEventListener(event, changed);
  document.addEventListener("visibilitychange", changed);
}
