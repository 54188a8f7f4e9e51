// Canned replies: "/" and the beginning of a shortcut narrow the list, Tab or Enter puts the first one into the answer.

import { all, find } from "./dom.js";

/**
 * What is being typed as a shortcut, right before the caret.
 * @param {HTMLTextAreaElement} field
 */
function begun(field) {
  const before = field.value.slice(0, field.selectionStart);
  return before.match(/(?:^|\s)\/([\p{L}\p{N}_-]*)$/u)?.[1];
}

/**
 * @param {HTMLTextAreaElement} field
 * @param {string} text
 */
function put(field, text) {
  const before = field.value.slice(0, field.selectionStart).replace(/\/[\p{L}\p{N}_-]*$/u, "");
  const after = field.value.slice(field.selectionStart);
  field.value = before + text + after;
  field.selectionStart = field.selectionEnd = before.length + text.length;
  field.dispatchEvent(new Event("input"));
  field.focus();
}

/**
 * Offers them where an answer is written.
 * @param {AbortSignal} signal for as long as the conversation is shown
 */
export function offerCanned(signal) {
  const list = find(document, "[data-canned]", HTMLDetailsElement);
  const field = find(document, "form[data-compose] textarea", HTMLTextAreaElement);
  if (!list || !field) return;
  // Others write them meanwhile.
  const links = () => all(list, "a[data-shortcut]", HTMLElement);
  const fitting = () => links().filter((link) => !link.parentElement?.hidden);
  const showFitting = () => {
    const typed = begun(field);
    for (const link of links()) {
      const shortcut = link.dataset.shortcut?.toLowerCase() ?? "";
      if (link.parentElement) link.parentElement.hidden = typed !== undefined && !shortcut.startsWith(typed.toLowerCase());
      link.removeAttribute("aria-current");
    }
    if (typed !== undefined) fitting()[0]?.setAttribute("aria-current", "true");
    return typed !== undefined;
  };
  const narrow = () => {
    if (showFitting()) list.open = true;
  };
  /** @param {HTMLElement} link */
  const choose = (link) => {
    put(field, link.dataset.text ?? "");
    list.open = false;
    narrow();
  };
  field.addEventListener("input", narrow);
  // Before the answer is sent by Enter.
  field.addEventListener("keydown", (event) => {
    const first = begun(field) === undefined ? undefined : fitting()[0];
    if (!first || event.isComposing || event.shiftKey || !["Enter", "Tab"].includes(event.key)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    choose(first);
  });
  list.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a[data-shortcut]") : null;
    if (!(link instanceof HTMLElement)) return;
    event.preventDefault();
    choose(link);
  });
  document.addEventListener("shown", showFitting, { signal });
}
