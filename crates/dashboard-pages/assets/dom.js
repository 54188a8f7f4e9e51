// Elements by selector, each of the kind that it must have.

/** Whoever is signed in, by their id; nothing where nobody is. */
export const member = document.documentElement.dataset.member ?? "";

/**
 * The first one below `root`.
 * @template {Element} T
 * @param {ParentNode} root
 * @param {string} selector
 * @param {new () => T} kind
 * @returns {T | null}
 */
export function find(root, selector, kind) {
  const found = root.querySelector(selector);
  return found instanceof kind ? found : null;
}

/**
 * All of them.
 * @template {Element} T
 * @param {ParentNode} root
 * @param {string} selector
 * @param {new () => T} kind
 * @returns {T[]}
 */
export function all(root, selector, kind) {
  /** @type {T[]} */
  const found = [];
  for (const element of root.querySelectorAll(selector)) if (element instanceof kind) found.push(element);
  return found;
}

/**
 * A new one with words in it.
 * @template {keyof HTMLElementTagNameMap} N
 * @param {N} name
 * @param {string} className
 * @param {string} [text]
 * @returns {HTMLElementTagNameMap[N]}
 */
export function make(name, className, text) {
  const element = document.createElement(name);
  element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

/** Where the page can be loaded again: one that answered a form is not where it says it is. */
export function here() {
  return find(document, "[data-here]", HTMLElement)?.dataset.here ?? location.pathname + location.search;
}

/**
 * Leads to signing in and back where a session has ended.
 * @param {Response} answer
 * @returns {boolean} whether it has
 */
export function signedOut(answer) {
  const ended = answer.status === 401 || (answer.redirected && new URL(answer.url).pathname === "/dashboard/sign-in");
  if (ended) location.assign(`/dashboard/sign-in?${new URLSearchParams({ next: here(), after: "ended" })}`);
  return ended;
}
