// Two conversations, of which one takes the other's place.

import { customer } from "./life.js";
import { agent, open } from "./stage.js";

/** @typedef {import("playwright-core").Page} Page */

/** @param {Page} page @param {string} id */
export const row = (page, id) => page.locator(`#row-${id} a`);

/** The conversation that is shown has this one's composer, also where a note is written. @param {Page} page @param {string} id */
export const shows = (page, id) => page.locator(`form[data-compose="${id}"]`).waitFor({ state: "attached" });

/** Marks the page, so that another load of it would be seen. @param {Page} page */
const mark = (page) => page.evaluate(() => void Object.assign(window, { marked: true }));

/** @param {Page} page */
export const isMarked = (page) => page.evaluate(() => "marked" in window);

/** What waits until it is let go. */
export function gate() {
  /** @type {() => void} */
  let go = () => {};
  const gone = new Promise((resolve) => (go = () => resolve(undefined)));
  return { gone, go };
}

/**
 * Has what a window asks for there wait on its way until it is let go.
 * @param {Page} page
 * @param {string} pattern
 */
export async function holdRequests(page, pattern) {
  const { gone, go } = gate();
  await page.route(pattern, async (route) => {
    await gone;
    // A window may not want it any more.
    await route.continue().catch(() => {});
  });
  return go;
}

/**
 * Has answers wait on their way back until they are let go.
 * @param {Page} page
 * @param {string} pattern
 */
export async function holdAnswers(page, pattern) {
  const { gone, go } = gate();
  await page.route(pattern, async (route) => {
    const answer = await route.fetch();
    await gone;
    await route.fulfill({ response: answer });
  });
  return go;
}

/**
 * Two people who have written, and a window of the agent's on the first of them.
 * @param {string} name
 * @param {string} from the first one's number; the next one is the other's
 * @param {import("./browser.js").Options} [options]
 */
export async function two(name, from, options) {
  const numbers = [from, `+${BigInt(from.slice(1)) + 1n}`];
  const [first, second] = [await customer(`${name} First`, numbers[0] ?? ""), await customer(`${name} Second`, numbers[1] ?? "")];
  const { context, complaints } = await open(agent, options);
  const page = await context.newPage();
  await page.goto(`/dashboard/inbox/${first}`, { waitUntil: "load" });
  await shows(page, first);
  await mark(page);
  return { numbers, first, second, context, complaints, page };
}
