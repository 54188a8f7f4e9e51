// Puts what a fresh page shows in the place of what this one shows, and touches nothing else.

import { all, find, here, member } from "./dom.js";
import { CHOICE, asItCame, fallBehind, keepOpened, keepPlace, showEntries } from "./entries.js";
import { showTimes } from "./times.js";
import { holdsTyped } from "./typed.js";

/** How long rows take to their new places, in milliseconds. */
const SLIDE = 150;

/** Rows that are to be replaced as soon as their sound ends, and by what. @type {WeakMap<Element, Element>} */
const later = new WeakMap();

/**
 * Whether somebody listens to a row. It stays as it is until its sound stops, and is replaced by the newest then.
 * @param {Element} row
 * @param {Element} fresh
 */
function isHeard(row, fresh) {
  const sound = all(row, "audio", HTMLAudioElement).find((audio) => !audio.paused && !audio.ended);
  if (!sound) return false;
  const isAwaited = later.has(row);
  later.set(row, fresh);
  if (isAwaited) return true;
  const stopped = () => {
    const by = later.get(row);
    // Moved about in the list, a sound is only interrupted.
    if (!by || !row.isConnected || !sound.paused) return;
    sound.removeEventListener("pause", stopped);
    sound.removeEventListener("ended", stopped);
    later.delete(row);
    const focused = row.contains(document.activeElement);
    row.replaceWith(by);
    if (focused) find(by, "audio", HTMLElement)?.focus();
  };
  sound.addEventListener("pause", stopped);
  sound.addEventListener("ended", stopped);
  return true;
}

/** The conversation of which earlier messages were loaded. @type {string | undefined} */
let history;

/** Whether earlier messages of the conversation that is shown were loaded. */
export const hasHistory = () => history !== undefined && history === conversationOf(document);

/** Keeps the earlier messages that are shown, whatever comes after them. */
export function keepHistory() {
  history = conversationOf(document);
}

/**
 * The first message that a fresh page may replace: those before it are earlier ones. Where the fresh page does not begin
 * among those that are shown, there is a gap, and the earlier ones go.
 * @param {Element} old
 * @param {Element} fresh
 */
function afterHistory(old, fresh) {
  const first = hasHistory() ? find(fresh, ":scope > li[id]", HTMLLIElement)?.id : undefined;
  const place = first ? document.getElementById(first) : null;
  if (place?.parentElement === old) return place;
  history = undefined;
  return old.firstElementChild;
}

/**
 * A row that has not changed stays the element it is, so that a sound in it goes on and a focus stays.
 * @param {Element} old
 * @param {Element} fresh
 */
function rows(old, fresh) {
  const at = document.activeElement;
  const focused = at?.closest("li")?.id;
  const known = new Map(all(old, ":scope > li[id]", HTMLLIElement).map((row) => [row.id, row]));
  let place = old.matches("#bubbles") ? afterHistory(old, fresh) : old.firstElementChild;
  for (const row of all(fresh, ":scope > li", HTMLLIElement)) {
    const was = known.get(row.id);
    const stays = was && (was.dataset.version === row.dataset.version || isHeard(was, row));
    const wanted = stays ? was : row;
    if (was && !stays) keepChecked(was, row);
    if (place === wanted) {
      place = place.nextElementSibling;
    } else {
      old.insertBefore(wanted, place);
    }
  }
  while (place) {
    const next = place.nextElementSibling;
    if (!place.classList.contains("pending")) place.remove();
    place = next;
  }
  if (at && focused && !document.activeElement?.closest("li")) {
    const row = document.getElementById(focused);
    if (row) (find(row, at.localName, HTMLElement) ?? find(row, "a", HTMLElement))?.focus();
  }
}

/**
 * Rows that get another place slide there, so that an eye can follow and nothing jumps.
 * @param {Element} list
 * @param {() => void} change
 */
function slide(list, change) {
  const places = () => all(list, ":scope > li[id]", HTMLLIElement).map((row) => ({ row, top: row.getBoundingClientRect().top }));
  const before = new Map(places().map(({ row, top }) => [row.id, top]));
  change();
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  for (const { row, top } of places()) {
    const moved = (before.get(row.id) ?? top) - top;
    if (moved) row.animate([{ transform: `translateY(${moved}px)` }, { transform: "none" }], SLIDE);
  }
}

/**
 * What somebody has chosen in a row stays chosen.
 * @param {Element} was
 * @param {Element} row
 */
function keepChecked(was, row) {
  const before = find(was, "input[type=checkbox]", HTMLInputElement);
  const now = find(row, "input[type=checkbox]", HTMLInputElement);
  if (before && now) now.checked = before.checked;
}

/**
 * @param {HTMLElement} old
 * @param {Document} page
 */
function showPart(old, page) {
  const fresh = page.getElementById(old.id);
  if (old.matches("#earlier") && hasHistory()) return;
  // One within an entry may have gone with it.
  if (!fresh || !old.isConnected) return;
  showTimes(fresh);
  if (old.matches("[data-entries]")) {
    showEntries(old, fresh);
  } else if (old.matches("#rows")) {
    slide(old, () => rows(old, fresh));
  } else if (old.matches("ol")) {
    rows(old, fresh);
  } else if (asItCame(old).innerHTML !== asItCame(fresh).innerHTML) {
    const focused = old.contains(document.activeElement);
    // What is being written stays. A link to what is older has to follow what has left this page, and keeps the focus.
    if ((focused && !old.matches(".older")) || holdsTyped(old, CHOICE)) {
      fallBehind();
      return;
    }
    keepOpened(old, fresh);
    old.replaceChildren(...fresh.childNodes);
    if (focused) find(old, "a", HTMLElement)?.focus();
  }
}

/**
 * The conversation that a page is of, by its id.
 * @param {Document} page
 */
export const conversationOf = (page) => find(page, "[data-conversation]", HTMLElement)?.dataset.conversation;

/** How often a page was shown: one that was asked for before the last of them may be older than what is seen. */
export let shows = 0;

/**
 * Shows every part of `page` that may change by itself.
 * @param {Document} page
 */
export function show(page) {
  if (page.documentElement.dataset.member !== member) {
    // Somebody else has signed in to this browser. Theirs is a page of their own, with drafts of their own; whoever is on
    // the way to another conversation gets that one.
    if (find(document, "main", HTMLElement)?.ariaBusy !== "true") location.assign(here());
    return;
  }
  shows += 1;
  const bubbles = document.getElementById("bubbles");
  const atEnd = !bubbles || bubbles.scrollHeight - bubbles.scrollTop - bubbles.clientHeight < 80;
  keepPlace(() => all(document, "[data-live]", HTMLElement).forEach((old) => showPart(old, page)));
  const counted = COUNTED.exec(document.title)?.[0] ?? "";
  if (page.title) document.title = page.getElementById("rows") ? page.title : counted + page.title;
  markCount();
  if (bubbles && atEnd) toEnd();
  document.dispatchEvent(new Event("shown"));
}

/** What stands before a title where conversations have something new. */
const COUNTED = /^\(\d+\+?\) /;

/**
 * Shows in the title how many conversations have something new.
 * @param {string} count empty for none
 */
export function showCount(count) {
  const name = document.title.replace(COUNTED, "");
  document.title = count ? `(${count}) ${name}` : name;
  markCount();
}

/** Shows the count that stands in the title beside the inbox, on every page. */
export function markCount() {
  const mark = find(document, "[data-count]", HTMLElement);
  const count = COUNTED.exec(document.title)?.[0].replace(/[() ]/g, "") ?? "";
  if (mark) mark.textContent = count;
  // On its icon, where it is installed.
  navigator.setAppBadge?.(parseInt(count) || 0).catch(() => {});
}

/** The newest message is what is looked at first. */
export function toEnd() {
  const bubbles = document.getElementById("bubbles");
  if (bubbles) bubbles.scrollTop = bubbles.scrollHeight;
}

/**
 * Asks for a page as it is now.
 * @param {string} path
 * @param {AbortSignal | null} [signal]
 */
export function ask(path, signal = null) {
  return fetch(path, { headers: { accept: "text/html" }, cache: "no-store", signal });
}

/**
 * What an answer holds.
 * @param {Response} answer
 */
export async function parsed(answer) {
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}
