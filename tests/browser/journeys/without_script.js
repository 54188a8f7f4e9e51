// Without any script: signing in, answering, and an owner's settings.

import { equal, ok } from "node:assert/strict";
import { test } from "node:test";

import { CUSTOMER, conversationWith } from "../support/life.js";
import { network, open, owner } from "../support/stage.js";

test("an owner signs in, answers and changes settings without script", async () => {
  const { context } = await open(undefined, { javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto("/dashboard/settings/keys");
  await page.locator("#email").fill(owner.email);
  await page.locator("#password").fill("wrong");
  await page.locator("main button.main").click();
  ok(((await page.locator("main [role=alert]").textContent()) ?? "").length > 10, "why not");
  equal(await page.locator("#email").inputValue(), owner.email, "what was typed is still there");
  await page.locator("#password").fill(owner.password);
  await page.locator("main button.main").click();
  await page.waitForURL("**/dashboard/settings/keys");

  await page.locator("[name=label]").fill("Made without script");
  await page.locator("input[type=checkbox]").first().check();
  await page.locator("main form button.main").last().click();
  ok(/msk_[0-9a-f]{64}/.test((await page.locator("main").textContent()) ?? ""), "the key is shown");

  const id = await conversationWith(CUSTOMER);
  await page.goto(`/dashboard/inbox/${id}`);
  await page.locator("form[data-compose] textarea").fill("Sent by a form");
  await page.locator("form[data-compose] button.main").click();
  await page.locator("#bubbles > li").filter({ hasText: "Sent by a form" }).waitFor();
  await network.settled();
  equal((await network.chat("9647701110001")).filter((line) => line.text === "Sent by a form").length, 1);

  await page.locator("details.oneself > summary").click();
  await page.locator("button[name=language]").first().click();
  equal(await page.locator("html").getAttribute("dir"), "rtl");
  // It is theirs in every browser from now on, and all journeys have the same owner.
  await page.locator("details.oneself > summary").click();
  await page.locator("button[name=language]").first().click();
  equal(await page.locator("html").getAttribute("dir"), "ltr");
  await context.close();
});

test("what was typed on a step of a broadcast is there again after going back and forth without script", async () => {
  const draft = await owner.post("/broadcasts", { name: "Back and forth", template: "order_ready", audience: { filter: {} } });
  const { context } = await open(owner, { javaScriptEnabled: false });
  const page = await context.newPage();
  const next = page.locator("main form button.main").last();
  const back = page.locator("main form button").last();
  await page.goto(`/dashboard/broadcasts/${draft.id}/content`);
  await page.locator("#text-1").fill("dear customer");
  await page.locator("#quiet-from").fill("21:00");
  await page.locator("#quiet-to").fill("08:00");
  // Of its second place nothing is known yet.
  await back.click();
  await page.waitForURL("**/audience");
  await next.click();
  await page.waitForURL("**/content");
  equal(await page.locator("#text-1").inputValue(), "dear customer");
  equal(await page.locator("#quiet-from").inputValue(), "21:00");
  await page.locator("#text-2").fill("A-1042");
  await next.click();
  await page.waitForURL("**/preview");

  await page.locator("#at").fill("2999-01-01T10:00");
  await page.locator("#zone").fill("Asia/Aden");
  await back.click();
  await page.waitForURL("**/content?*");
  await back.click();
  await page.waitForURL("**/audience?*");
  await next.click();
  await page.waitForURL("**/content?*");
  await next.click();
  await page.waitForURL("**/preview?*");
  equal(await page.locator("#at").inputValue(), "2999-01-01T10:00");
  equal(await page.locator("#zone").inputValue(), "Asia/Aden");
  await context.close();
});

test("a refusal of a form says at the field what is wrong, and keeps what was typed", async () => {
  const { context } = await open(owner, { javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto("/dashboard/settings/workspace");
  await page.locator("#time-zone").fill("Asia/Baghdat");
  await page.locator("button[name=do][value=settings]").click();
  const field = page.locator("#time-zone");
  equal(await field.getAttribute("aria-invalid"), "true");
  equal(await page.locator("[aria-invalid]").count(), 1, "no other field is wrong");
  const told = ((await field.getAttribute("aria-describedby")) ?? "").split(" ");
  ok(told.includes("why"), "the field says so");
  ok((await page.locator("#why").textContent())?.includes("Asia/Baghdad"), "and what was meant");
  equal(await field.inputValue(), "Asia/Baghdat", "what was typed is still there");
  await page.locator("form:has(#why) #time-zone:focus").waitFor();

  await page.goto("/dashboard/canned-replies");
  await page.locator("[name=shortcut]").last().fill("not one word");
  await page.locator("textarea[name=text]").last().fill("What was typed");
  await page.locator("main form button.main").last().click();
  ok(((await page.locator("main [role=alert]").first().textContent()) ?? "").length > 10, "why not");
  await page.locator("form:has(#why) [name=shortcut][aria-invalid=true][aria-describedby^=why]:focus").waitFor();
  ok((await page.locator("textarea").evaluateAll((all) => all.map((field) => /** @type {HTMLTextAreaElement} */ (field).value))).includes("What was typed"));
  await context.close();
});
