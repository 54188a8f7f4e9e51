// Shows what changes as it changes. One window of a browser listens for all of them.

import { alertOf } from "./alerts.js";
import { find } from "./dom.js";
import { parsed, show, showCount, toEnd } from "./patch.js";

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
  "system.changed",
  "broadcasts.changed",
  "channels.changed",
  "imports.changed",
];

/** How often a page is loaded again at most, in milliseconds: one that is looked at, and one that is not. */
const EVERY = 1000;
const EVERY_HIDDEN = 10000;

const told = "BroadcastChannel" in window ? new BroadcastChannel("live") : null;
let last = 0;
let waiting = 0;
let busy = false;
let again = false;

/** @param {boolean} isOff */
function banner(isOff) {
  const line = find(document, "[data-offline]", HTMLElement);
  if (line) line.hidden = !isOff;
}

/** Loads what is shown at once, then at most once a second, one request at a time, and once more at the end. */
function changed() {
  // Only an inbox has something to tell whoever does not look.
  if (document.hidden && !document.getElementById("rows")) return;
  if (busy) {
    again = true;
  } else if (!waiting) {
    waiting = setTimeout(load, Math.max(0, last + (document.hidden ? EVERY_HIDDEN : EVERY) - Date.now()));
  }
}

/** Somebody looks again: nothing waits any longer. */
function seen() {
  clearTimeout(waiting);
  waiting = 0;
  if (!document.hidden) changed();
}

/** The page as it is now. Of one that nobody looks at only the list is loaded, so that nothing counts as seen. */
function here() {
  if (document.hidden) return `/dashboard/inbox${location.search}`;
  // A page that answered a form is not where it says it is.
  return find(document, "[data-here]", HTMLElement)?.dataset.here ?? location.href;
}

async function load() {
  waiting = 0;
  busy = true;
  last = Date.now();
  const hidden = document.hidden;
  try {
    const answer = await fetch(here(), { headers: { accept: "text/html" } });
    if (answer.redirected && new URL(answer.url).pathname === "/dashboard/sign-in") {
      location.assign(answer.url);
      return;
    }
    if (answer.ok) {
      const page = await parsed(answer);
      if (hidden) showCount(page);
      else show(page);
    }
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
  stream.addEventListener("message.recorded", alertOf);
  stream.addEventListener("open", tell);
  stream.addEventListener("error", () => {
    if (stream.readyState !== EventSource.CLOSED) return;
    stream.close();
    changed();
    setTimeout(listen, 5000);
  });
}

/** Looks again for as long as something is said to be under way, of which no event tells. */
function poll() {
  if (document.querySelector("[data-poll]") && !document.hidden) changed();
}

/** Follows what happens for as long as the page is there. */
export function follow() {
  // Whoever follows a quote looks at what it leads to.
  if (!location.hash.startsWith("#message-")) toEnd();
  told?.addEventListener("message", changed);
  if (navigator.locks) {
    navigator.locks.request("live", () => new Promise(listen));
  } else {
    listen();
  }
  setInterval(poll, 3000);
  addEventListener("offline", () => banner(true));
  for (const event of ["online", "pageshow"]) addEventListener(event, changed);
  document.addEventListener("stale", changed);
  document.addEventListener("visibilitychange", seen);
}
