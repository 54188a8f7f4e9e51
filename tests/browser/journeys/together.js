// Two members and a customer at once: all see the same.

import { deepEqual, equal } from "node:assert/strict";
import { test } from "node:test";

import { composer, openConversation, taken } from "../support/inbox.js";
import { agent, eventually, network, open, owner } from "../support/stage.js";

test("two members and a phone see the same conversation as it goes on", async () => {
  const street = await open(undefined, { baseURL: network.url });
  const phones = await street.context.newPage();
  await phones.goto("/phones");
  await phones.locator("#add [name=place] option").first().waitFor({ state: "attached" });
  await phones.locator("#add [name=name]").fill("Zainab Street");
  await phones.locator("#add button").first().click();
  const phone = phones.locator(".phone").filter({ hasText: "Zainab Street" });
  const write = async (/** @type {string} */ text) => {
    await phone.locator("textarea").fill(text);
    await phone.locator("textarea").press("Enter");
  };
  await write("Is anybody there?");
  const id = await eventually("she has written", () => owner.conversationWith("Zainab Street"));

  const seats = await Promise.all([open(owner, { locale: "en" }), open(agent, { locale: "ar" })]);
  const [first, second] = await Promise.all(seats.map(({ context }) => context.newPage()));
  if (!first || !second) throw new Error("two windows were opened");
  await Promise.all([first, second].map((page) => openConversation(page, id)));

  await composer(first).fill("Yes, the owner is.");
  await composer(first).press("Enter");
  await taken(second, "Yes, the owner is.").waitFor();
  await phone.getByText("Yes, the owner is.").waitFor();
  await composer(second).fill("نعم، وأنا أيضا");
  await composer(second).press("Enter");
  await taken(first, "نعم، وأنا أيضا").waitFor();
  await phone.getByText("نعم، وأنا أيضا").waitFor();
  await write("Good, thank you both");
  await Promise.all([first, second].map((page) => taken(page, "Good, thank you both").waitFor()));

  const texts = (/** @type {import("playwright-core").Page} */ page) =>
    page.locator("#bubbles > li[id^=message-] .text").allTextContents();
  const wanted = ["Is anybody there?", "Yes, the owner is.", "نعم، وأنا أيضا", "Good, thank you both"];
  const talk = (/** @type {string[]} */ all) => all.filter((text) => wanted.includes(text));
  deepEqual([talk(await texts(first)), talk(await texts(second))], [wanted, wanted]);
  const onPhone = await phone.locator("li .text").allTextContents();
  deepEqual(onPhone.toSorted(), wanted.toSorted());
  equal(await first.locator("#bubbles > li.pending").count(), 0);
  for (const { context, complaints } of [...seats, street]) {
    deepEqual(complaints.take(), []);
    await context.close();
  }
});

test("what a member reads in one browser is read in their other one, and not by anybody else", async () => {
  await network.writes("+9647703330002", "Read Once", "Who has read me?");
  const id = await eventually("they have written", () => owner.conversationWith("Read Once"));
  const seats = await Promise.all([open(agent), open(agent), open(owner)]);
  const [here, there, others] = await Promise.all(seats.map(({ context }) => context.newPage()));
  if (!here || !there || !others) throw new Error("three windows were opened");
  const mark = (/** @type {import("playwright-core").Page} */ page) => page.locator(`#row-${id} .unread`);
  for (const page of [there, others]) {
    await page.goto("/dashboard/inbox");
    await mark(page).waitFor();
  }
  await openConversation(here, id);
  await mark(there).waitFor({ state: "detached" });
  equal(await mark(others).count(), 1);
  for (const { context, complaints } of seats) {
    deepEqual(complaints.take(), []);
    await context.close();
  }
});

test("a mention that a member looks at in one browser is gone from their other one", async () => {
  await network.writes("+9647703330003", "Mentioned Once", "Who is asked?");
  const id = await eventually("they have written", () => owner.conversationWith("Mentioned Once"));
  const { member } = await agent.get("/me");
  const { data } = await agent.get(`/conversations/${id}/messages`);
  await agent.put(`/conversations/${id}/seen`, { messageId: data[0].id });
  await owner.post(`/conversations/${id}/notes`, { text: "Please ask the stock", mentions: [member.id] });
  const seats = await Promise.all([open(agent), open(agent)]);
  const [here, there] = await Promise.all(seats.map(({ context }) => context.newPage()));
  if (!here || !there) throw new Error("two windows were opened");
  await there.goto("/dashboard/inbox");
  const mention = there.locator(`#mentions a[href*="${id}"]`);
  await mention.waitFor({ state: "attached" });
  await openConversation(here, id);
  await mention.waitFor({ state: "detached" });
  for (const { context, complaints } of seats) {
    deepEqual(complaints.take(), []);
    await context.close();
  }
});

test("what one member does to a conversation the other sees, and one who takes it is shown", async () => {
  await network.writes("+9647703330001", "Shared Out", "Whose am I?");
  const id = await eventually("they have written", () => owner.conversationWith("Shared Out"));
  const [first, second] = await Promise.all([open(owner), open(agent)]);
  const pages = await Promise.all([first.context.newPage(), second.context.newPage()]);
  await Promise.all(pages.map((page) => openConversation(page, id)));
  const [owners, agents] = pages;
  await agents.locator("#moves button[value=take]").click();
  await agents.waitForLoadState();
  const holder = (await agent.get("/me")).member;
  await owners.locator("#standing").getByText(holder.name ?? holder.email).waitFor();
  deepEqual([...first.complaints.take(), ...second.complaints.take()], []);
  await Promise.all([first.context.close(), second.context.close()]);
});
