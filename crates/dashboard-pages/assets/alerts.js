// A sound and a notification when a person of the team is needed or mentioned, for whoever has asked this browser for them;
// and how many conversations have something new, in the title of pages that show no inbox.

import { member } from "./dom.js";
import { showCount } from "./patch.js";
import { wants } from "./prefs.js";
import { remember, remembered } from "./storage.js";

/** How often the newest conversations are loaded at most, in milliseconds. */
const EVERY = 3000;
/** Number of the newest conversations loaded. */
const MOST = 50;
/** Number of conversations and notes that this browser remembers as told of. */
const MOST_TOLD = 300;
/** Where this window keeps, from page to page, what happened since it last looked. */
const NOTED = "noted";
/** Where all windows of a member keep what was told of, so that one of them tells once. */
const TOLD = `told ${member}`;

let waiting = 0;
/** Conversations with a message or a note since they were last looked at. @type {Set<string>} */
let noted = new Set(remembered("sessionStorage", NOTED) ?? []);

/** Two short notes. */
function sound() {
  const context = new AudioContext();
  for (const [at, pitch] of [[0, 660], [0.15, 880]]) {
    const tone = context.createOscillator();
    const loudness = context.createGain();
    tone.frequency.value = pitch ?? 0;
    loudness.gain.setValueAtTime(0.15, context.currentTime + (at ?? 0));
    loudness.gain.exponentialRampToValueAtTime(0.001, context.currentTime + (at ?? 0) + 0.14);
    tone.connect(loudness).connect(context.destination);
    tone.start(context.currentTime + (at ?? 0));
    tone.stop(context.currentTime + (at ?? 0) + 0.15);
  }
  setTimeout(() => context.close(), 1000);
}

/** @typedef {{ conversation: string, title: string, body: string }} News */

/**
 * A notification, which leads to the conversation.
 * @param {News} news
 */
function notify({ conversation, title, body }) {
  const notification = new Notification(title, { body, tag: conversation });
  notification.addEventListener("click", () => {
    window.focus();
    location.assign(`/dashboard/inbox/${conversation}`);
  });
}

/**
 * Remembers that something up to a time was told of. False where it had been, or where this window shows the conversation.
 * @param {string} id of the conversation or note
 * @param {string} at by the service's clock
 * @param {string} conversation
 */
function isUntold(id, at, conversation) {
  /** @type {Map<string, number>} */
  const told = new Map(remembered("localStorage", TOLD) ?? []);
  if (Date.parse(at) <= (told.get(id) ?? 0)) return false;
  told.delete(id);
  told.set(id, Date.parse(at));
  remember("localStorage", TOLD, [...told].slice(-MOST_TOLD));
  return document.hidden || !location.pathname.endsWith(conversation);
}

/**
 * Whether a customer waits there for a person: whom the assistant answers does not, whatever has just been written, and whoever
 * was answered or taken by a colleague does not either. The time of the customer's last message, by which the reply window
 * closes, tells one need from the next: a message and the hand-over that follows are one.
 * @param {any} row
 */
function isNeeded({ conversation, lastMessage, read, replyWindow, assistantAnswers }) {
  const isOwn = !conversation.assignedTo || conversation.assignedTo === member;
  const needs = conversation.status !== "closed" && !assistantAnswers && read.unread && (lastMessage?.role === "customer" || isOwn);
  return needs && replyWindow && isUntold(conversation.id, replyWindow.closesAt, conversation.id);
}

/** @param {string} path */
async function rows(path) {
  const answer = await fetch(`/dashboard/api/${path}`, { headers: { "X-Dashboard": "1" } });
  if (!answer.ok) throw new Error(`${path} was answered with ${answer.status}`);
  return answer.json();
}

/**
 * What is told of somebody who waits for a person: their own last words, unless the assistant or the service came after them.
 * @param {any} lastMessage
 */
function words(lastMessage) {
  const waits = document.getElementById("palette")?.dataset.waits ?? "";
  return lastMessage?.role === "customer" && lastMessage.kind === "text" ? lastMessage.text : waits;
}

/** @param {Set<string>} about @param {any[]} listed */
async function tell(about, listed) {
  const named = new Map(listed.map(({ conversation, contact }) => [conversation.id, contact.name ?? contact.phone]));
  const mentions = (await rows("mentions")).rows.filter(
    (/** @type {any} */ note) => about.has(note.conversationId) && isUntold(note.id, note.createdAt, note.conversationId),
  );
  const needed = listed.filter((row) => about.has(row.conversation.id) && isNeeded(row));
  /** @type {[string, string][]} */
  const said = [
    ...needed.map((row) => /** @type {[string, string]} */ ([row.conversation.id, words(row.lastMessage)])),
    ...mentions.map((/** @type {any} */ note) => [note.conversationId, note.text]),
  ];
  if (!said.length) return;
  if (wants("sound")) sound();
  if (!wants("notifications") || !("Notification" in window) || Notification.permission !== "granted") return;
  for (const [conversation, body] of said) notify({ conversation, title: named.get(conversation) ?? document.title, body });
}

/** @param {Set<string>} about */
async function look(about) {
  const page = await rows(`conversations?limit=${MOST}`);
  if (!document.getElementById("rows")) {
    const fresh = page.rows.filter((/** @type {any} */ row) => row.conversation.status !== "closed" && row.read.unread).length;
    showCount(fresh ? `${fresh}${fresh === page.rows.length && page.nextCursor ? "+" : ""}` : "");
  }
  if (about.size) await tell(about, page.rows);
}

function lookSoon(pause = EVERY) {
  waiting ||= setTimeout(() => {
    waiting = 0;
    const about = noted;
    noted = new Set();
    remember("sessionStorage", NOTED, null);
    // What could not be looked at is looked at with what comes next, or on the next page.
    look(about).catch(() => about.forEach(note));
  }, pause);
}

/** @param {string} conversation */
function note(conversation) {
  noted.add(conversation);
  remember("sessionStorage", NOTED, [...noted]);
}

/**
 * A message or a note was recorded somewhere: tells of it where somebody is needed. Only the window that listens does.
 * @param {MessageEvent<string>} event
 */
export function alertOf(event) {
  if (!(wants("sound") || wants("notifications"))) return;
  const { conversationId } = JSON.parse(event.data);
  if (!conversationId) return;
  note(conversationId);
  lookSoon();
}

/** Something has changed: where no inbox shows it, the title does. */
export function countSoon() {
  if (!document.getElementById("rows")) lookSoon();
}

/** Counts at once where no inbox does, and goes on with what the page before had noted. */
export function beginAlerts() {
  if (noted.size || !document.getElementById("rows")) lookSoon(0);
}
