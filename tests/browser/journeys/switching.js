// One conversation after the other, without the page being loaded anew.

import { deepEqual, equal, ok } from "node:assert/strict";
import { test } from "node:test";

import { bubbles, composer, taken, writes } from "../support/inbox.js";
import { customer } from "../support/life.js";
import { eventually, join, network, open, owner } from "../support/stage.js";
import { holdAnswers, holdRequests, isMarked, row, shows, two } from "../support/two.js";

test("a row leads to its conversation without a load, and the browser's way goes back and forth", async () => {
  const { first, second, numbers, context, complaints, page } = await two("Switched", "+9647705010001");
  await composer(page).fill("A draft for the first");
  await row(page, second).click();
  await shows(page, second);
  equal(new URL(page.url()).pathname, `/dashboard/inbox/${second}`);
  ok((await page.title()).includes("Switched Second"), await page.title());
  equal(await row(page, second).getAttribute("aria-current"), "true");
  equal(await row(page, first).getAttribute("aria-current"), null);
  equal(await composer(page).inputValue(), "", "each conversation has its own draft");
  equal(await page.evaluate(() => document.activeElement?.id), "with", "the heading has the focus");
  await network.writes(numbers[1] ?? "", "Switched Second", "Said to the second");
  await taken(page, "Said to the second").waitFor();
  await composer(page).fill("An answer to the second");
  await composer(page).press("Enter");
  await taken(page, "An answer to the second").waitFor();

  await page.goBack();
  await shows(page, first);
  equal(await composer(page).inputValue(), "A draft for the first");
  equal(await bubbles(page, "An answer to the second").count(), 0);
  await page.goForward();
  await shows(page, second);
  await taken(page, "An answer to the second").waitFor();
  await page.keyboard.press("Escape");
  await page.locator("main > .choose").waitFor({ state: "attached" });
  equal(new URL(page.url()).pathname, "/dashboard/inbox");
  equal(await page.evaluate(() => document.activeElement?.closest("li")?.id), `row-${second}`, "its row has the focus");
  ok(await isMarked(page), "nothing was loaded anew");
  deepEqual(complaints.take(), []);
  await context.close();
});

test("on a phone a conversation and the list take each other's place without a load", async () => {
  const { first, second, context, complaints, page } = await two("Pocket", "+9647705010011", { viewport: { width: 390, height: 800 } });
  await page.locator(".conversation .back").click();
  await row(page, second).click();
  await shows(page, second);
  ok(await composer(page).isVisible());
  equal(await row(page, first).isVisible(), false, "the list has made room");
  ok(await isMarked(page));
  deepEqual(complaints.take(), []);
  await context.close();
});

test("who looks at a conversation is told of the one that is shown, and of no other", async () => {
  const { first, second, context, complaints, page } = await two("Looked At", "+9647705010021");
  const present = async (/** @type {string} */ id) => (await owner.get(`/conversations/${id}/presence`)).rows.length;
  await eventually("the first is looked at", async () => (await present(first)) === 1);
  await row(page, second).click();
  await shows(page, second);
  await eventually("the second is looked at", async () => (await present(second)) === 1);
  await eventually("the first is not", async () => (await present(first)) === 0);
  deepEqual(complaints.take(), []);
  await context.close();
});

test("an answer that is still on its way when another conversation is opened is nowhere but in its own, and once", async () => {
  const { first, second, numbers, context, complaints, page } = await two("Late", "+9647705010031");
  const go = await holdAnswers(page, `**/dashboard/inbox/${first}/reply*`);
  await composer(page).fill("Answered late");
  await composer(page).press("Enter");
  await bubbles(page, "Answered late").waitFor();
  await row(page, second).click();
  await shows(page, second);
  equal(await bubbles(page, "Answered late").count(), 0);
  await row(page, first).click();
  await shows(page, first);
  go();
  await taken(page, "Answered late").waitFor();
  await page.locator("#bubbles > li.pending").waitFor({ state: "detached" });
  equal(await bubbles(page, "Answered late").count(), 1);
  await network.settled();
  const lines = await network.chat((numbers[0] ?? "").slice(1));
  equal(lines.filter((line) => line.text === "Answered late").length, 1);
  deepEqual(complaints.take(), []);
  await context.close();
});

test("of two rows that are pressed one after the other, the second is shown", async () => {
  const { first, second, context, complaints, page } = await two("Hasty", "+9647705010041");
  const third = await customer("Hasty Third", "+9647705010045");
  await row(page, third).waitFor();
  const go = await holdRequests(page, `**/dashboard/inbox/${second}*`);
  await row(page, second).click();
  await page.locator("main[aria-busy=true]").waitFor();
  await row(page, third).click();
  await shows(page, third);
  go();
  await page.goBack();
  await shows(page, first);
  ok(await isMarked(page));
  deepEqual(complaints.take(), []);
  await context.close();
});

test("where the next conversation does not come, the browser's own page says so", async () => {
  const { second, context, page } = await two("Away", "+9647705010051");
  await page.route(`**/dashboard/inbox/${second}*`, (route) => route.fulfill({ status: 503, contentType: "text/plain", body: "away" }));
  await row(page, second).click();
  await page.waitForURL(`**/dashboard/inbox/${second}*`);
  await page.getByText("away").waitFor();
  await context.close();
});

test("whoever presses a row while nothing answers stays where they are, is told so, and gets there when it is back", async () => {
  const { first, second, context, page } = await two("No Answer", "+9647705010055");
  await composer(page).fill("Half an answer");
  await context.setOffline(true);
  await row(page, second).click();
  await page.locator("[data-offline]").waitFor({ state: "visible" });
  await page.locator("main:not([aria-busy=true])").waitFor();
  await shows(page, first);
  equal(new URL(page.url()).pathname, `/dashboard/inbox/${first}`);
  await context.setOffline(false);
  await page.locator("[data-offline]").waitFor({ state: "hidden" });
  await row(page, second).click();
  await shows(page, second);
  ok(await isMarked(page), "nothing was loaded anew");
  await page.goBack();
  await shows(page, first);
  equal(await composer(page).inputValue(), "Half an answer");
  await context.close();
});

test("a form that is sent while nothing answers stays with what was typed, and is taken when it is back", async () => {
  const { first, context, page } = await two("Unsent Form", "+9647705010057");
  const note = page.locator("#note");
  await writes(page, "note");
  await note.fill("Calls again on Monday");
  await context.setOffline(true);
  await page.locator("[data-offline]").waitFor({ state: "visible" });
  await page.locator("form.write-note button.main").click();
  await page.locator("#moves button").first().click();
  await page.waitForTimeout(500);
  await shows(page, first);
  ok(await isMarked(page), "the page is still there");
  equal(await note.inputValue(), "Calls again on Monday");
  await context.setOffline(false);
  await page.locator("[data-offline]").waitFor({ state: "hidden" });
  await page.locator("form.write-note button.main").click();
  await bubbles(page, "Calls again on Monday").waitFor();
  equal(await note.inputValue(), "", "it is written once");
  equal(await bubbles(page, "Calls again on Monday").count(), 1);
  await context.close();
});

test("whoever's session has ended is led to sign in, and back to the conversation that they wanted", async () => {
  const wanted = await customer("Wanted Next", "+9647705010061");
  const other = await customer("Shown Now", "+9647705010062");
  const member = await join("switcher@rafidain.example", "Switcher", "agent");
  const { context } = await open(member);
  const page = await context.newPage();
  await page.goto(`/dashboard/inbox/${other}`, { waitUntil: "load" });
  await shows(page, other);
  await context.clearCookies();
  await row(page, wanted).click();
  await page.waitForURL("**/dashboard/sign-in*");
  ok(page.url().includes(encodeURIComponent(`/dashboard/inbox/${wanted}`)), page.url());
  await context.close();
});

test("whoever goes back and forth before a conversation has come stays on the one that is shown", async () => {
  const { first, second, numbers, context, complaints, page } = await two("Undecided", "+9647705010071");
  await row(page, second).click();
  await shows(page, second);
  const go = await holdRequests(page, `**/dashboard/inbox/${first}*`);
  // What comes meanwhile has the page load where it will be, which is shown in no other conversation's place.
  await page.evaluate(() => history.back());
  await page.locator("main[aria-busy=true]").waitFor();
  await page.evaluate(() => history.forward());
  await page.locator("main[aria-busy=false]").waitFor();
  go();
  await network.writes(numbers[1] ?? "", "Undecided Second", "Said to the second again");
  await taken(page, "Said to the second again").waitFor();
  equal(await page.locator("form[data-compose]").getAttribute("data-compose"), second);
  equal(new URL(page.url()).pathname, `/dashboard/inbox/${second}`);
  deepEqual(complaints.take(), []);
  await context.close();
});

test("a note that is half written is there again for whoever goes back", async () => {
  const { second, context, complaints, page } = await two("Noted", "+9647705010081");
  await writes(page, "note");
  await page.locator("#note").fill("Half a note");
  await row(page, second).click();
  await shows(page, second);
  equal(await isMarked(page), false, "it was a load");
  await page.goBack();
  await page.waitForFunction(() => /** @type {HTMLTextAreaElement | null} */ (document.getElementById("note"))?.value === "Half a note");
  deepEqual(complaints.take(), []);
  await context.close();
});

test("whoever signs in as somebody else in another window is shown a page of their own", async () => {
  const { first, second, context, page } = await two("Shared Desk", "+9647705010091");
  const member = await join("deskmate@rafidain.example", "Deskmate", "agent");
  const { context: other } = await open(member);
  const cookies = await other.cookies();
  await context.addCookies(cookies);
  await row(page, second).click();
  await shows(page, second);
  equal(await isMarked(page), false, "it was a load");
  const { member: me } = await member.get("/me");
  equal(await page.locator("html").getAttribute("data-member"), me.id);
  ok(first);
  await other.close();
  await context.close();
});

test("whoever is on the way to a conversation gets there, though the page hears meanwhile that somebody else has signed in", async () => {
  const { first, second, context, page } = await two("Handed Desk", "+9647705010191");
  const member = await join("nextdesk@rafidain.example", "Next Desk", "agent");
  const { context: other } = await open(member);
  await context.addCookies(await other.cookies());
  const go = await holdRequests(page, `**/dashboard/inbox/${second}*`);
  await row(page, second).click();
  await page.locator("main[aria-busy=true]").waitFor();
  const heard = page.waitForResponse((answer) => new URL(answer.url()).pathname === `/dashboard/inbox/${first}`);
  await page.evaluate(() => document.dispatchEvent(new Event("stale")));
  await (await heard).finished();
  // By then it has read what it heard.
  for (let frame = 0; frame < 3; frame += 1) await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(drawn)));
  go();
  await shows(page, second);
  await other.close();
  await context.close();
});
