// Tells the others of the team who looks at a conversation, and who answers in it.

import { find } from "./dom.js";

/** How often it is said, in milliseconds. */
const EVERY = 15000;
/** How long after the last letter somebody still answers. */
const WRITES = 10000;

/** When it is looked again who is there. */
let gone = 0;

/** Of somebody who vanished without a word nothing tells: the page is asked for again when what it knows runs out. */
function expire() {
  clearTimeout(gone);
  const seconds = find(document, "#present-for [data-seconds]", HTMLElement)?.dataset.seconds;
  if (seconds === undefined) return;
  gone = setTimeout(() => document.dispatchEvent(new Event("stale")), (Number(seconds) + 1) * 1000);
}

/**
 * Says it for as long as the page is looked at.
 * @param {AbortSignal} signal for as long as the conversation is shown
 */
export function bePresent(signal) {
  const id = find(document, "[data-present]", HTMLElement)?.dataset.present;
  if (!id) return;
  const path = `/dashboard/api/conversations/${id}/presence`;
  const headers = { "x-dashboard": "1", "content-type": "application/json" };
  let wrote = -WRITES;
  let said = "";

  const say = async () => {
    if (document.hidden) return;
    const doing = performance.now() - wrote < WRITES ? "answering" : "looking";
    said = doing;
    try {
      await fetch(path, { method: "PUT", headers, body: JSON.stringify({ doing }) });
    } catch {
      // It is said again in a while.
    }
  };
  const leave = () => {
    said = "";
    fetch(path, { method: "DELETE", headers, keepalive: true }).catch(() => {});
  };

  /** @param {Event} event */
  const written = (event) => {
    if (!(event.target instanceof Element) || !event.target.closest("form[data-compose]")) return;
    wrote = performance.now();
    if (said === "answering") return;
    said = "answering";
    // The letter is shown first.
    setTimeout(say);
  };
  document.addEventListener("input", written, { signal });
  document.addEventListener("visibilitychange", () => (document.hidden ? leave() : say()), { signal });
  addEventListener("pagehide", leave, { signal });
  const saying = setInterval(say, EVERY);
  signal.addEventListener("abort", () => {
    clearInterval(saying);
    clearTimeout(gone);
    leave();
  });
  say();
  document.addEventListener("shown", expire, { signal });
  expire();
}
