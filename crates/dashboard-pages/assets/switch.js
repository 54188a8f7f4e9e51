// Another conversation in the place of the one that is shown, while the rest of the page stays.

import { all, find } from "./dom.js";
import { parsed, show, toEnd } from "./patch.js";
import { showTimes } from "./times.js";

/** What a page has of one conversation, or in its place. */
const PARTS = "main > .conversation, main > .person, main > .choose";
/** What leads to another, or to none. */
const LINKS = "#rows a, .conversation .back";

/** Begins with a conversation, and ends with it. @type {(signal: AbortSignal) => void} */
let begin = () => {};
let shown = new AbortController();
let asked = new AbortController();
/** Whose page is shown. */
let path = "";

const here = () => location.pathname + location.search;

/** @param {Document} page */
function put(page) {
  const from = find(document, "[data-conversation]", HTMLElement)?.dataset.conversation;
  shown.abort();
  shown = new AbortController();
  for (const part of all(document, PARTS, HTMLElement)) part.remove();
  const parts = all(page, PARTS, HTMLElement);
  for (const part of parts) showTimes(part);
  find(document, "main > .list", HTMLElement)?.after(...parts);
  document.body.className = page.body.className;
  show(page);
  toEnd();
  begin(shown.signal);
  // Whoever reads by ear, or goes by the keyboard, is where the new words are; or where they came from.
  const place = find(document, "#with", HTMLElement) ?? find(document, `#row-${from} a`, HTMLElement);
  place?.focus({ preventScroll: true });
}

/**
 * @param {string} to
 * @param {boolean} isNew whether it is one more step of the browser's way, and not one back or forth
 */
async function go(to, isNew) {
  asked.abort();
  const { signal } = (asked = new AbortController());
  const main = find(document, "main", HTMLElement);
  main?.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(to, { headers: { accept: "text/html" }, cache: "no-store", signal });
    if (!answer.ok || answer.redirected) throw new Error(`the page was answered with ${answer.status}`);
    const page = await parsed(answer);
    if (signal.aborted) return;
    path = to;
    if (isNew && to !== here()) history.pushState(null, "", to);
    put(page);
    main?.removeAttribute("aria-busy");
  } catch {
    // A page of its own says why it does not come.
    if (!signal.aborted) location.assign(to);
  }
}

/** @param {MouseEvent} event */
function pressed(event) {
  if (event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const link = event.target instanceof Element ? event.target.closest(LINKS) : null;
  // What answers a form is not where it says it is.
  if (!(link instanceof HTMLAnchorElement) || document.querySelector("[data-here]")) return;
  event.preventDefault();
  go(link.pathname + link.search, true);
}

/**
 * Shows conversations one after the other in the inbox.
 * @param {(signal: AbortSignal) => void} converse what a conversation needs for as long as it is shown
 */
export function switchConversations(converse) {
  begin = converse;
  begin(shown.signal);
  if (!document.getElementById("rows")) return;
  path = here();
  document.addEventListener("click", pressed);
  // To another place within the page, it is no way to another one.
  addEventListener("popstate", () => {
    if (here() !== path) go(here(), false);
  });
}
