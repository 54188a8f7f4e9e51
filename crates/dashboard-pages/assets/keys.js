// Keys of the inbox. They go by where a key is, since an Arabic layout has no letter J, and never while somebody types.

import { all, find } from "./dom.js";
import { wants } from "./prefs.js";

/** @param {number} by */
function step(by) {
  const rows = all(document, "#rows a", HTMLElement);
  const at = rows.findIndex((row) => row === document.activeElement);
  const open = rows.findIndex((row) => row.getAttribute("aria-current") === "true");
  const from = at >= 0 ? at : open;
  rows[Math.min(Math.max(from + by, 0), rows.length - 1)]?.focus();
}

/** Shows the list of keys, or hides it. */
function help() {
  const keys = find(document, "#keys", HTMLElement);
  // Older browsers know none.
  if (keys && "togglePopover" in keys) keys.togglePopover();
}

/** Goes to the next conversation with something new, from the one that is open. */
function nextUnread() {
  const rows = all(document, "#rows > li", HTMLElement);
  const open = rows.findIndex((row) => row.querySelector("[aria-current]"));
  const inTurn = [...rows.slice(open + 1), ...rows.slice(0, open + 1)];
  const row = inTurn.find((row) => row.querySelector(".unread"));
  if (row) find(row, "a", HTMLElement)?.click();
}

/** @param {string} selector */
const press = (selector) => find(document, selector, HTMLElement)?.click();

/**
 * Writes an answer, or a note to the team.
 * @param {"reply" | "note"} what
 * @param {string} field
 */
function write(what, field) {
  const mode = find(document, `.modes input[value=${what}]`, HTMLInputElement);
  if (mode) mode.checked = true;
  document.getElementById(field)?.focus();
}

/** Opens a menu, which takes the focus. @param {string} selector */
function open(selector) {
  const menu = find(document, selector, HTMLDetailsElement);
  if (menu) menu.open = true;
}

/** @type {Record<string, (event: KeyboardEvent) => void>} */
const ACTIONS = {
  KeyJ: () => step(1),
  KeyK: () => step(-1),
  KeyU: nextUnread,
  KeyR: () => write("reply", "text"),
  KeyN: () => write("note", "note"),
  KeyM: () => press("#moves button[value=take]"),
  KeyE: () => press("#moves button[value=close]"),
  KeyA: () => open("details.more-acts"),
  KeyG: () => open("details.more-acts"),
  Slash: (event) => {
    if (event.shiftKey) help();
    else {
      open("details.find");
      document.getElementById("search")?.focus();
    }
  },
  // What lies above the conversation is closed by the browser.
  Escape: () => document.querySelector(":popover-open") || find(document, ".conversation .back", HTMLElement)?.click(),
};

/** Listens for them where there is an inbox, unless they are switched off. */
export function useKeys() {
  if (!document.getElementById("rows")) return;
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.target instanceof Element)) return;
    // What lies above the page has all keys for itself, the one too by which it is closed.
    if (event.defaultPrevented || document.querySelector("dialog[open]")) return;
    const typing = event.target.closest("input, textarea, select, dialog");
    // What has just been closed still has the focus for a moment.
    const isClosed = typing?.matches("dialog") && !typing.getClientRects().length;
    if (typing instanceof HTMLElement && !isClosed) {
      if (event.code === "Escape" && !typing.matches("dialog")) typing.blur();
      return;
    }
    const action = wants("shortcuts") ? ACTIONS[event.code] : undefined;
    if (!action) return;
    event.preventDefault();
    action(event);
  });
}
