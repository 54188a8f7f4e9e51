// Puts the entries of a list that hold forms in the place of those before, around whatever somebody does there.

import { all, find } from "./dom.js";
import { FIELDS, holdsTyped } from "./typed.js";

/** What is ticked to be chosen belongs to a form elsewhere: it moves into the entry that takes its place. */
export const CHOICE = "input.choice";

/** Whether something was left as it was, since somebody wrote there. */
let isBehind = false;

/** Remembers that something that has changed was left as it was. */
export function fallBehind() {
  isBehind = true;
}

/**
 * Whether somebody writes in it, or has. What came back with a form that was not taken says of itself that it was typed.
 * @param {Element} entry
 */
function isWritten(entry) {
  const at = document.activeElement;
  const isAt = at !== null && at.matches(FIELDS) && !at.matches(CHOICE) && entry.contains(at);
  return isAt || entry.matches("[data-typed]") || entry.querySelector("[data-typed]") !== null || holdsTyped(entry, CHOICE);
}

/** @param {Element} entry */
const isChosen = (entry) => all(entry, CHOICE, HTMLInputElement).some((choice) => choice.checked);

/**
 * Opens in `entry` what its reader has opened in `was`.
 * @param {Element} was
 * @param {Element} entry
 */
export function keepOpened(was, entry) {
  const opened = all(was, "details", HTMLDetailsElement).map((part) => part.open);
  all(entry, "details", HTMLDetailsElement).forEach((part, at) => {
    if (opened[at]) part.open = true;
  });
}

/**
 * An entry as it came, whatever its reader has opened.
 * @param {Element} entry
 */
export function asItCame(entry) {
  const copy = /** @type {Element} */ (entry.cloneNode(true));
  for (const part of all(copy, "details", HTMLDetailsElement)) part.open = false;
  return copy;
}

/**
 * Whether nothing has changed. A list within an entry looks after itself.
 * @param {Element} was
 * @param {Element} entry
 */
function isSame(was, entry) {
  if (was.querySelector("[data-live]") && entry.querySelector("[data-live]")) return true;
  return asItCame(was).isEqualNode(asItCame(entry));
}

/**
 * How something that can have the focus is found again in another entry: a button that does something else by now is another.
 * @param {Element} element
 */
function called(element) {
  const form = element.closest("form")?.getAttribute("action");
  return [element.tagName, form, ...["id", "name", "value", "href"].map((name) => element.getAttribute(name))].join("\n");
}

/** @param {HTMLElement} element */
function focusOn(element) {
  if (!element.matches("a, button, input, summary, [tabindex]")) element.tabIndex = -1;
  element.focus({ preventScroll: true });
}

/**
 * What its reader has opened, ticked and moved stays so, and so does the focus.
 * @param {HTMLElement} was
 * @param {HTMLElement} entry
 */
function replace(was, entry) {
  const focused = was.contains(document.activeElement) ? document.activeElement : null;
  keepOpened(was, entry);
  for (const choice of all(was, CHOICE, HTMLInputElement)) {
    const same = find(entry, `${CHOICE}[name="${choice.name}"]`, HTMLInputElement);
    if (same) same.checked = choice.checked;
  }
  const moved = all(was, ".wide", HTMLElement).map((part) => part.scrollLeft);
  if (was.parentNode) was.replaceWith(entry);
  all(entry, ".wide", HTMLElement).forEach((part, at) => {
    part.scrollLeft = moved[at] ?? 0;
  });
  if (!focused) return;
  const name = called(focused);
  focusOn(all(entry, "a, button, input, summary, [tabindex]", HTMLElement).find((one) => called(one) === name) ?? entry);
}

/**
 * Puts entries in their order. The one that somebody is at is never moved, which would take the focus from it.
 * @param {Element} list
 * @param {HTMLElement[]} wanted
 */
function arrange(list, wanted) {
  const kept = new Set(wanted);
  /** @param {Element | null} place */
  const counted = (place) => {
    let at = place;
    while (at && !kept.has(/** @type {HTMLElement} */ (at))) at = at.nextElementSibling;
    return at;
  };
  let place = counted(list.firstElementChild);
  for (const entry of wanted) {
    if (place === entry || entry.contains(document.activeElement)) {
      place = counted(entry.nextElementSibling);
    } else {
      list.insertBefore(entry, place);
    }
  }
}

/**
 * Shows the entries of `fresh` in `list`. One that has not changed stays the element that it is; one in which somebody
 * writes stays as it is, also where it is gone from `fresh`, so that no word is lost.
 * @param {HTMLElement} list
 * @param {HTMLElement} fresh
 */
export function showEntries(list, fresh) {
  const isIn = list.contains(document.activeElement);
  const entries = all(fresh, ":scope > [id]", HTMLElement);
  const ids = new Set(entries.map((entry) => entry.id));
  const known = new Map(all(list, ":scope > [id]", HTMLElement).map((entry) => [entry.id, entry]));
  for (const [id, was] of known) {
    if (ids.has(id)) continue;
    if (isWritten(was)) isBehind = true;
    else if (!isChosen(was)) was.remove();
  }
  const wanted = entries.map((entry) => {
    const was = known.get(entry.id);
    if (!was || isSame(was, entry)) return was ?? entry;
    if (isWritten(was)) {
      isBehind = true;
      return was;
    }
    replace(was, entry);
    return entry;
  });
  arrange(list, wanted);
  if (isIn && !list.contains(document.activeElement)) focusOn(list);
}

/**
 * Changes what is shown around what has the focus, which stays where it is looked at.
 * @param {() => void} change
 */
export function keepPlace(change) {
  const before = document.activeElement;
  const top = before?.closest(".sheet") ? before.getBoundingClientRect().top : null;
  isBehind = false;
  change();
  const after = document.activeElement;
  if (!before || !after || top === null || called(before) !== called(after)) return;
  const moved = after.getBoundingClientRect().top - top;
  if (moved) scrollBy({ top: moved, behavior: "instant" });
}

/** Whoever leaves what they wrote in is shown what has changed there meanwhile. */
export function catchUp() {
  document.addEventListener("focusout", () => {
    if (isBehind) document.dispatchEvent(new Event("stale"));
  });
}
