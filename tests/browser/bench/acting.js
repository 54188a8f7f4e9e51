// How soon something is seen: another conversation, one's own message, what a customer writes, whatever one presses.

import { figure, quantile } from "./figures.js";
import { LONG, agent, conversations, network, owner, pause, seat, small } from "./place.js";

/** @typedef {import("playwright-core").Page} Page */

/** Keeps, in milliseconds since 1970, when something was pressed and when each conversation was first painted. */
function watch() {
  const now = () => performance.timeOrigin + performance.now();
  const press = () => sessionStorage.setItem("pressed", String(now()));
  addEventListener("click", press, true);
  addEventListener("keydown", press, true);
  const kept = /** @type {any} */ (window);
  let shown = "";
  const look = () => {
    const id = /** @type {HTMLElement | null} */ (document.querySelector("[data-compose]"))?.dataset.compose;
    if (id && id !== shown) {
      shown = id;
      requestAnimationFrame(() => setTimeout(() => (kept.painted = { id, at: now() })));
    }
  };
  new MutationObserver(look).observe(document, { childList: true, subtree: true, attributes: true });
}

/** From the click on a row to the paint of its conversation. */
export async function switching() {
  const context = await seat(agent);
  const page = await context.newPage();
  await page.addInitScript(watch);
  await page.goto(`/dashboard/inbox/${conversations[0]}?view=all`, { waitUntil: "load" });
  const times = [];
  for (const id of conversations.slice(1, small ? 5 : 25)) {
    const row = page.locator(`#row-${id} a`).first();
    if ((await row.count()) === 0) continue;
    await row.click();
    await page.waitForFunction((id) => /** @type {any} */ (window).painted?.id === id, id);
    times.push(await page.evaluate(() => /** @type {any} */ (window).painted.at - Number(sessionStorage.getItem("pressed"))));
    await pause(100);
  }
  figure("switching conversations, p95", quantile(times, 0.95), "ms", 150);
  await context.close();
}

/**
 * Has the page keep when words were painted first, in milliseconds since 1970.
 * @param {Page} page
 */
async function watchWords(page) {
  await page.evaluate(() => {
    const kept = /** @type {any} */ (window);
    kept.seen = {};
    const now = () => performance.timeOrigin + performance.now();
    const look = () => {
      for (const text of document.querySelectorAll("#bubbles .text")) {
        const words = text.textContent ?? "";
        if (words in kept.seen) continue;
        kept.seen[words] = 0;
        requestAnimationFrame(() => setTimeout(() => (kept.seen[words] = now())));
      }
    };
    look();
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true, characterData: true });
  });
}

/**
 * When these words were painted.
 * @param {Page} page
 * @param {string} words
 * @returns {Promise<number>}
 */
async function seen(page, words) {
  await page.waitForFunction((words) => /** @type {any} */ (window).seen[words] > 0, words);
  return page.evaluate((words) => /** @type {any} */ (window).seen[words], words);
}

/** From Enter to one's own message, and from a network's post to the other browser. */
export async function messages() {
  const from = "+9647705550002";
  await network.writes(from, "Hears At Once", "Hello");
  let id;
  while (!id) id = await owner.conversationWith("Hears At Once");
  const [mine, theirs] = [await seat(owner), await seat(agent)];
  const [page, other] = [await mine.newPage(), await theirs.newPage()];
  await page.addInitScript(watch);
  for (const window of [page, other]) {
    await window.goto(`/dashboard/inbox/${id}`, { waitUntil: "load" });
    await watchWords(window);
  }
  const field = page.locator("form[data-compose] textarea[name=text]");
  const own = [];
  for (let turn = 0; turn < (small ? 3 : 20); turn += 1) {
    const words = `Answer number ${turn}`;
    await field.fill(words);
    await field.press("Enter");
    own.push((await seen(page, words)) - (await page.evaluate(() => Number(sessionStorage.getItem("pressed")))));
    await pause(300);
  }
  figure("one's own message is seen, p95", quantile(own, 0.95), "ms", 50);

  const posts = [];
  for (let turn = 0; turn < (small ? 3 : 25); turn += 1) {
    // Whoever has just loaded waits a second before they load again: posts of one person come further apart.
    await pause(1300);
    const words = `Question number ${turn}`;
    const posted = Date.now();
    await network.writes(from, "Hears At Once", words);
    posts.push((await seen(other, words)) - posted);
  }
  figure("a network's post is seen in a browser, p50", quantile(posts, 0.5), "ms");
  figure("a network's post is seen in a browser, p95", quantile(posts, 0.95), "ms", 700);
  await mine.close();
  await theirs.close();
}

/** The longest that anything pressed took to be seen, on a quarter of the CPU. */
export async function interactions() {
  const context = await seat(agent);
  const page = await context.newPage();
  await page.goto(`/dashboard/inbox/${LONG}?view=all`, { waitUntil: "load" });
  await page.evaluate(() => {
    const kept = /** @type {any} */ (window);
    kept.slow = [];
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (/** @type {any} */ (entry).interactionId) kept.slow.push([entry.duration, entry.name]);
    }).observe(/** @type {any} */ ({ type: "event", durationThreshold: 16 }));
  });
  const session = await context.newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  for (const key of ["j", "j", "k", "j"]) await page.keyboard.press(key, { delay: 30 });
  await page.keyboard.press("r");
  await page.keyboard.type("An answer that is typed, with /a shortcut", { delay: 60 });
  await page.keyboard.press("Escape");
  await page.keyboard.press("Shift+Slash");
  await pause(300);
  await page.keyboard.press("Escape");
  for (const summary of await page.locator("summary:visible").all()) await summary.click();
  await pause(1000);
  const slow = await page.evaluate(() => /** @type {any} */ (window).slow);
  const [worst] = slow.toSorted((/** @type {[number]} */ a, /** @type {[number]} */ b) => b[0] - a[0]);
  // What took less than 16 ms is not told at all.
  figure(`the slowest interaction at a quarter of the CPU`, worst?.[0] ?? 16, "ms", 100);
  await context.close();
}

/** What one page of a conversation of a year is made of. */
export async function elements() {
  const context = await seat(agent);
  const page = await context.newPage();
  await page.goto(`/dashboard/inbox/${LONG}`, { waitUntil: "load" });
  const [ofMessages, ofAll, messages] = await page.evaluate(() => [
    document.querySelectorAll("#bubbles *").length,
    document.querySelectorAll("*").length,
    document.querySelectorAll("#bubbles > li").length,
  ]);
  figure("messages on a page of the longest conversation", messages ?? 0, "messages");
  figure("elements of its messages", ofMessages ?? 0, "elements", 400);
  figure("elements of the whole page", ofAll ?? 0, "elements");
  await context.close();
}
