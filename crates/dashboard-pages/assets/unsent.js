// What was written and is not known to have been sent: a draft for each conversation, and messages on their way.
// It outlives a page that is left or loaded again, and is its author's alone, whoever signs in to this browser next.

import { member } from "./dom.js";
import { remember, remembered } from "./storage.js";

/**
 * A message on its way.
 * @typedef {object} Unsent
 * @property {string} key what it is sent under, once however often it is tried
 * @property {string} text
 * @property {string} attachment the id of its file, or nothing
 * @property {string} file what that is called
 * @property {number} at when it was first sent, in milliseconds since 1970
 * @property {string} [unclear] where nobody knows what became of it: its id, or nothing
 */

/** How long a key stands for one message, in milliseconds: the server remembers it for a day. */
const LASTS = 20 * 3600 * 1000;

/** @param {string} conversation */
export const placeOfUnsent = (conversation) => `unsent ${member} ${conversation}`;

/** @param {string} conversation */
const placeOfDraft = (conversation) => `draft ${member} ${conversation}`;

/**
 * @param {string} conversation
 * @returns {Unsent[]}
 */
export function unsent(conversation) {
  const kept = remembered("localStorage", placeOfUnsent(conversation));
  return Array.isArray(kept) ? kept : [];
}

/**
 * @param {string} conversation
 * @param {Unsent[]} messages
 */
function put(conversation, messages) {
  remember("localStorage", placeOfUnsent(conversation), messages.length ? messages : null);
}

/**
 * @param {string} conversation
 * @param {Unsent} message
 */
export function keepUnsent(conversation, message) {
  put(conversation, [...unsent(conversation).filter((other) => other.key !== message.key), message]);
}

/**
 * @param {string} conversation
 * @param {string} key
 */
export function forget(conversation, key) {
  put(conversation, unsent(conversation).filter((other) => other.key !== key));
}

/**
 * Takes out those whose keys no longer stand for them: sending them would be sending anew.
 * @param {string} conversation
 * @returns {Unsent[]}
 */
export function takeExpired(conversation) {
  const kept = unsent(conversation);
  const lasts = (/** @type {Unsent} */ message) => Date.now() - message.at < LASTS;
  if (!kept.every(lasts)) put(conversation, kept.filter(lasts));
  return kept.filter((message) => !lasts(message));
}

/**
 * The draft, and the key it is to be sent under.
 * @param {string} conversation
 * @returns {{ text: string, key: string } | null}
 */
export function draft(conversation) {
  const kept = remembered("localStorage", placeOfDraft(conversation));
  if (!kept || typeof kept !== "object" || !("text" in kept) || !("key" in kept)) return null;
  return { text: String(kept.text), key: String(kept.key) };
}

/**
 * @param {string} conversation
 * @param {string} text
 * @param {string} key
 */
export function keepDraft(conversation, text, key) {
  remember("localStorage", placeOfDraft(conversation), text ? { text, key } : null);
}

/** Where somebody has signed out nothing of what anybody wrote stays. What this browser does beside showing pages does. */
export function forgetAfterSignOut() {
  const after = new URLSearchParams(location.search).get("after") ?? "";
  if (location.pathname !== "/dashboard/sign-in" || !["sign-out", "left"].includes(after)) return;
  for (const kept of [localStorage, sessionStorage]) {
    for (const place of Object.keys(kept)) if (/^(draft|unsent|attached) /.test(place)) kept.removeItem(place);
  }
}
