// A sound and a notification when a customer writes, for whoever has asked this browser for them.

import { wants } from "./prefs.js";

/** How often it is looked who wrote, at most, in milliseconds. */
const EVERY = 3000;

let waiting = 0;
let told = Date.now();

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

async function look() {
  waiting = 0;
  const answer = await fetch("/dashboard/api/conversations?limit=1", { headers: { "X-Dashboard": "1" } });
  if (!answer.ok) return;
  const row = (await answer.json()).rows[0];
  const message = row?.lastMessage;
  if (message?.role !== "customer" || !row.read.unread || Date.parse(message.createdAt) <= told) return;
  told = Date.parse(message.createdAt);
  const shown = !document.hidden && location.pathname.endsWith(row.conversation.id);
  if (shown) return;
  if (wants("sound")) sound();
  if (wants("notifications") && "Notification" in window && Notification.permission === "granted") {
    const title = row.contact.name ?? row.contact.phone ?? document.title;
    const notification = new Notification(title, { body: message.text, tag: row.conversation.id });
    notification.addEventListener("click", () => {
      window.focus();
      location.assign(`/dashboard/inbox/${row.conversation.id}`);
    });
  }
}

/** A message was recorded somewhere: tells of it where it is a customer's. Only the window that listens does. */
export function alertOf() {
  if (waiting || !(wants("sound") || wants("notifications"))) return;
  waiting = setTimeout(() => look().catch(() => {}), EVERY);
}
