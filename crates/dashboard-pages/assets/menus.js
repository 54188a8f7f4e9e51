// Menus, pictures in full size, and parts of a page that stay folded as somebody left them. Without a script each opens and
// closes by its own button.

import { all, find, make } from "./dom.js";
import { remember, remembered } from "./storage.js";

/** What lies over the page while it is open. */
const MENUS = "details.menu[open], details.find[open]";
/** Where it is kept whether a person's details are folded. */
const FOLDED = "details folded";
/** From this width on they stand beside the conversation. */
const WIDE = "(width >= 69rem)";

/** @param {(menu: HTMLDetailsElement) => boolean} which */
function close(which) {
  for (const menu of all(document, MENUS, HTMLDetailsElement)) if (which(menu)) menu.open = false;
}

/** Whoever turns to something else, or presses Escape, has done with a menu. */
function leaveMenus() {
  for (const turn of ["pointerdown", "focusin"]) {
    document.addEventListener(turn, ({ target }) => close((menu) => target instanceof Node && !menu.contains(target)));
  }
  document.addEventListener(
    "keydown",
    (event) => {
      const menu = event.key === "Escape" && !event.isComposing ? find(document, MENUS, HTMLDetailsElement) : null;
      if (!menu || document.querySelector("dialog[open]")) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      menu.open = false;
      find(menu, "summary", HTMLElement)?.focus();
    },
    true,
  );
  document.addEventListener(
    "toggle",
    ({ target }) => {
      if (!(target instanceof HTMLDetailsElement) || !target.open || !target.matches(MENUS)) return;
      find(target, "input[type=search], select", HTMLElement)?.focus();
    },
    true,
  );
}

/** A picture in full size over the page, and back by a press anywhere. */
function enlargePictures() {
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a[data-picture]") : null;
    if (!(link instanceof HTMLAnchorElement) || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const dialog = make("dialog", "picture");
    const button = make("button", "");
    const picture = make("img", "");
    picture.src = link.href;
    picture.alt = find(link, "img", HTMLImageElement)?.alt ?? "";
    button.append(picture);
    dialog.append(button);
    dialog.addEventListener("click", () => dialog.close());
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** A row that is ticked shows what can be done with all that are; with Shift, so are those between it and the last one. */
function tickRows() {
  /** @type {HTMLInputElement | null} */
  let last = null;
  document.addEventListener("click", (event) => {
    const box = event.target;
    if (!(box instanceof HTMLInputElement) || !box.matches(".pick input")) return;
    const boxes = all(document, ".pick input", HTMLInputElement);
    const [from, to] = [last ? boxes.indexOf(last) : -1, boxes.indexOf(box)].sort((one, other) => one - other);
    if (event.shiftKey && from !== undefined && to !== undefined && from >= 0) {
      for (const between of boxes.slice(from, to)) between.checked = box.checked;
    }
    last = box;
    const several = find(document, ".several", HTMLDetailsElement);
    if (several && box.checked) several.open = true;
  });
}

/** Shows the details of a person as they were left. */
export function unfoldDetails() {
  for (const details of all(document, "details[data-wide]", HTMLDetailsElement)) {
    if (!matchMedia(WIDE).matches) continue;
    details.open = remembered("localStorage", FOLDED) !== true;
    details.addEventListener("toggle", () => remember("localStorage", FOLDED, details.open ? null : true));
  }
}

/** Does all of it for as long as the page is there. */
export function offerMenus() {
  leaveMenus();
  enlargePictures();
  tickRows();
}
