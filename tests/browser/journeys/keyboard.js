// By the keyboard alone, on layouts with and without Latin letters.

import { deepEqual, equal, ok } from "node:assert/strict";
import { test } from "node:test";

import { bubbles, composer, taken } from "../support/inbox.js";
import { CUSTOMER, conversationWith } from "../support/life.js";
import { agent, network, open } from "../support/stage.js";

/** @typedef {import("playwright-core").Page} Page */

/**
 * Presses a key by where it is, as a layout has it.
 * @param {Page} page
 * @param {string} code
 * @param {string} key
 * @param {number} [modifiers] 8 is Shift.
 */
async function press(page, code, key, modifiers = 0) {
  const session = await page.context().newCDPSession(page);
  for (const type of /** @type {const} */ (["keyDown", "keyUp"])) {
    await session.send("Input.dispatchKeyEvent", { type, code, key, modifiers, ...(type === "keyDown" && { text: key }) });
  }
  await session.detach();
}

/** @param {Page} page */
const focused = (page) => page.evaluate(() => document.activeElement?.id || document.activeElement?.parentElement?.id);

for (const [language, j, k, r] of [["en", "j", "k", "r"], ["ar", "ت", "ن", "ق"]]) {
  test(`somebody signs in, opens a conversation and answers by the keyboard alone (${language})`, async () => {
    ok(language && j && k && r);
    const { context, complaints } = await open(undefined, { locale: language });
    const page = await context.newPage();
    await page.goto("/dashboard/inbox");
    equal(await focused(page), "email", "the first field has the focus");
    await page.keyboard.type(agent.email);
    await page.keyboard.press("Tab");
    await page.keyboard.type(agent.password);
    await page.keyboard.press("Enter");
    await page.waitForURL("**/dashboard/inbox");
    await page.locator("#rows li").first().waitFor();

    await page.keyboard.press("Tab");
    ok(await page.evaluate(() => document.activeElement?.matches(".skip")), "the first stop leads past the head");

    await press(page, "KeyJ", j);
    const first = await focused(page);
    await press(page, "KeyJ", j);
    const second = await focused(page);
    await press(page, "KeyK", k);
    ok(first?.startsWith("row-") && second?.startsWith("row-") && first !== second, `${first}, ${second}`);
    equal(await focused(page), first, "back up");

    const conversation = await conversationWith(CUSTOMER);
    for (let steps = 0; (await focused(page)) !== `row-${conversation}`; steps += 1) {
      ok(steps < 20, "the conversation is within reach");
      await press(page, "KeyJ", j);
    }
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/dashboard/inbox/${conversation}*`);
    await composer(page).waitFor();
    await press(page, "KeyR", r);
    equal(await focused(page), "text", "the answer is begun");
    equal(await composer(page).inputValue(), "", "the key itself is not typed");

    const answer = `By the keyboard, ${language}`;
    await page.keyboard.type(answer);
    await page.keyboard.press("Enter");
    await bubbles(page, answer).waitFor();
    await taken(page, answer).waitFor();
    equal(await focused(page), "text", "the next answer can be begun");
    await network.settled();
    const lines = await network.chat("9647701110001");
    equal(lines.filter((line) => line.text === answer).length, 1);

    await page.keyboard.press("Escape");
    ok((await focused(page)) !== "text", "nothing is written any more");
    await press(page, "Slash", "?", 8);
    const help = page.locator("#keys");
    await help.waitFor({ state: "visible" });
    await page.keyboard.press("Escape");
    await help.waitFor({ state: "hidden" });
    await press(page, "Slash", "/");
    equal(await focused(page), "search", "something is searched for");
    equal(await page.locator("#search").inputValue(), "", "the key itself is not typed");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    const palette = page.locator("#palette");
    await palette.waitFor({ state: "visible" });
    equal(await focused(page), "palette-field", "what to go to can be typed");
    await page.keyboard.press("Escape");
    await palette.waitFor({ state: "hidden" });
    await page.keyboard.press("Control+k");
    await page.keyboard.type("zz");
    await page.keyboard.press("Escape");
    await palette.waitFor({ state: "hidden" });
    ok(page.url().includes(conversation), "nothing behind it was closed");
    await page.keyboard.press("Escape");
    await page.waitForURL((url) => url.pathname === "/dashboard/inbox");
    deepEqual(complaints.take(), []);
    await context.close();
  });
}

test("whatever has the focus shows it", async () => {
  const { context, complaints } = await open(agent);
  const page = await context.newPage();
  await page.goto(`/dashboard/inbox/${await conversationWith(CUSTOMER)}`);
  const unseen = [];
  for (let stops = 0; stops < 60; stops += 1) {
    await page.keyboard.press("Tab");
    const stop = await page.evaluate(() => {
      const element = document.activeElement;
      if (!element || element === document.body) return undefined;
      // The parts of a player are Chromium's own, which show it themselves.
      if (element.matches("audio, video")) return { shows: true, what: "" };
      const label = element.closest("label") ?? element;
      const shows = [element, label].some((part) => {
        const { outlineStyle, outlineWidth } = getComputedStyle(part);
        return outlineStyle !== "none" && parseFloat(outlineWidth) >= 1;
      });
      return { shows, what: element.outerHTML.slice(0, 120) };
    });
    if (!stop) break;
    if (!stop.shows) unseen.push(stop.what);
  }
  deepEqual(unseen, []);
  deepEqual(complaints.take(), []);
  await context.close();
});
