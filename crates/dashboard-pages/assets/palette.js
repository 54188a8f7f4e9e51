// Ctrl-K: pages, conversations and people by a few letters of their names.

import { all, find, make } from "./dom.js";
import { wants } from "./prefs.js";

/** How long after the last letter it is searched, in milliseconds. */
const PAUSE = 200;
const MOST = 6;

/** @typedef {{ name: string, about: string, href: string }} Found */

/**
 * @param {string} path
 * @param {string} search
 * @param {AbortSignal} signal
 */
async function rows(path, search, signal) {
  const query = new URLSearchParams({ search, limit: String(MOST) });
  const answer = await fetch(`${path}?${query}`, { headers: { "X-Dashboard": "1" }, signal });
  return answer.ok ? (await answer.json()).rows : [];
}

/**
 * @param {string} search
 * @param {DOMStringMap} words
 * @param {AbortSignal} signal
 * @returns {Promise<Found[]>}
 */
async function look(search, words, signal) {
  const [conversations, people] = await Promise.all([
    rows("/dashboard/api/conversations", search, signal),
    rows("/dashboard/api/contacts", search, signal),
  ]);
  const called = (/** @type {{ name?: string, phone?: string }} */ contact) => contact.name ?? contact.phone ?? "";
  return [
    ...conversations.map((/** @type {any} */ row) => ({
      name: called(row.contact),
      about: words.conversation ?? "",
      href: `/dashboard/inbox/${row.conversation.id}`,
    })),
    ...people.map((/** @type {any} */ row) => ({
      name: called(row.contact),
      about: words.person ?? "",
      href: `/dashboard/contacts/${row.contact.id}`,
    })),
  ];
}

/** @param {HTMLDialogElement} dialog @param {HTMLInputElement} field @param {HTMLUListElement} list */
function palette(dialog, field, list) {
  const pages = all(dialog, "[data-pages] a", HTMLAnchorElement);
  const nothing = find(dialog, "[data-nothing]", HTMLElement);
  let controller = new AbortController();
  let waiting = 0;
  let at = 0;

  const links = () => all(list, "a", HTMLAnchorElement);
  /** @param {number} place */
  const mark = (place) => {
    const shown = links();
    at = Math.min(Math.max(place, 0), Math.max(shown.length - 1, 0));
    for (const [index, link] of shown.entries()) link.parentElement?.setAttribute("aria-selected", String(index === at));
    const chosen = shown[at]?.parentElement;
    if (chosen) field.setAttribute("aria-activedescendant", chosen.id);
    else field.removeAttribute("aria-activedescendant");
    chosen?.scrollIntoView({ block: "nearest" });
  };
  /** @param {Found[]} found */
  const show = (found) => {
    list.replaceChildren(
      ...found.map(({ name, about, href }, index) => {
        const row = make("li", "");
        row.id = `found-${index}`;
        row.setAttribute("role", "option");
        const link = make("a", "");
        link.href = href;
        link.tabIndex = -1;
        const bdi = make("bdi", "", name);
        link.append(bdi, " ", make("span", "hint", about));
        row.append(link);
        return row;
      }),
    );
    mark(0);
  };
  const fitting = () => {
    const typed = field.value.trim().toLocaleLowerCase();
    return pages
      .map((link) => ({ name: link.textContent?.trim() ?? "", about: dialog.dataset.page ?? "", href: link.href }))
      .filter(({ name }) => name.toLocaleLowerCase().includes(typed));
  };
  const search = async () => {
    controller.abort();
    controller = new AbortController();
    const { signal } = controller;
    const typed = field.value.trim();
    try {
      const found = typed.length > 1 ? await look(typed, dialog.dataset, signal) : [];
      if (signal.aborted) return;
      show([...fitting(), ...found]);
      if (nothing) nothing.hidden = links().length > 0;
    } catch {
      // What fits among the pages is shown already.
    }
  };

  field.addEventListener("input", () => {
    show(fitting());
    if (nothing) nothing.hidden = true;
    clearTimeout(waiting);
    waiting = setTimeout(search, PAUSE);
  });
  field.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "ArrowDown") mark(at + 1);
    else if (event.key === "ArrowUp") mark(at - 1);
    else if (event.key === "Enter") links()[at]?.click();
    // A browser empties a field of this kind first, and closes nothing.
    else if (event.key === "Escape") dialog.close();
    else return;
    event.preventDefault();
  });
  return () => {
    field.value = "";
    if (nothing) nothing.hidden = true;
    show(fitting());
    dialog.showModal();
    field.focus();
  };
}

/** Opens it by Ctrl-K or ⌘-K. */
export function offerPalette() {
  const dialog = find(document, "#palette", HTMLDialogElement);
  const field = dialog && find(dialog, "input", HTMLInputElement);
  const list = dialog && find(dialog, "ul", HTMLUListElement);
  if (!dialog || !field || !list) return;
  const open = palette(dialog, field, list);
  document.addEventListener("keydown", (event) => {
    if (event.code !== "KeyK" || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey || !wants("shortcuts")) return;
    event.preventDefault();
    if (dialog.open) dialog.close();
    else open();
  });
}
