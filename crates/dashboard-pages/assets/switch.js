// Another conversation in the place of the one that is shown, while the rest of the page stays.

import { all, find } from "./dom.js";
import { ask, conversationOf, parsed, show, shows, toEnd } from "./patch.js";
import { showTimes } from "./times.js";
import { FIELDS, findTyped, holdsTyped, leaveTyped } from "./typed.js";

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

/** @param {boolean} isBusy */
const busy = (isBusy) => find(document, "main", HTMLElement)?.setAttribute("aria-busy", String(isBusy));

/**
 * Whether a page is of the same program, for the same member and in the same language, so that parts of it fit into this one.
 * @param {Document} page
 */
function isAlike(page) {
  const marks = (/** @type {Document} */ of) => {
    const { lang, dataset } = of.documentElement;
    const script = find(of, "script[type=module]", HTMLScriptElement)?.getAttribute("src");
    return [lang, dataset.member, dataset.zone, script].join();
  };
  return marks(page) === marks(document);
}

/** Whether somebody has written what only a load keeps for whoever comes back later: the answer is kept anyway. */
function isWritten() {
  return all(document, PARTS, HTMLElement).some((part) => holdsTyped(part, "form[data-compose] *, .modes *"));
}

/** @param {Document} page */
function put(page) {
  const from = conversationOf(document);
  shown.abort();
  shown = new AbortController();
  leaveTyped(PARTS);
  for (const part of all(document, PARTS, HTMLElement)) part.remove();
  const parts = all(page, PARTS, HTMLElement);
  for (const part of parts) showTimes(part);
  find(document, "main > .list", HTMLElement)?.after(...parts);
  document.body.className = page.body.className;
  // Whoever chooses another language comes back to here.
  const next = find(document, "header [name=next]", HTMLInputElement);
  if (next) next.value = find(page, "header [name=next]", HTMLInputElement)?.value ?? here();
  show(page);
  toEnd();
  begin(shown.signal);
  findTyped();
  // Whoever writes in the list goes on there.
  if (document.activeElement?.matches(FIELDS)) return;
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
  const before = shows;
  busy(true);
  try {
    const answer = await ask(to, signal).catch(() => null);
    if (isNew && !answer && !signal.aborted) {
      // Nothing answers. Whoever has pressed stays, and is told so by the page that they look at.
      busy(false);
      document.dispatchEvent(new Event("stale"));
      return;
    }
    if (!answer?.ok || answer.redirected) throw new Error(`the page was answered with ${answer?.status}`);
    const page = await parsed(answer);
    if (signal.aborted) return;
    if (!isAlike(page)) throw new Error("the page is another one by now");
    busy(false);
    path = to;
    if (isNew && to !== here()) history.pushState(null, "", to);
    const isOlder = before !== shows;
    put(page);
    if (isOlder) document.dispatchEvent(new Event("stale"));
  } catch {
    if (signal.aborted) return;
    // A page of its own says why it does not come. Until it is there, nothing else may take its place.
    location.assign(to);
  }
}

/** @param {MouseEvent} event */
function pressed(event) {
  if (event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const link = event.target instanceof Element ? event.target.closest(LINKS) : null;
  // What answers a form is not where it says it is.
  if (!(link instanceof HTMLAnchorElement) || document.querySelector("[data-here]") || isWritten()) return;
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
  // Whoever comes back to this page as it was left is on the way nowhere.
  addEventListener("pageshow", (event) => event.persisted && busy(false));
  addEventListener("popstate", () => {
    if (here() !== path) {
      go(here(), false);
    } else {
      // Another place within the page, or whoever went back comes forth before the other page is there.
      asked.abort();
      busy(false);
    }
  });
}
