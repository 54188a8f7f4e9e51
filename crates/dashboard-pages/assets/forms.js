// Forms that come back with what was wrong: what was typed into a password field stays there.

import { all, find, make } from "./dom.js";
import { remember, remembered } from "./storage.js";

/** Sends a link's secret, which browsers keep to themselves, as soon as the page is there. */
export function sendLink() {
  const form = find(document, "form[data-link]", HTMLFormElement);
  const field = form && find(form, "[name=token]", HTMLInputElement);
  const token = location.hash.slice(1);
  if (!form || !field || !token) return;
  history.replaceState(null, "", location.pathname);
  field.value = token;
  form.requestSubmit();
}

/**
 * Says it above the form: in its place, a page of its own would take away what was typed.
 * @param {HTMLFormElement} form
 * @param {string} because
 */
function say(form, because) {
  const why = find(form, "[role=alert]", HTMLElement) ?? make("p", "wrong");
  why.setAttribute("role", "alert");
  why.textContent = because;
  form.prepend(why);
  const button = find(form, "button.main", HTMLButtonElement);
  if (button) button.disabled = false;
}

/** @param {HTMLFormElement} form */
async function again(form) {
  const button = find(form, "button.main", HTMLButtonElement);
  if (button) button.disabled = true;
  const passwords = all(form, "input[type=password]", HTMLInputElement).map((field) => [field.name, field.value]);
  const fields = new URLSearchParams();
  for (const [name, value] of new FormData(form)) fields.append(name, String(value));
  try {
    const answer = await fetch(form.action, { method: "POST", body: fields });
    if (answer.redirected) {
      location.assign(answer.url);
      return;
    }
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (!answer.ok && answer.status !== 422) {
      // A proxy may answer without a word.
      say(form, page.querySelector("h1")?.textContent?.trim() || String(answer.status));
      return;
    }
    document.querySelector("main")?.replaceChildren(...(page.querySelector("main")?.childNodes ?? []));
    for (const [name, value] of passwords) {
      const field = find(document, `main input[type=password][name="${name}"]`, HTMLInputElement);
      if (field) field.value = value ?? "";
    }
    find(document, "main [aria-invalid], main [autofocus]", HTMLElement)?.focus();
  } catch {
    say(form, form.dataset.again ?? "");
  }
}

/** Sends forms in the background and shows what comes back in their place. */
export function sendAgain() {
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || !form.matches("form[data-again]")) return;
    event.preventDefault();
    again(form);
  });
}

/** Where this window keeps which form it was left by. */
const LEFT = "left";

/** The forms of the page that post to the same place. @param {string | null} action */
const formsTo = (action) => all(document, "form[method=post]", HTMLFormElement).filter((form) => form.getAttribute("action") === action);

/**
 * Remembers where somebody is who sends a form.
 * @param {HTMLFormElement} form
 * @param {HTMLElement | null} button
 */
function leave(form, button) {
  const action = form.getAttribute("action");
  const [at, nth] = [formsTo(action).indexOf(form), [...form.querySelectorAll("button")].findIndex((one) => one === button)];
  remember("sessionStorage", LEFT, { path: location.pathname, top: scrollY, action, at, nth });
}

/** Where a form was taken and leads back to its page, somebody is where they were, and told that it was. */
export function stayInPlace() {
  const left = remembered("sessionStorage", LEFT);
  remember("sessionStorage", LEFT, null);
  const said = document.getElementById("said");
  if (!said || left?.path !== location.pathname) return;
  scrollTo(0, left.top);
  const button = formsTo(left.action)[left.at]?.querySelectorAll("button")[Math.max(left.nth, 0)];
  // What was open may be closed again, and what was removed is gone.
  const place = button?.getClientRects().length ? button : find(button?.closest("details") ?? document, "summary, #content", HTMLElement);
  place?.setAttribute("aria-describedby", said.id);
  place?.focus({ preventScroll: true });
}

/** How long a form that was sent is not sent again, in milliseconds: what comes of it may never come. */
const ON_ITS_WAY = 5000;

/**
 * Of somebody who presses twice, the first press alone sends. Where the page tells that nothing answers, none does: the
 * browser's own page would take away what was typed. What was left to a script before is none of this.
 */
export function sendOnce() {
  /** @type {WeakMap<HTMLFormElement, number>} */
  let sent = new WeakMap();
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (event.defaultPrevented || !(form instanceof HTMLFormElement) || form.getAttribute("method") !== "post") return;
    if (document.querySelector("[data-offline]:not([hidden])")) {
      event.preventDefault();
      // Whether it does by now is looked at once more.
      dispatchEvent(new Event("online"));
      return;
    }
    const now = performance.now();
    if (now - (sent.get(form) ?? -ON_ITS_WAY) < ON_ITS_WAY) {
      event.preventDefault();
    } else {
      sent.set(form, now);
      leave(form, event.submitter);
    }
  });
  // Whoever comes back to a page finds it as it was left.
  addEventListener("pageshow", () => (sent = new WeakMap()));
}

/** Asks once more before what cannot be undone, or lets somebody do everything, in the words of its button. */
export function askFirst() {
  document.addEventListener("submit", (event) => {
    const button = event.submitter;
    if (!button?.matches(".bad, [data-ask]")) return;
    const what = button.getAttribute("aria-label") ?? button.textContent?.trim() ?? "";
    if (!confirm(`${what}${document.documentElement.lang === "ar" ? "؟" : "?"}`)) event.preventDefault();
  });
}
