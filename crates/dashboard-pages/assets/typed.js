// What was typed into forms and not taken outlives a session that ends: it is put back after signing in. So does what was
// typed into one form where another one of the page is sent.

import { all, here, member } from "./dom.js";
import { remember, remembered } from "./storage.js";

/**
 * A field that somebody changed.
 * @typedef {object} Typed
 * @property {string} form where its form posts to
 * @property {number} at which of the forms there it is
 * @property {string} name
 * @property {string} value
 * @property {boolean} isOn whether it is ticked
 * @property {boolean} [isOpen] whether it is still to be sent, where another form was sent when the page was left
 */

const PLACE = "typed";
/** Whatever can be typed or chosen in. */
export const FIELDS = "input[name], textarea[name], select[name]";
/** Of these nothing is typed, or nothing may be kept. */
const NEVER = "[type=password], [type=hidden], [type=file], [autocomplete=one-time-code], [data-secret], [data-secret] *";

/** @typedef {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} Field */

/**
 * Every field of the page's forms that may be kept. The composer keeps its own draft.
 * @returns {{ field: Field, form: string, at: number }[]}
 */
function fields() {
  /** @type {Map<string, number>} */
  const counts = new Map();
  return all(document, "form[method=post]:not([data-compose], [data-retry])", HTMLFormElement).flatMap((element) => {
    const form = element.getAttribute("action") ?? "";
    const at = counts.get(form) ?? 0;
    counts.set(form, at + 1);
    const own = [...element.elements].filter((field) => field.matches(FIELDS) && !field.matches(NEVER));
    return own.map((field) => ({ field: /** @type {Field} */ (field), form, at }));
  });
}

/** @param {Field} field */
const isTicked = (field) => field instanceof HTMLInputElement && ["checkbox", "radio"].includes(field.type);

/** @param {Field} field */
function isChanged(field) {
  if (field instanceof HTMLSelectElement) {
    const [first] = field.options;
    const given = [...field.options].find((option) => option.defaultSelected) ?? first;
    return field.value !== given?.value;
  }
  if (field instanceof HTMLInputElement && isTicked(field)) return field.checked !== field.defaultChecked;
  return field.value !== field.defaultValue;
}

/**
 * @param {{ field: Field, form: string, at: number }} place
 * @returns {Typed}
 */
const typedIn = ({ field, form, at }) => {
  const isOn = field instanceof HTMLInputElement && field.checked;
  return { form, at, name: field.name, value: field.value, isOn };
};

/**
 * Whether something in a part of the page was changed and not sent, but for what `except` names.
 * @param {Element} part
 * @param {string} except
 */
export function holdsTyped(part, except) {
  const fields = /** @type {NodeListOf<Field>} */ (part.querySelectorAll(FIELDS));
  return [...fields].some((field) => !field.matches(except) && isChanged(field));
}

/** What was typed into parts of the page that were taken away. @type {Typed[]} */
let left = [];

/**
 * Keeps what was typed into parts of the page that are taken away, for whoever comes back to them.
 * @param {string} parts
 */
export function leaveTyped(parts) {
  const own = fields().filter(({ field }) => field.closest(parts));
  const forms = own.map(({ form }) => form);
  left = [...left.filter(({ form }) => !forms.includes(form)), ...own.filter(({ field }) => isChanged(field)).map(typedIn)];
}

/** Puts it back where its form has come back. */
export function findTyped() {
  putBack(left);
}

/** Whether the page is a form that was given back: what is in its fields was typed before. */
function isGivenBack() {
  const [loading] = performance.getEntriesByType("navigation");
  return loading instanceof PerformanceNavigationTiming && loading.responseStatus === 422;
}

/** The last form that was sent. @type {SubmitEvent | null} */
let last = null;

/** Keeps what would be lost with the page, for as long as nobody knows which the next one is. */
function keep() {
  const isBack = isGivenBack();
  const sent = last?.defaultPrevented ? null : last?.target;
  /** @type {Typed[]} */
  const typed = [];
  for (const place of fields()) {
    const { field } = place;
    // What is ticked for a form elsewhere is chosen anew.
    const isOpen = isChanged(field) && Boolean(sent) && field.form !== sent && !field.hasAttribute("form");
    if (isChanged(field) || (isBack && field.value && !isTicked(field))) typed.push({ ...typedIn(place), isOpen });
  }
  const path = new URL(here(), location.href).pathname;
  if (typed.length) remember("sessionStorage", PLACE, { member, path, typed });
}

/** @param {Typed[]} typed */
function putBack(typed) {
  for (const { field, form, at } of fields()) {
    const same = typed.filter((one) => one.form === form && one.at === at && one.name === field.name);
    const kept = isTicked(field) ? same.find((one) => one.value === field.value) : same[0];
    if (!kept) continue;
    if (field instanceof HTMLInputElement && isTicked(field)) field.checked = kept.isOn;
    else field.value = kept.value;
    const note = field.closest(".write-note") ? document.querySelector(".modes input[value=note]") : null;
    if (note instanceof HTMLInputElement && field.matches("textarea")) note.checked = true;
    for (let part = field.closest("details"); part; part = part.parentElement?.closest("details") ?? null) part.open = true;
  }
}

/** Puts back what the end of a session, or another form, has interrupted, where the same member has come back to the same page. */
export function keepTyped() {
  /** @type {{ member: string, path: string, typed: Typed[], isEnded?: boolean } | null} */
  const was = remembered("sessionStorage", PLACE);
  if (!member) {
    // Pages for nobody in particular stand between: what was typed waits until somebody has signed in.
    if (location.pathname !== "/dashboard/sign-in") return;
    const isEnded = was && new URLSearchParams(location.search).get("after") === "ended";
    remember("sessionStorage", PLACE, isEnded ? { ...was, isEnded: true } : null);
    return;
  }
  remember("sessionStorage", PLACE, null);
  const { pathname } = location;
  // A form that is not taken is given back by a page below its own.
  const isHere = was && (was.path === pathname || was.path.startsWith(`${pathname}/`) || pathname.startsWith(`${was.path}/`));
  if (isHere && was.member === member) putBack(was.typed.filter((one) => was.isEnded || one.isOpen));
  document.addEventListener("submit", (event) => {
    const { target } = event;
    // Of a form that is pressed twice, only the first press sends.
    const isSecond = target === last?.target && !last?.defaultPrevented;
    if (!isSecond && target instanceof Element && target.matches("form[method=post]")) last = event;
  });
  addEventListener("pagehide", keep);
}
