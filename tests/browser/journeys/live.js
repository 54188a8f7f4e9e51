// What a page shows as it changes, without being loaded again.

import { deepEqual, equal, ok } from "node:assert/strict";
import { test } from "node:test";

import { composer, openConversation, taken } from "../support/inbox.js";
import { customer } from "../support/life.js";
import { picture } from "../support/look.js";
import { agent, eventually, network, open, owner } from "../support/stage.js";
import { holdRequests } from "../support/two.js";

/** @param {import("playwright-core").Request} request */
const isStream = (request) => new URL(request.url()).pathname === "/dashboard/api/events";

/** @param {import("playwright-core").Page} page */
const texts = (page) => page.locator("#bubbles > li[id^=message-] .text").allTextContents();

test("messages that come while a conversation is open are found, however many", async () => {
  const from = "+9647704440001";
  const id = await customer("Long Talk", from);
  const { context, complaints } = await open(agent);
  const page = await context.newPage();
  await openConversation(page, id);
  equal(await page.locator("#earlier a").count(), 0, "nothing is earlier so far");
  const said = Array.from({ length: 60 }, (_, at) => `Line ${at + 1} of sixty`);
  for (const text of said) await network.writes(from, "Long Talk", text);
  await taken(page, "Line 60 of sixty").waitFor();
  await taken(page, "Hello from Long Talk").waitFor({ state: "detached" });

  await page.locator("#earlier a").click();
  await taken(page, "Hello from Long Talk").waitFor();
  const known = (await texts(page)).filter((text) => said.includes(text));
  deepEqual(known, said, "each is found, once and in order");
  deepEqual(complaints.take(), []);
  await context.close();
});

test("a page that refused a move of several conversations goes on showing what comes", async () => {
  const { context, complaints } = await open(agent);
  const page = await context.newPage();
  await page.goto("/dashboard/inbox");
  await page.locator("details.several summary").click();
  await page.locator("#several button[value=take]").click();
  await page.waitForURL("**/dashboard/inbox/moves");
  const why = (await page.locator(".list > [role=alert]").textContent()) ?? "";
  ok(why.length > 10, "why not");
  await network.writes("+9647704440002", "Came Later", "Is the list still alive?");
  await page.locator("#rows > li").filter({ hasText: "Came Later" }).waitFor();
  deepEqual(complaints.take(), []);
  await context.close();
});

test("a page that is answered with a fault once says so, and goes on", async () => {
  const from = "+9647704440003";
  const id = await customer("Fault Once", from);
  const { context, complaints } = await open(agent);
  const page = await context.newPage();
  await openConversation(page, id);
  let faults = 0;
  await page.route(
    `**/dashboard/inbox/${id}`,
    (route) => {
      faults += 1;
      return route.fulfill({ status: 503, body: "away" });
    },
    { times: 1 },
  );
  const told = page.locator("[data-offline]").waitFor({ state: "visible" });
  await network.writes(from, "Fault Once", "Said during the fault");
  await told;
  await taken(page, "Said during the fault").waitFor();
  await page.locator("[data-offline]").waitFor({ state: "hidden" });
  equal(faults, 1);
  deepEqual(complaints.take().filter((line) => !line.includes("status of 503")), []);
  await context.close();
});

test("a page looks again who is there when somebody may have vanished without a word", async () => {
  const id = await customer("Watched Twice", "+9647704440004");
  const { context, complaints } = await open(agent);
  const page = await context.newPage();
  await page.clock.install();
  await openConversation(page, id);
  await owner.put(`/conversations/${id}/presence`, { doing: "answering" });
  await page.locator("#present span").waitFor();
  const asked = page.waitForRequest((request) => new URL(request.url()).pathname === `/dashboard/inbox/${id}`);
  await page.clock.fastForward(60_000);
  await asked;
  deepEqual(complaints.take(), []);
  await context.close();
});

test("a page that never comes is given up on, and asked for again", async () => {
  const from = "+9647704440008";
  const id = await customer("Dead Line", from);
  const { context, complaints } = await open(agent);
  const page = await context.newPage();
  await page.addInitScript(() => {
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    // Patience goes thirty times as fast.
    AbortSignal.timeout = (ms) => timeout(ms / 30);
  });
  await openConversation(page, id);
  let silences = 0;
  await page.route(
    `**/dashboard/inbox/${id}`,
    () => {
      silences += 1;
    },
    { times: 1 },
  );
  const told = page.locator("[data-offline]").waitFor({ state: "visible" });
  await network.writes(from, "Dead Line", "Said over a dead line");
  await told;
  await taken(page, "Said over a dead line").waitFor();
  await page.locator("[data-offline]").waitFor({ state: "hidden" });
  equal(silences, 1);
  deepEqual(complaints.take().filter((line) => !line.includes("ERR_")), []);
  await context.close();
});

test("a computer that has slept listens anew, since what it listened to may be dead", async () => {
  const id = await customer("Slept Over", "+9647704440009");
  const { context, complaints } = await open(agent);
  const page = await context.newPage();
  await page.addInitScript(() => {
    const streams = /** @type {EventSource[]} */ ([]);
    class Counted extends EventSource {
      /** @param {string} path */
      constructor(path) {
        super(path);
        streams.push(this);
      }
    }
    Object.assign(window, { EventSource: Counted, streams });
  });
  await page.clock.install();
  await openConversation(page, id);
  /** @returns {Promise<string>} */
  const states = () => page.evaluate(() => /** @type {any} */ (window).streams.map((/** @type {EventSource} */ one) => one.readyState).join());
  await eventually("it listens", async () => (await states()) === "1");
  await page.clock.fastForward(180_000);
  await eventually("it listens by another stream, and by that alone", async () => (await states()) === "2,1");
  await network.writes("+9647704440009", "Slept Over", "Good morning");
  await taken(page, "Good morning").waitFor();
  deepEqual(complaints.take(), []);
  await context.close();
});

test("a page that has come is not asked for again, and is told what happened before it listened", async () => {
  const from = "+9647704440019";
  const id = await customer("Just Come", from);
  const { context, complaints } = await open(agent);
  const page = await context.newPage();
  let loads = 0;
  page.on("request", (request) => (loads += Number(new URL(request.url()).pathname === `/dashboard/inbox/${id}`)));
  const go = await holdRequests(page, "**/dashboard/api/events*");
  await page.clock.install();
  const listens = page.waitForRequest(isStream);
  await openConversation(page, id);
  await listens;
  await page.clock.fastForward(2000);
  equal(loads, 1, "nothing has happened");
  await network.writes(from, "Just Come", "Said before it listens");
  await eventually("it is recorded", async () => (await newest(id)).content === "Said before it listens");
  go();
  await taken(page, "Said before it listens").waitFor();
  deepEqual(complaints.take(), []);
  await context.close();
});

test("a second window is told what happened before it was there to hear of it", async () => {
  const from = "+9647704440020";
  const id = await customer("Second Window", from);
  const { context, complaints } = await open(agent);
  const first = await context.newPage();
  await openConversation(first, id);
  const page = await context.newPage();
  const go = await holdRequests(page, "**/page.js");
  await page.goto(`/dashboard/inbox/${id}`, { waitUntil: "commit" });
  await taken(page, "Hello from Second Window").waitFor();
  await network.writes(from, "Second Window", "Said in between");
  await taken(first, "Said in between").waitFor();
  go();
  await taken(page, "Said in between").waitFor();
  deepEqual(complaints.take(), []);
  await context.close();
});

test("a window that is looked at listens in the place of one that was put to sleep", async () => {
  const from = "+9647704440018";
  const id = await customer("Put To Sleep", from);
  const { context, complaints } = await open(agent);
  let listens = context.waitForEvent("request", isStream);
  const asleep = await context.newPage();
  await asleep.addInitScript(() => {
    // Whoever sleeps tells the others nothing.
    const { postMessage } = BroadcastChannel.prototype;
    BroadcastChannel.prototype.postMessage = function (/** @type {unknown} */ said) {
      if (!("isAsleep" in window)) postMessage.call(this, said);
    };
  });
  await openConversation(asleep, id);
  await listens;
  const page = await context.newPage();
  await page.clock.install();
  await openConversation(page, id);
  await page.bringToFront();
  listens = context.waitForEvent("request", isStream);
  await asleep.evaluate(() => void Object.assign(window, { isAsleep: true }));
  // It is asked who listens, and nobody answers.
  for (const _ of [1, 2]) await page.clock.fastForward(5000);
  equal((await listens).frame().page(), page);
  await network.writes(from, "Put To Sleep", "Is anybody awake?");
  await taken(page, "Is anybody awake?").waitFor();
  // Whoever was asleep listens no more, and is told by the other.
  await network.writes(from, "Put To Sleep", "Good morning to both");
  for (const one of [page, asleep]) await taken(one, "Good morning to both").waitFor();
  deepEqual(complaints.take(), []);
  await context.close();
});

test("a tag that is half written stays while others change the person's, which are shown once it is gone", async () => {
  const id = await customer("Half Tagged", "+9647704440010");
  const { context, complaints } = await open(agent);
  const page = await context.newPage();
  await openConversation(page, id);
  const tag = page.locator("#add-tag");
  await tag.fill("half a t");
  await composer(page).focus();
  await owner.post(`/conversations/${id}/tags`, { tag: "Follow-up" });
  await page.locator(`#row-${id} .tag`).filter({ hasText: "Follow-up" }).waitFor();
  equal(await tag.inputValue(), "half a t");
  await tag.fill("");
  await composer(page).focus();
  await page.locator("form.tags button").filter({ hasText: "Follow-up" }).waitFor();
  deepEqual(complaints.take(), []);
  await context.close();
});

test("whoever ticks a row by the keyboard stays at its box when the row changes", async () => {
  const from = "+9647704440011";
  const id = await customer("Ticked Off", from);
  const { context, complaints } = await open(agent);
  const page = await context.newPage();
  await page.goto("/dashboard/inbox");
  await page.locator("details.several summary").click();
  const box = page.locator(`#row-${id} .pick input`);
  await box.focus();
  await page.keyboard.press("Space");
  await network.writes(from, "Ticked Off", "Said while you tick");
  await page.locator(`#row-${id}`).filter({ hasText: "Said while you tick" }).waitFor();
  ok(await box.evaluate((element) => element === document.activeElement && /** @type {HTMLInputElement} */ (element).checked));
  deepEqual(complaints.take(), []);
  await context.close();
});

/**
 * A window of the agent's that hears of what the test tells it and of nothing else, and may be one that nobody looks at.
 * @param {import("playwright-core").BrowserContext} context
 */
async function deaf(context) {
  const page = await context.newPage();
  await page.addInitScript(() => {
    const stream = new EventTarget();
    const EventSource = function () {
      return stream;
    };
    Object.assign(window, { stream, EventSource, isHidden: false });
    Object.defineProperty(document, "hidden", { get: () => /** @type {any} */ (window).isHidden });
  });
  const tell = (/** @type {object} */ data) =>
    page.evaluate((data) => {
      const { stream } = /** @type {any} */ (window);
      stream.dispatchEvent(new MessageEvent("conversation.changed", { data: JSON.stringify(data) }));
    }, data);
  return { page, tell };
}

/** @param {string} id */
async function newest(id) {
  const { data } = await agent.get(`/conversations/${id}/messages`);
  return data[0];
}

/** The agent has read a conversation in another browser. @param {string} id */
async function readElsewhere(id) {
  await agent.put(`/conversations/${id}/seen`, { messageId: (await newest(id)).id });
}

test("what is read elsewhere while the page is on its way is not marked as unread", async () => {
  const from = "+9647704440016";
  const id = await customer("Read Meanwhile", from);
  await readElsewhere(id);
  const { context, complaints } = await open(agent);
  const { page, tell } = await deaf(context);
  await page.goto("/dashboard/inbox");
  await page.locator(`#row-${id}`).waitFor();
  await network.writes(from, "Read Meanwhile", "Said meanwhile");
  await eventually("it is recorded", async () => (await newest(id)).content === "Said meanwhile");
  let loads = 0;
  await page.route("**/dashboard/inbox", async (route) => {
    const answer = await route.fetch();
    loads += 1;
    if (loads === 1) {
      await readElsewhere(id);
      await tell({ conversationId: id, readByYou: true });
    }
    await route.fulfill({ response: answer });
  });
  await tell({ conversationId: id });
  await eventually("it is loaded again", async () => loads > 1);
  await page.locator(`#row-${id} .unread`).waitFor({ state: "detached" });
  deepEqual(complaints.take(), []);
  await context.close();
});

test("the title of a window that nobody looks at follows what is read elsewhere", async () => {
  const from = "+9647704440017";
  const id = await customer("Read Unseen", from);
  await readElsewhere(id);
  const { context, complaints } = await open(agent);
  const { page, tell } = await deaf(context);
  await page.goto("/dashboard/inbox");
  await page.locator(`#row-${id}`).waitFor();
  const before = await page.title();
  await page.evaluate(() => Object.assign(window, { isHidden: true }));
  await network.writes(from, "Read Unseen", "Said unseen");
  await eventually("it is recorded", async () => (await newest(id)).content === "Said unseen");
  await tell({ conversationId: id });
  await eventually("it is counted", async () => (await page.title()) !== before);
  await readElsewhere(id);
  await tell({ conversationId: id, readByYou: true });
  await eventually("it is counted no more", async () => (await page.title()) === before);
  deepEqual(complaints.take(), []);
  await context.close();
});

/**
 * Plays a minute of silence in a player, as somebody who listens, and has its row be an older one than the service's.
 * @param {SVGElement | HTMLElement} element
 */
async function listen(element) {
  const audio = /** @type {HTMLAudioElement} */ (element);
  const rate = 8000;
  const bytes = new Uint8Array(44 + 60 * rate).fill(128);
  const view = new DataView(bytes.buffer);
  for (const [at, name] of /** @type {const} */ ([[0, "RIFF"], [8, "WAVE"], [12, "fmt "], [36, "data"]])) {
    bytes.set([...name].map((letter) => letter.charCodeAt(0)), at);
  }
  for (const [at, value] of /** @type {const} */ ([[4, bytes.length - 8], [16, 16], [24, rate], [28, rate], [40, bytes.length - 44]])) {
    view.setUint32(at, value, true);
  }
  for (const [at, value] of /** @type {const} */ ([[20, 1], [22, 1], [32, 1], [34, 8]])) view.setUint16(at, value, true);
  audio.muted = true;
  audio.loop = true;
  audio.src = URL.createObjectURL(new Blob([bytes], { type: "audio/wav" }));
  await audio.play();
  audio.dataset.heard = "yes";
  const row = audio.closest("li");
  if (row) row.dataset.version = "older";
}

test("an address that is switched off, and what it was sent, are shown without loading the page again", async () => {
  const { id } = await owner.post("/webhooks", { url: "http://127.0.0.1:9/nobody", events: ["lead.captured"] });
  const { context, complaints } = await open(owner, { locale: "en" });
  const [list, address] = [await context.newPage(), await context.newPage()];
  await list.goto("/dashboard/settings/webhooks");
  await address.goto(`/dashboard/settings/webhooks/${id}`);
  await owner.post(`/webhooks/${id}/ping`, {});
  await address.locator("#log tbody tr").first().waitFor();
  const off = address.locator("#address .wrong");
  equal(await off.count(), 0);
  await owner.post(`/webhooks/${id}/pause`, {});
  await off.waitFor();
  await list.bringToFront();
  await list.locator("#addresses li").filter({ hasText: "127.0.0.1:9/nobody" }).locator(".wrong").waitFor();
  await owner.ask("DELETE", `/webhooks/${id}`);
  deepEqual(complaints.take().filter((line) => !line.includes("status of 404")), []);
  await context.close();
});

test("a delivery that failed shows when it is tried again, and its body line by line", async () => {
  const { id } = await owner.post("/webhooks", { url: "http://127.0.0.1:9/later", events: ["message.received"] });
  const { context, complaints } = await open(owner, { locale: "en" });
  const page = await context.newPage();
  await network.writes("+9647703330092", "Tried Again", "Hello");
  await page.goto(`/dashboard/settings/webhooks/${id}`);
  await page.locator("#log a[href*='/deliveries/']").first().click();
  await page.locator("#next [data-until]").filter({ hasText: /minute|hour/ }).waitFor();
  ok(((await page.locator("pre").textContent()) ?? "").split("\n").length > 5, "the body is told in lines");
  await picture(page, "delivery", "en");
  deepEqual(complaints.take(), []);
  await owner.ask("DELETE", `/webhooks/${id}`);
  await context.close();
});

test("a voice note goes on while its row changes, which is shown when it stops", async () => {
  const from = "+9647704440005";
  const id = await customer("Voice Heard", from);
  await network.inbound({ channelId: network.number, from, name: "Voice Heard", sample: "voice" });
  const { context, complaints } = await open(agent);
  const page = await context.newPage();
  await openConversation(page, id);
  await page.locator("#bubbles audio").first().evaluate(listen);
  const heard = page.locator("#bubbles audio[data-heard]");
  await network.writes(from, "Voice Heard", "Said while you listened");
  await taken(page, "Said while you listened").waitFor();
  equal(await heard.evaluate((audio) => /** @type {HTMLAudioElement} */ (audio).paused), false);
  await heard.evaluate((audio) => /** @type {HTMLAudioElement} */ (audio).pause());
  await heard.waitFor({ state: "detached" });
  await page.locator("#bubbles audio").first().waitFor();
  deepEqual(complaints.take(), []);
  await context.close();
});

/**
 * Keeps the titles of notifications, for as long as the window is there.
 * @param {import("playwright-core").Page} page
 */
async function keepNotifications(page) {
  await page.addInitScript(() => {
    const told = /** @type {string[]} */ (JSON.parse(sessionStorage.getItem("notified") ?? "[]"));
    class Told {
      static permission = "granted";
      /** @param {string} title */
      constructor(title) {
        told.push(title);
        sessionStorage.setItem("notified", JSON.stringify(told));
      }
      addEventListener() {}
    }
    Object.assign(window, { Notification: Told, told });
  });
}

/** @param {import("playwright-core").Page} page @returns {Promise<string[]>} */
const notified = (page) => page.evaluate(() => /** @type {any} */ (window).told);

test("a hand-over rings once, and a customer whom the assistant answers does not", async () => {
  const id = await customer("Rings Once", "+9647704441008");
  const { context, complaints } = await open(agent);
  const page = await context.newPage();
  await keepNotifications(page);
  // The assistant answers until it hands over: what the service says of it is put into its answer.
  let isAssistants = true;
  await page.route("**/dashboard/api/conversations?limit=50", async (route) => {
    const answer = await route.fetch();
    const body = await answer.json();
    for (const row of body.rows) if (row.conversation.id === id) row.assistantAnswers = isAssistants;
    await route.fulfill({ response: answer, json: body });
  });
  await page.goto("/dashboard/contacts");
  await page.evaluate(() => localStorage.setItem("wants notifications", "yes"));
  const listens = page.waitForResponse((answer) => isStream(answer.request()));
  await page.goto("/dashboard/contacts");
  await listens;
  await eventually("the title counts on every page", async () => /^\(\d+\+?\) /.test(await page.title()));
  const looked = () => page.waitForResponse((answer) => answer.url().endsWith("/dashboard/api/conversations?limit=50"));
  let look = looked();
  await network.writes("+9647704441008", "Rings Once", "A person, please");
  await look;
  await new Promise((resolve) => setTimeout(resolve, 500));
  equal((await notified(page)).includes("Rings Once"), false, "the assistant is about to answer");
  isAssistants = false;
  const { member } = await owner.get("/me");
  look = looked();
  await owner.post(`/conversations/${id}/notes`, { text: "Handed over", mentions: [member.id] });
  await look;
  await eventually("the hand-over rings", async () => (await notified(page)).includes("Rings Once"));
  look = looked();
  await owner.post(`/conversations/${id}/notes`, { text: "Nothing new" });
  await look;
  await page.goto("/dashboard/broadcasts");
  await new Promise((resolve) => setTimeout(resolve, 4000));
  equal((await notified(page)).filter((title) => title === "Rings Once").length, 1, "once");
  const own = await agent.get("/me");
  await owner.post(`/conversations/${id}/notes`, { text: "For you", mentions: [own.member.id] });
  await eventually("a mention rings", async () => (await notified(page)).filter((title) => title === "Rings Once").length === 2);
  deepEqual(complaints.take(), []);
  await context.close();
});

test("everybody who writes at once is told of, whatever this computer's clock says", async () => {
  const { context, complaints } = await open(agent);
  const page = await context.newPage();
  await page.clock.install({ time: Date.now() + 3_600_000 });
  await keepNotifications(page);
  await page.goto("/dashboard/inbox");
  await page.evaluate(() => localStorage.setItem("wants notifications", "yes"));
  const listens = page.waitForResponse((answer) => isStream(answer.request()));
  await page.goto("/dashboard/inbox");
  await listens;
  await network.writes("+9647704440006", "First Of Two", "Hello");
  await network.writes("+9647704440007", "Second Of Two", "Hello");
  await eventually("both are told of", async () => {
    const told = await page.evaluate(() => /** @type {any} */ (window).told);
    return told.includes("First Of Two") && told.includes("Second Of Two");
  });
  deepEqual(complaints.take(), []);
  await context.close();
});
