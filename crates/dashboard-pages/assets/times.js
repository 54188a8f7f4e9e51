// Times as the workspace's clock shows them, in words of the reader's language. Without a script they stand in figures.

import { all } from "./dom.js";

/** As people write in Baghdad, and in London: the months and the clock of a language differ from country to country. */
const language = document.documentElement.lang === "ar" ? "ar-IQ-u-nu-latn" : "en-GB";

/**
 * A form of times by the workspace's clock, or by the browser's where it does not know that zone.
 * @param {Intl.DateTimeFormatOptions} options
 * @param {string} [spelling]
 */
function form(options, spelling = language) {
  try {
    return new Intl.DateTimeFormat(spelling, { ...options, timeZone: document.documentElement.dataset.zone });
  } catch {
    return new Intl.DateTimeFormat(spelling, options);
  }
}

/** Tells days apart. */
const DAY = form({ dateStyle: "short" }, "en");

/** @type {Record<string, Intl.DateTimeFormat>} */
const FORMS = {
  day: form({ weekday: "long", day: "numeric", month: "long", year: "numeric" }),
  time: form({ timeStyle: "short" }),
  date: form({ day: "numeric", month: "short" }),
  both: form({ dateStyle: "medium", timeStyle: "short" }),
};

/**
 * A time in words. A narrow space, which many fonts lack, would bring another font with another height into the line.
 * @param {Intl.DateTimeFormat | undefined} form
 * @param {Date} at
 */
const written = (form, at) => form?.format(at).replaceAll("\u202f", "\u00a0") ?? "";

/**
 * Writes every time below `root` anew.
 * @param {ParentNode} root
 */
export function showTimes(root) {
  const today = DAY.format(new Date());
  for (const element of all(root, "time[data-as]", HTMLTimeElement)) {
    const at = new Date(element.dateTime);
    const wanted = element.dataset.as ?? "both";
    const as = wanted === "short" ? (DAY.format(at) === today ? "time" : "date") : wanted;
    element.textContent = written(FORMS[as] ?? FORMS.both, at);
    element.title = written(FORMS.both, at);
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

/** How often it is said again that something has run out, where the service still shows it: its clock may be behind. */
const AGAIN = 15000;
let said = 0;
/** From how long before its end on it is told that something runs out, in milliseconds. */
const SOON = 7200000;

/** @param {ParentNode} root */
function showLeft(root) {
  for (const element of all(root, "[data-until]", HTMLElement)) {
    // Times are told in whole seconds, and are over when theirs is.
    const left = Date.parse(element.dataset.until ?? "") + 1000 - Date.now();
    const words = left > 0 ? ` (${span(Math.floor(left / 60000))})` : "";
    if (element.textContent !== words) element.textContent = words;
    element.toggleAttribute("data-soon", left < SOON);
    if (left <= 0 && !document.hidden && Date.now() - said > AGAIN) {
      said = Date.now();
      document.dispatchEvent(new Event("stale"));
    }
  }
}

/** Counts down what runs out. */
export function countDown() {
  setInterval(() => showLeft(document), 1000);
}
