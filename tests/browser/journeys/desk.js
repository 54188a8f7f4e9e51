// The inbox to its measures: what is in sight, what one press does, and what a colleague's answer stops.

import { deepEqual, equal, ok } from "node:assert/strict";
import { test } from "node:test";

import { composer, openConversation, taken } from "../support/inbox.js";
import { CUSTOMER, conversationWith, customer } from "../support/life.js";
import { picture } from "../support/look.js";
import { agent, eventually, network, open, owner } from "../support/stage.js";

/** @typedef {import("playwright-core").Page} Page */

/** Rows that are whole in the window, and where the first begins. @param {Page} page */
const rowsInSight = (page) =>
  page.evaluate(() => {
    const boxes = [...document.querySelectorAll("#rows > li[id]")].map((row) => row.getBoundingClientRect());
    return { first: boxes[0]?.top ?? NaN, whole: boxes.filter(({ top, bottom }) => top >= 0 && bottom <= innerHeight).length };
  });

test("the list begins near the top and shows many rows, in each language", async () => {
  for (let number = 0; number < 14; number += 1) await customer(`Row ${number}`, `+96477055600${String(number).padStart(2, "0")}`);
  for (const locale of ["ar", "en"]) {
    for (const [width, height, least] of /** @type {const} */ ([[1280, 720, 9], [1440, 900, 12]])) {
      const { context } = await open(agent, { locale, viewport: { width, height } });
      const page = await context.newPage();
      await page.goto("/dashboard/inbox?view=all");
      const { first, whole } = await rowsInSight(page);
      ok(first <= 110, `the first row begins at ${first}`);
      ok(whole >= least, `${whole} rows at ${width}×${height} (${locale})`);
      await picture(page, "desk list", `${locale}-${width}`);
      await context.close();
    }
  }
});

test("the first row is three presses of Tab and Enter away, or one key", async () => {
  const { context } = await open(agent, { locale: "en" });
  const page = await context.newPage();
  await page.goto("/dashboard/inbox?view=all");
  await page.locator("#rows li").first().waitFor();
  const isAtFirst = () => page.evaluate(() => document.activeElement === document.querySelector("#rows li a"));
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  ok(await isAtFirst(), "past the head");
  await page.goto("/dashboard/inbox?view=all");
  await page.keyboard.press("j");
  ok(await isAtFirst(), "by J");
  await context.close();
});

test("a conversation is as high as it can be, also in a page that is zoomed to twice its size", async () => {
  const id = await customer("High Enough", "+9647705561001");
  for (let line = 1; line <= 8; line += 1) await network.writes("+9647705561001", "High Enough", `Line ${line} of eight`);
  for (const locale of ["ar", "en"]) {
    const { context } = await open(agent, { locale, viewport: { width: 1280, height: 720 } });
    const page = await context.newPage();
    await openConversation(page, id);
    await taken(page, "Line 8 of eight").waitFor();
    const height = await page.evaluate(() => document.getElementById("bubbles")?.clientHeight ?? 0);
    ok(height >= 480, `${height} pixels for messages (${locale})`);
    await picture(page, "desk thread", `${locale}-1280`);
    await page.setViewportSize({ width: 640, height: 360 });
    await page.reload();
    await composer(page).waitFor();
    const seen = await page.evaluate(() => {
      const list = document.getElementById("bubbles")?.getBoundingClientRect();
      const boxes = [...document.querySelectorAll("#bubbles .bubble")].map((bubble) => bubble.getBoundingClientRect());
      return boxes.filter(({ top, bottom }) => list && top >= list.top - 1 && bottom <= list.bottom + 1).length;
    });
    ok(seen >= 5, `${seen} messages can be read at 640×360 (${locale})`);
    await picture(page, "desk thread", `${locale}-640`);
    await context.close();
  }
});

test("scrolling up loads earlier messages in their place, and the composer stays", async () => {
  const from = "+9647705562001";
  const id = await customer("Long Ago", from);
  for (let line = 1; line <= 120; line += 1) await network.writes(from, "Long Ago", `Old line ${line} of many`);
  const { context, complaints } = await open(agent, { locale: "en" });
  const page = await context.newPage();
  await openConversation(page, id);
  await taken(page, "Old line 120 of many").waitFor();
  await composer(page).fill("Half a word");
  await page.locator("#bubbles").hover();
  await eventually("the first message is there", async () => {
    await page.mouse.wheel(0, -3000);
    return (await taken(page, "Hello from Long Ago").count()) === 1;
  });
  equal(await composer(page).inputValue(), "Half a word", "and so is what was being written");
  const said = await page.locator("#bubbles > li[id^=message-] .text").allTextContents();
  deepEqual(
    said.filter((text) => text.startsWith("Old line")),
    Array.from({ length: 120 }, (_, at) => `Old line ${at + 1} of many`),
    "each once and in order",
  );
  const days = await page.locator("#bubbles .day").count();
  equal(days, 1, "a day begins once");
  await network.writes(from, "Long Ago", "And one that is new");
  await taken(page, "And one that is new").waitFor();
  equal(await taken(page, "Hello from Long Ago").count(), 1, "earlier ones stay when something new comes");
  await page.locator("[data-newest] button").click();
  await eventually("the newest is in sight", () =>
    page.evaluate(() => {
      const list = document.getElementById("bubbles");
      return Boolean(list) && list !== null && list.scrollHeight - list.scrollTop - list.clientHeight < 2;
    }),
  );
  const written = await page.locator("#bubbles .day time").first().getAttribute("datetime");
  const today = new Intl.DateTimeFormat("en-CA", { timeZone: "Asia/Baghdad" }).format(new Date(written ?? ""));
  await page.goto(`/dashboard/inbox/${id}?day=${today}`);
  await taken(page, "And one that is new").waitFor();
  equal(await composer(page).count(), 1, "a page of another day has a composer, too");
  deepEqual(complaints.take(), []);
  await context.close();
});

test("whoever is about to send is told once that a colleague has just answered", async () => {
  const from = "+9647705563001";
  const id = await customer("Two Answer", from);
  const { context, complaints } = await open(agent, { locale: "en" });
  const page = await context.newPage();
  await openConversation(page, id);
  await composer(page).pressSequentially("The same answer");
  await owner.post(`/conversations/${id}/messages`, { text: "The owner was faster" });
  await taken(page, "The owner was faster").waitFor();
  await composer(page).press("Enter");
  const told = page.locator("[data-collision]");
  await told.waitFor();
  ok(((await told.textContent()) ?? "").includes("answered a moment ago"), "who has answered");
  await network.settled();
  equal((await network.chat(from)).filter((line) => line.text === "The same answer").length, 0, "nothing has gone out");
  await told.locator("button").click();
  await taken(page, "The same answer").waitFor();
  await network.settled();
  equal((await network.chat(from)).filter((line) => line.text === "The same answer").length, 1);
  deepEqual(complaints.take(), []);
  await context.close();
});

test("keys assign, close, write a note and go to what is new, and never behind what is open", async () => {
  const id = await customer("By Keys", "+9647705564001");
  const { context, complaints } = await open(agent, { locale: "en" });
  const page = await context.newPage();
  await openConversation(page, id);
  await page.locator("#with").focus();
  await page.keyboard.press("m");
  await page.locator("#standing").getByText("Assigned to").waitFor();
  await page.locator("#with").focus();
  await page.keyboard.press("a");
  await page.locator("#give-to:focus").waitFor();
  await page.keyboard.press("Escape");
  equal(await page.locator("details.more-acts[open]").count(), 0, "Escape closes what is on top");
  ok(page.url().includes(id), "and nothing behind it");
  await page.keyboard.press("n");
  await page.keyboard.type("Only for the team");
  equal(await page.locator("#note").inputValue(), "Only for the team");
  await page.locator(".write-note button.main").click();
  await page.locator("#bubbles > li.note").getByText("Only for the team").waitFor();
  await page.locator("#with").focus();
  await page.keyboard.press("e");
  await page.locator("#standing").getByText("Closed").waitFor();
  const other = await customer("New By Keys", "+9647705564002");
  await page.locator(`#row-${other} .unread`).waitFor();
  await page.locator("#with").focus();
  await page.keyboard.press("u");
  await eventually("something new is open", async () => !page.url().includes(id));
  deepEqual(complaints.take(), []);
  await context.close();
});

test("what a member has just done is undone by one press, and by nobody else", async () => {
  const from = "+9647705565001";
  const id = await customer("Closed By Mistake", from);
  const agents = await open(agent, { locale: "en" });
  const page = await agents.context.newPage();
  await openConversation(page, id);
  await page.locator("#moves button[value=take]").click();
  await page.locator("#standing").getByText("Assigned to").waitFor();
  await page.locator("#moves button[value=close]").click();
  await page.locator("#standing").getByText("Closed").waitFor();
  const owners = await open(owner, { locale: "en" });
  const other = await owners.context.newPage();
  await openConversation(other, id);
  const undo = (/** @type {Page} */ of) => of.locator("#bubbles > li:last-child").getByRole("button", { name: "Undo" });
  await other.locator("#bubbles > li:last-child").getByText("Closed").waitFor();
  equal(await undo(other).count(), 0, "another member undoes nothing");
  await picture(page, "desk undo", "en-1280");
  await undo(page).click();
  await page.locator("#standing").getByText("Assigned to").waitFor();
  const before = page.locator("#bubbles").getByRole("button", { name: "Undo" });
  equal(await before.count(), 1, "the newest line alone can be undone");
  await network.writes(from, "Closed By Mistake", "Are you there?");
  await taken(page, "Are you there?").waitFor();
  await eventually("nothing is left to undo", async () => (await before.count()) === 0);
  deepEqual([agents.complaints.take(), owners.complaints.take()], [[], []]);
  await agents.context.close();
  await owners.context.close();
});

test("a menu closes by a press elsewhere, a picture opens over the page, and links in a message are links", async () => {
  const id = await conversationWith(CUSTOMER);
  await network.writes("+9647701110001", CUSTOMER, "see https://shop.example/a and call 0770 123 4567");
  const { context, complaints } = await open(agent, { locale: "en", viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await openConversation(page, id);
  const link = page.locator("#bubbles a[href='https://shop.example/a']");
  await link.waitFor();
  equal(await link.getAttribute("rel"), "noopener noreferrer");
  equal(await page.locator("#bubbles a[href='tel:07701234567']").count(), 1);
  equal(await page.locator("#bubbles a[href^='https://www.openstreetmap.org/']").count(), 1, "a place leads to a map");
  await page.locator("details.views > summary").click();
  await page.locator("#tabs").waitFor({ state: "visible" });
  await page.locator("#with").click();
  await page.locator("#tabs").waitFor({ state: "hidden" });
  await page.locator("details.emoji > summary").click();
  await page.locator(".emoji .panel button").first().click();
  equal(await composer(page).inputValue(), "😊");
  await composer(page).fill("");
  await page.locator("a[data-picture]").first().click();
  await page.locator("dialog.picture img").waitFor({ state: "visible" });
  await page.keyboard.press("Escape");
  await page.locator("dialog.picture").waitFor({ state: "detached" });
  ok(page.url().includes(id), "nothing behind it was closed");
  await page.locator(".person > summary").click();
  await page.reload();
  await composer(page).waitFor();
  equal(await page.locator(".person[open]").count(), 0, "what was folded stays so");
  await page.locator(".person > summary").click();
  deepEqual(complaints.take(), []);
  await context.close();
});
