// Shows what changes as it changes. One window of a browser listens for all of them.

import { alertOf, beginAlerts, countSoon } from "./alerts.js";
import { find, here, member, signedOut } from "./dom.js";
import { CHOICE, catchUp } from "./entries.js";
import { ask, conversationOf, parsed, show, showCount, shows, toEnd } from "./patch.js";
import { holdsTyped } from "./typed.js";

const EVENTS = [
  "reset",
  "conversation.changed",
  "message.recorded",
  "message.changed",
  "message.status",
  "note.added",
  "presence.changed",
  "groups.changed",
  "workspace.changed",
  "system.changed",
  "broadcasts.changed",
  "channels.changed",
  "imports.changed",
  "webhooks.changed",
  "team.changed",
  "invitations.changed",
  "api_keys.changed",
  "canned_replies.changed",
  "automations.changed",
  "contacts.changed",
  "templates.changed",
  "assistant.changed",
];

/** How often a page is loaded again at most, in milliseconds: one that is looked at, and one that is not. */
const EVERY = 1000;
const EVERY_HIDDEN = 10000;
/** How long what happens at the same time is gathered, in milliseconds, so that it is loaded once. */
const GATHER = 30;
/** How long it is left alone at most where it does not come, in milliseconds. */
const EVERY_MISSED = 60000;
/** How long a page may take to come, in milliseconds: a line that has died says nothing. */
const PATIENCE = 30000;
/** How often it is looked whether this computer has slept, and for how long it has at least, in milliseconds. */
const LOOK_EVERY = 5000;
const SLEPT = 90000;
/** How often it is looked whether something that no event tells of is under way, and how often whether it may be. */
const POLL_EVERY = 3000;
const POLL_SLOWLY_EVERY = 15000;

/** What windows share: those of another member listen for themselves. */
const PLACE = `live ${member}`;
const told = "BroadcastChannel" in window ? new BroadcastChannel(PLACE) : null;
/** Where this window listens for all. @type {EventSource | null} */
let stream = null;
/** After what this page was made, and then what was heard of last, as the service numbers it. */
let known = document.documentElement.dataset.feed ?? "";
/** When it was last looked whether this computer has slept. */
let awake = Date.now();
/** Whether the window that listens has answered since it was last asked. */
let isHeardFrom = true;
/** When it was last loaded, by a clock that nobody sets, in milliseconds since the page came, which counts. */
let last = 0;
let waiting = 0;
let missed = 0;
let busy = false;
let again = false;
/** Conversations that this member read while the page was on its way, which may not know of it. @type {Set<string>} */
const readMeanwhile = new Set();

/** @param {boolean} isOff */
function banner(isOff) {
  const line = find(document, "[data-offline]", HTMLElement);
  if (line) line.hidden = !isOff;
}

/** How long after the last time it may be loaded again: the longer, the more often it did not come, or the more it costs. */
function pause() {
  const seen = document.querySelector("[data-costly]") ? POLL_SLOWLY_EVERY : EVERY;
  const often = document.hidden ? EVERY_HIDDEN : seen;
  return missed ? Math.max(often, Math.min(EVERY * 2 ** missed, EVERY_MISSED)) : often;
}

/** Loads what is shown as soon as may be, then at most once a second, one request at a time, and once more at the end. */
function changed() {
  if (!document.querySelector("[data-live]")) return;
  // Only an inbox has something to tell whoever does not look.
  if (document.hidden && !document.getElementById("rows")) return;
  if (busy) {
    again = true;
  } else if (!waiting) {
    waiting = setTimeout(load, Math.max(GATHER, last + pause() - performance.now()));
  }
}

/**
 * Something has changed. That this member has read a conversation is no news where neither it is marked as unread nor a
 * note in it stands among those that mention them, if somebody looks: of a page that nobody looks at the title alone follows.
 * @param {string | undefined} read The conversation, where it is that.
 */
function heard(read) {
  if (read && busy) {
    readMeanwhile.add(read);
    return;
  }
  const row = read ? document.getElementById(`row-${read}`) : null;
  const isMarked = row?.querySelector(".unread") || document.querySelector(`#mentions a[href*="/${read}"]`);
  if (row && !document.hidden && !isMarked) return;
  changed();
}

/** Nothing waits any longer. */
function forgetWaiting() {
  clearTimeout(waiting);
  waiting = 0;
  missed = 0;
}

/** Somebody looks again, or no longer. */
function seen() {
  forgetWaiting();
  if (!document.hidden) changed();
}

/** The service is there again. */
function back() {
  forgetWaiting();
  changed();
}

/** The page as it is now. Of one that nobody looks at only the list is loaded, so that nothing counts as seen. */
function wanted() {
  return document.hidden ? `/dashboard/inbox${location.search}` : here();
}

async function load() {
  waiting = 0;
  busy = true;
  last = performance.now();
  const hidden = document.hidden;
  const at = location.href;
  const before = shows;
  try {
    const answer = await ask(wanted(), AbortSignal.timeout(PATIENCE));
    if (signedOut(answer)) return;
    const page = await parsed(answer);
    // Another conversation may have taken its place meanwhile, or is about to, or something newer is shown.
    if (at !== location.href || before !== shows) {
      again = true;
      return;
    }
    if ((answer.status === 403 || answer.status === 404) && page.getElementById("content")) {
      // Whoever has another role by now, or looks at what is gone, is told so by the page itself; but no word is lost.
      if (answer.status === 403 || !holdsTyped(document.body, CHOICE)) location.assign(here());
      return;
    }
    if (!answer.ok) throw new Error(`the page was answered with ${answer.status}`);
    if (hidden) showCount(find(page, "[data-unread]", HTMLElement)?.dataset.unread ?? "");
    else if (conversationOf(page) !== conversationOf(document)) again = true;
    else show(page);
    missed = 0;
    banner(false);
  } catch {
    missed += 1;
    again = true;
    banner(true);
  } finally {
    busy = false;
    if (again) {
      again = false;
      changed();
    }
    const read = [...readMeanwhile];
    readMeanwhile.clear();
    read.forEach(heard);
  }
}

/** The line is there: what did not come before may come now. What happened meanwhile is told, and needs no look. */
function opened() {
  if (missed) back();
}

/**
 * The window that listens has heard everything up to there. What happened after this page was made, and before it was there
 * to hear of it, is told by nobody.
 * @param {string} at
 */
function catchUpTo(at) {
  isHeardFrom = true;
  const [[feed, number], [ownFeed, own]] = [at.split("-"), known.split("-")];
  if (!number || (feed === ownFeed && Number(number) <= Number(own))) return;
  known = at;
  changed();
}

/** @typedef {{ word: "heard" | "back" | "open", read?: string, at?: string }} Heard What the window that listens heard. */

/** @param {Heard} what */
function take({ word, read, at }) {
  known = at ?? known;
  countSoon();
  if (word === "back") back();
  else if (word === "open") opened();
  else heard(read);
}

/** Every window acts on it, this one, too. @param {Heard} what */
function say(what) {
  told?.postMessage(what);
  take(what);
}

function listen() {
  stream?.close();
  const own = (stream = new EventSource(`/dashboard/api/events${known && `?lastEventId=${known}`}`));
  /** @param {MessageEvent} event */
  const tell = ({ data, lastEventId }) => {
    const { conversationId, readByYou } = JSON.parse(data);
    say({ word: "heard", read: readByYou ? conversationId : undefined, at: lastEventId });
  };
  for (const event of EVENTS) own.addEventListener(event, tell);
  for (const event of ["message.recorded", "conversation.changed", "note.added"]) own.addEventListener(event, alertOf);
  own.addEventListener("open", (event) => {
    // The service says it where it tells from now on: what was before may be missing. A browser says it of every line.
    say(event instanceof MessageEvent ? { word: "back", at: event.lastEventId } : { word: "open" });
  });
  own.addEventListener("error", () => {
    if (own !== stream) return;
    // Whether the service is there is found out by asking it.
    say({ word: "heard" });
    if (own.readyState === EventSource.CLOSED) setTimeout(() => own === stream && listen(), 5000);
  });
}

/** What a computer listened to before it slept may be dead, which a browser cannot tell from silence. */
function wake() {
  const slept = Date.now() - awake;
  awake = Date.now();
  if (slept >= SLEPT) {
    if (stream) listen();
    back();
  } else if (told && !stream && !document.hidden) {
    askWhoListens();
  }
}

/** A phone puts windows that nobody looks at to sleep, also the one that listens for all: who is looked at takes its place. */
function askWhoListens() {
  if (!isHeardFrom) lead(true);
  isHeardFrom = false;
  told?.postMessage({ word: "who" });
}

/**
 * Listens once no other window does, or in its place.
 * @param {boolean} steal
 */
async function lead(steal) {
  try {
    await navigator.locks.request(PLACE, { steal }, () => new Promise(listen));
  } catch (error) {
    if (!(error instanceof DOMException) || error.name !== "AbortError") return;
    stream?.close();
    stream = null;
    lead(false);
  }
}

/**
 * Looks again for as long as a page says that something is under way of which no event tells.
 * @param {string} selector
 */
function poll(selector) {
  if (document.querySelector(selector) && !document.hidden) changed();
}

/** Follows what happens for as long as the page is there. */
export function follow() {
  // Whoever follows a quote looks at what it leads to.
  if (!location.hash.startsWith("#message-")) toEnd();
  told?.addEventListener("message", ({ data }) => {
    if (data.word === "here") catchUpTo(data.at);
    else if (data.word !== "who") take(data);
    else if (stream) told.postMessage({ word: "here", at: known });
  });
  told?.postMessage({ word: "who" });
  if (navigator.locks) lead(false);
  else listen();
  setInterval(wake, LOOK_EVERY);
  setInterval(() => poll("[data-poll]"), POLL_EVERY);
  setInterval(() => poll("[data-poll-slowly]"), POLL_SLOWLY_EVERY);
  addEventListener("offline", () => banner(true));
  addEventListener("online", back);
  // As it was when it was left; a page that has just come is new.
  addEventListener("pageshow", ({ persisted }) => persisted && back());
  catchUp();
  beginAlerts();
  document.addEventListener("stale", changed);
  document.addEventListener("visibilitychange", seen);
}
