// Times as the reader's clock shows them. Without a script they are told in UTC.

import { all } from "./dom.js";

const language = `${document.documentElement.lang}-u-nu-latn`;

/** @type {Record<string, Intl.DateTimeFormat>} */
const FORMS = {
  day: new Intl.DateTimeFormat(language, { weekday: "long", day: "numeric", month: "long", year: "numeric" }),
  time: new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit" }),
  date: new Intl.DateTimeFormat(language, { day: "numeric", month: "short" }),
  both: new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" }),
};

/**
 * Writes every time below `root` anew.
 * @param {ParentNode} root
 */
export function showTimes(root) {
  const today = new Date().toDateString();
  for (const element of all(root, "time[data-as]", HTMLTimeElement)) {
    const at = new Date(element.dateTime);
    const wanted = element.dataset.as ?? "both";
    const as = wanted === "short" ? (at.toDateString() === today ? "time" : "date") : wanted;
    element.textContent = (FORMS[as] ?? FORMS.both)?.format(at) ?? "";
    element.title = FORMS.both?.format(at) ?? "";
  }
  showLeft(root);
}

/**
 * How long it is until a time, in hours and minutes.
 * @param {number} minutes
 */
function span(minutes) {
  /** @param {number} number @param {string} unit */
  const told = (number, unit) => new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" }).format(number);
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  if (hours >= 48) return told(Math.floor(hours / 24), "day");
  return [hours ? told(hours, "hour") : "", rest || !hours ? told(rest, "minute") : ""].filter(Boolean).join(" ");
}

/** Times that were said to have passed. @type {Set<string>} */
const over = new Set();

/** @param {ParentNode} root */
function showLeft(root) {
  for (const element of all(root, "[data-until]", HTMLElement)) {
    const until = element.dataset.until ?? "";
    const left = Date.parse(until) - Date.now();
    element.textContent = left > 0 ? `(${span(Math.floor(left / 60000))})` : "";
    element.toggleAttribute("data-soon", left < 3600000);
    if (left <= 0 && !over.has(until)) {
      over.add(until);
      document.dispatchEvent(new Event("stale"));
    }
  }
}

/** Counts down what runs out. */
export function countDown() {
  setInterval(() => showLeft(document), 15000);
}
