// A sound and a notification when a customer writes, for whoever has asked this browser for them.

import { wants } from "./prefs.js";

/** How often it is looked who wrote, at most, in milliseconds. */
const EVERY = 3000;
/** In how many of the newest conversations it is looked. */
const MOST = 50;

let waiting = 0;
/** Conversations with a message since it was last looked. @type {Set<string>} */
let noted = new Set();
/** Up to which time a conversation's messages were told of, by the service's clock. @type {Map<string, number>} */
const told = new Map();

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

/**
 * A notification, which leads to the conversation.
 * @param {any} row
 */
function notify(row) {
  const title = row.contact.name ?? row.contact.phone ?? document.title;
  const notification = new Notification(title, { body: row.lastMessage.text, tag: row.conversation.id });
  notification.addEventListener("click", () => {
    window.focus();
    location.assign(`/dashboard/inbox/${row.conversation.id}`);
  });
}

/**
 * Whether a customer has written there what nobody was told of, and this window does not show it.
 * @param {any} row
 */
function isNews(row) {
  const { conversation, lastMessage, read } = row;
  if (lastMessage?.role !== "customer" || !read.unread) return false;
  const at = Date.parse(lastMessage.createdAt);
  if (at <= (told.get(conversation.id) ?? 0)) return false;
  told.set(conversation.id, at);
  return document.hidden || !location.pathname.endsWith(conversation.id);
}

async function look() {
  waiting = 0;
  const about = noted;
  noted = new Set();
  const answer = await fetch(`/dashboard/api/conversations?limit=${MOST}`, { headers: { "X-Dashboard": "1" } });
  if (!answer.ok) return;
  /** @type {any[]} */
  const rows = (await answer.json()).rows;
  const news = rows.filter((row) => about.has(row.conversation.id) && isNews(row));
  if (!news.length) return;
  if (wants("sound")) sound();
  if (wants("notifications") && "Notification" in window && Notification.permission === "granted") news.forEach(notify);
}

/**
 * A message was recorded somewhere: tells of it where it is a customer's. Only the window that listens does.
 * @param {MessageEvent<string>} event
 */
export function alertOf(event) {
  if (!(wants("sound") || wants("notifications"))) return;
  const { conversationId } = JSON.parse(event.data);
  if (conversationId) noted.add(conversationId);
  waiting ||= setTimeout(() => look().catch(() => {}), EVERY);
}
