// What a page shows as it changes, without being loaded again.

import { deepEqual, equal } from "node:assert/strict";
import { test } from "node:test";

import { composer, openConversation, taken } from "../support/inbox.js";
import { customer } from "../support/life.js";
import { agent, network, open } from "../support/stage.js";

/** @param {import("playwright-core").Page} page */
const texts = (page) => page.locator("#bubbles > li[id^=message-] .text").allTextContents();

test("messages that come while a conversation is open are on one of its pages, however many", async () => {
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

  const found = await texts(page);
  await page.locator("#earlier a").click();
  await taken(page, "Hello from Long Talk").waitFor();
  found.unshift(...(await texts(page)));
  const known = found.filter((text) => said.includes(text));
  deepEqual(known.toSorted(), said.toSorted(), "each is found, and once");
  equal(await composer(page).count(), 0, "a page of earlier messages has no composer");
  deepEqual(complaints.take(), []);
  await context.close();
});
