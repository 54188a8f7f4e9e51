// Many events and many tabs.

import { figure } from "./figures.js";
import { agent, network, pause, seat, small } from "./place.js";

const EVENTS = small ? 200 : 5_000;
const STORM = small ? 100 : 1_000;
const TABS = 8;

/**
 * Made-up people write.
 * @param {number} people
 * @param {number} messages
 */
async function traffic(people, messages) {
  const answer = await network.control("POST", "/traffic", { channelIds: [network.number], people, messages, perPost: 10 });
  if (answer.taken !== answer.posts) throw new Error(`the service took ${answer.taken} of ${answer.posts} posts`);
}

/** Counts what the stream of a page tells. */
function count() {
  const kept = /** @type {any} */ (window);
  kept.events = 0;
  // Several parts of a page may listen for the same event.
  const counted = new WeakSet();
  const note = (/** @type {Event} */ event) => {
    if (!counted.has(event)) kept.events += 1;
    counted.add(event);
  };
  const listen = EventSource.prototype.addEventListener;
  /** @param {string} name @param {any} act @param {any} options */
  EventSource.prototype.addEventListener = function (name, act, options) {
    if (name.includes(".")) listen.call(this, name, note);
    return listen.call(this, name, act, options);
  };
}

/** What stays of thousands of events. */
export async function memory() {
  const context = await seat(agent);
  const page = await context.newPage();
  await page.addInitScript(count);
  await page.goto("/dashboard/inbox?view=all", { waitUntil: "load" });
  const session = await context.newCDPSession(page);
  await session.send("HeapProfiler.enable");
  const heap = async () => {
    await session.send("HeapProfiler.collectGarbage");
    return (await session.send("Runtime.getHeapUsage")).usedSize / 1024 / 1024;
  };
  await traffic(20, 1);
  await pause(3000);
  const [before, told] = [await heap(), await page.evaluate(() => /** @type {any} */ (window).events)];
  let events = 0;
  while (events < EVENTS) {
    await traffic(50, small ? 1 : 10);
    await pause(500);
    events = (await page.evaluate(() => /** @type {any} */ (window).events)) - told;
  }
  await pause(3000);
  figure("events that a page was told of", events, "events");
  figure("its heap has grown by", Math.max(0, (await heap()) - before), "mb", 10);
  await context.close();
}

/** Streams that are open at once. */
export async function tabs() {
  const context = await seat(agent);
  /** @type {Set<import("playwright-core").Request>} */
  const open = new Set();
  context.on("request", (request) => {
    if (new URL(request.url()).pathname === "/dashboard/api/events") open.add(request);
  });
  context.on("requestfinished", (request) => open.delete(request));
  context.on("requestfailed", (request) => open.delete(request));
  const pages = [];
  for (let tab = 0; tab < TABS; tab += 1) {
    const page = await context.newPage();
    await page.goto("/dashboard/inbox", { waitUntil: "load" });
    pages.push(page);
  }
  await pause(2000);
  figure(`streams of ${TABS} tabs`, open.size, "streams", 1);
  if (open.size === 0) throw new Error("no tab listens");
  const first = pages[0];
  await first?.close();
  await pause(3000);
  const left = [...open].filter((request) => !request.frame().page().isClosed()).length;
  if (left === 0) throw new Error("nobody listens after the first tab was closed");
  figure("streams after the tab that listened was closed", left, "streams", 1);
  await context.close();
}

/** What a storm makes a tab ask for, and what it shows then. */
export async function storm() {
  const context = await seat(agent);
  const page = await context.newPage();
  await page.goto("/dashboard/inbox?view=all", { waitUntil: "load" });
  await pause(2000);
  let requests = 0;
  page.on("request", (request) => {
    if (new URL(request.url()).pathname === "/dashboard/inbox") requests += 1;
  });
  const started = Date.now();
  for (let part = 0; part < 10; part += 1) {
    await traffic(10, STORM / 100);
    await pause(Math.max(0, started + (part + 1) * 1000 - Date.now()));
  }
  const took = Date.now() - started;
  await network.settled();
  await pause(2500);
  figure("a storm of messages lasts", took, "ms");
  figure("lists that a tab asks for meanwhile, in 10 s", (requests * 10_000) / Math.max(10_000, took), "requests", 12);

  const rows = (/** @type {import("playwright-core").Page} */ page) =>
    page.locator("#rows > li").evaluateAll((rows) => rows.map((row) => `${row.id} ${row.textContent?.replace(/\s+/g, " ")}`));
  const shown = await rows(page);
  const fresh = await context.newPage();
  await fresh.goto("/dashboard/inbox?view=all", { waitUntil: "load" });
  const wanted = await rows(fresh);
  const different = wanted.filter((row, at) => row !== shown[at]).length + Math.abs(wanted.length - shown.length);
  figure("rows that differ from a fresh page's after it", different, "rows", 0);
  await context.close();
}
