// How soon the inbox is there, and that nothing on it moves then.

import { figure, quantile } from "./figures.js";
import { agent, conversations, network, pause, seat, small } from "./place.js";

const LOADS = small ? 3 : 15;

/** What Lighthouse puts in a phone's place: its request latency, its line, and a quarter of the CPU. */
const PHONE = { latency: 562.5, downloadThroughput: (1474.56 * 1024) / 8, uploadThroughput: (675 * 1024) / 8 };
const SLOWER = 4;

/** @param {import("playwright-core").Page} page @returns {Promise<number>} */
function largestPaint(page) {
  return page.evaluate(
    () =>
      new Promise((resolve) => {
        new PerformanceObserver((list) => resolve(list.getEntries().at(-1)?.startTime ?? NaN)).observe({
          type: "largest-contentful-paint",
          buffered: true,
        });
      }),
  );
}

/** @param {boolean} onPhone */
async function loads(onPhone) {
  const times = [];
  for (let load = 0; load < LOADS; load += 1) {
    // A context of its own: nothing is in its cache.
    const options = onPhone ? { viewport: { width: 412, height: 823 }, hasTouch: true, isMobile: true } : {};
    const context = await seat(agent, options);
    const page = await context.newPage();
    if (onPhone) {
      const session = await context.newCDPSession(page);
      await session.send("Network.enable");
      await session.send("Network.emulateNetworkConditions", { offline: false, ...PHONE });
      await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWER });
    }
    await page.goto("/dashboard/inbox?view=all", { waitUntil: "load" });
    // The last candidate comes with the frame after everything is there.
    await pause(200);
    times.push(await largestPaint(page));
    await context.close();
  }
  return times;
}

export async function loading() {
  figure("inbox: largest paint on loopback, p75", quantile(await loads(false), 0.75), "ms", 300);
  figure("inbox: largest paint on Lighthouse's phone, p75", quantile(await loads(true), 0.75), "ms", 1500);
}

/** How much moved, whatever caused it: loading, a message that comes, and an answer. */
export async function shifts() {
  const context = await seat(agent);
  const page = await context.newPage();
  await page.addInitScript(() => {
    const kept = /** @type {any} */ (window);
    kept.shift = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) kept.shift += /** @type {any} */ (entry).value;
    }).observe({ type: "layout-shift", buffered: true });
  });
  let worst = 0;
  for (const path of ["/dashboard/inbox?view=all", `/dashboard/inbox/${conversations[0]}`, `/dashboard/inbox/${conversations[1]}`]) {
    await page.goto(path, { waitUntil: "load" });
    await network.writes("+9647705550001", "Moves Nothing", `A message that comes while ${path} is looked at`);
    await pause(2500);
    worst = Math.max(worst, await page.evaluate(() => /** @type {any} */ (window).shift));
  }
  figure("layout shift, while a message comes as well", worst, "shift", 0);
  await context.close();
}
