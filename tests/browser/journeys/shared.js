// What a page of settings shows of what others change there, around what somebody is writing.

import { deepEqual, equal, ok } from "node:assert/strict";
import { test } from "node:test";

import { composer, openConversation } from "../support/inbox.js";
import { ids } from "../support/life.js";
import { agent, eventually, join, open, owner } from "../support/stage.js";

/** @typedef {import("playwright-core").Locator} Locator */

/** @param {Locator} field */
const isAt = (field) => field.evaluate((element) => element === document.activeElement);

/** How far down in the window it is. @param {Locator} field */
const top = (field) => field.evaluate((element) => Math.round(element.getBoundingClientRect().top));

/** @param {string} path */
const remove = (path) => owner.ask("DELETE", path);

test("the team's page shows who is invited, joins, gets another role and leaves, while somebody writes there", async () => {
  const { context, complaints } = await open(owner, { locale: "en", viewport: { width: 1280, height: 500 } });
  const page = await context.newPage();
  await page.goto("/dashboard/settings/team");
  const email = page.locator("#email");
  await email.fill("half-of-an-addr");
  const { invitation } = await owner.post("/invitations", { email: "seen@rafidain.example", role: "agent" });
  const invited = page.locator("#invitations li").filter({ hasText: "seen@rafidain.example" });
  await invited.waitFor();
  await remove(`/invitations/${invitation.id}`);
  await invited.waitFor({ state: "detached" });

  const before = await top(email);
  const shared = await join("shared@rafidain.example", "Shared Page", "agent");
  const row = page.locator("#members tr").filter({ hasText: "Shared Page" });
  await row.locator("button[value=owner]").waitFor();
  ok(Math.abs((await top(email)) - before) <= 1, "what is written in stays where it is looked at");
  deepEqual([await email.inputValue(), await isAt(email)], ["half-of-an-addr", true]);

  const { member } = await shared.get("/me");
  await row.locator("button[value=owner]").focus();
  await owner.ask("PATCH", `/members/${member.id}`, { role: "owner" });
  await row.locator("button[value=agent]").waitFor();
  equal(await isAt(row), true, "no button that does something else has the focus, and the row has it");
  await remove(`/members/${member.id}`);
  await row.waitFor({ state: "detached" });
  equal(await email.inputValue(), "half-of-an-addr");
  deepEqual(complaints.take(), []);
  await context.close();
});

test("an owner is asked once before a member gets another role", async () => {
  const asked = await join("asked@rafidain.example", "Asked First", "agent");
  const { member } = await asked.get("/me");
  const { context, complaints } = await open(owner, { locale: "en" });
  const page = await context.newPage();
  await page.goto("/dashboard/settings/team");
  const row = page.locator(`#member-${member.id}`);
  // Whatever a page asks is answered with no.
  await row.locator("button[value=owner]").click();
  deepEqual(complaints.take(), ["/dashboard/settings/team: a dialog: Make an owner: Asked First?"]);
  equal((await asked.get("/me")).member.role, "agent");
  page.removeAllListeners("dialog");
  page.once("dialog", (dialog) => dialog.accept());
  await row.locator("button[value=owner]").click();
  await row.locator("button[value=agent]").waitFor();
  equal((await asked.get("/me")).member.role, "owner");
  await remove(`/members/${member.id}`);
  deepEqual(complaints.take(), []);
  await context.close();
});

test("a group that somebody renames stays as it is until they leave it, and others are shown meanwhile", async () => {
  const { member } = await agent.get("/me");
  const group = await owner.post("/groups", { name: "Shared group" });
  const { context, complaints } = await open(owner, { locale: "en" });
  const page = await context.newPage();
  await page.goto("/dashboard/settings/team");
  const card = page.locator(`#group-${group.id}`);
  const name = card.locator("[name=name]");
  await name.fill("Half of a na");
  await owner.ask("PUT", `/groups/${group.id}/members/${member.id}`);
  const other = await owner.post("/groups", { name: "Other group" });
  await page.locator(`#group-${other.id}`).waitFor();
  deepEqual([await name.inputValue(), await isAt(name)], ["Half of a na", true]);
  equal(await card.locator("button[name=out]").count(), 0);
  await name.fill("Shared group");
  await page.locator("#email").focus();
  await card.locator("button[name=out]").waitFor();
  for (const { id } of [group, other]) {
    await remove(`/groups/${id}`);
    await page.locator(`#group-${id}`).waitFor({ state: "detached" });
  }
  deepEqual(complaints.take(), []);
  await context.close();
});

test("keys that are made and revoked elsewhere are shown beside one that is being made", async () => {
  const { context, complaints } = await open(owner, { locale: "en" });
  const page = await context.newPage();
  await page.goto("/dashboard/settings/keys");
  await page.locator("#label").fill("Half of a la");
  await page.locator("input[name='contacts:read']").check();
  const { id } = await owner.post("/api-keys", { label: "Made elsewhere", scopes: ["contacts:read"] });
  const row = page.locator("#keys tr").filter({ hasText: "Made elsewhere" });
  await row.locator("button").waitFor();
  await remove(`/api-keys/${id}`);
  await row.locator("button").waitFor({ state: "detached" });
  await row.getByText("Revoked").waitFor();
  equal(await page.locator("#label").inputValue(), "Half of a la");
  equal(await page.locator("input[name='contacts:read']").isChecked(), true);
  deepEqual(complaints.take(), []);
  await context.close();
});

test("canned replies are shown as others write them, and no word is lost where one is removed", async () => {
  const first = await owner.post("/canned-replies", { shortcut: "shared-one", text: "The first" });
  const second = await owner.post("/canned-replies", { shortcut: "shared-two", text: "The second" });
  const { context, complaints } = await open(agent, { locale: "en" });
  const page = await context.newPage();
  await page.goto("/dashboard/canned-replies");
  const text = (/** @type {{ id: string }} */ reply) => page.locator(`#reply-${reply.id} textarea`);
  await text(first).fill("The first, half of it");
  await owner.put(`/canned-replies/${second.id}`, { shortcut: "shared-two", text: "The second, anew" });
  await eventually("the other is shown anew", async () => (await text(second).inputValue()) === "The second, anew");
  await owner.put(`/canned-replies/${first.id}`, { shortcut: "shared-one", text: "The first, anew" });
  const third = await owner.post("/canned-replies", { shortcut: "shared-three", text: "The third" });
  await text(third).waitFor();
  deepEqual([await text(first).inputValue(), await isAt(text(first))], ["The first, half of it", true]);

  await remove(`/canned-replies/${first.id}`);
  await remove(`/canned-replies/${third.id}`);
  await text(third).waitFor({ state: "detached" });
  deepEqual([await text(first).inputValue(), await isAt(text(first))], ["The first, half of it", true]);
  await page.locator(`#reply-${first.id} button[value=save]`).click();
  await page.locator(".sheet [role=alert]").waitFor();
  equal(await page.locator("#canned-text").inputValue(), "The first, half of it", "it can be added anew");
  await remove(`/canned-replies/${second.id}`);
  await text(second).waitFor({ state: "detached" });
  equal(await page.locator("#canned-text").inputValue(), "The first, half of it");
  deepEqual(complaints.take(), []);
  await context.close();
});

test("a canned reply that is written while somebody is in a conversation is offered there", async () => {
  const { context, complaints } = await open(agent, { locale: "en" });
  const page = await context.newPage();
  await openConversation(page, ids.conversation);
  await composer(page).fill("/shared-la");
  const reply = await owner.post("/canned-replies", { shortcut: "shared-late", text: "Written just now" });
  const link = page.locator("[data-canned] a[data-shortcut=shared-late]");
  await link.waitFor();
  equal(await link.getAttribute("aria-current"), "true", "it is narrowed down as the ones before were");
  equal(await page.locator("[data-canned] a[data-shortcut=hours]").isVisible(), false);
  await composer(page).press("Tab");
  equal(await composer(page).inputValue(), "Written just now");
  await remove(`/canned-replies/${reply.id}`);
  await link.waitFor({ state: "detached" });
  equal(await composer(page).inputValue(), "Written just now");
  await composer(page).fill("");
  deepEqual(complaints.take(), []);
  await context.close();
});

test("a rule that is switched off elsewhere is shown so and stays open, and one that is written stays as it is", async () => {
  const rule = { when: { words: ["shared"] }, then: [{ do: "close" }] };
  const added = await owner.post("/automations", { name: "Shared rule", enabled: true, rule });
  const { context, complaints } = await open(owner, { locale: "en" });
  const page = await context.newPage();
  await page.goto("/dashboard/settings/automations");
  const section = page.locator(`#rule-${added.id}`);
  await section.locator("summary").click();
  await section.locator("button[value=off]").waitFor();
  await owner.put(`/automations/${added.id}`, { name: "Shared rule", enabled: false, rule });
  await section.locator("button[value=on]").waitFor();
  equal(await section.locator("details").evaluate((details) => /** @type {HTMLDetailsElement} */ (details).open), true);

  const name = section.locator("[name=name]");
  await name.fill("Half of a ru");
  await page.locator("#new-name").fill("Another, half");
  await owner.put(`/automations/${added.id}`, { name: "Shared rule", enabled: true, rule });
  const other = await owner.post("/automations", { name: "Other rule", enabled: false, rule });
  await page.locator(`#rule-${other.id}`).waitFor();
  deepEqual([await name.inputValue(), await page.locator("#new-name").inputValue()], ["Half of a ru", "Another, half"]);
  for (const { id } of [added, other]) await remove(`/automations/${id}`);
  await page.locator(`#rule-${other.id}`).waitFor({ state: "detached" });
  equal(await name.inputValue(), "Half of a ru", "what is written stays, though its rule is gone");
  deepEqual(complaints.take(), []);
  await context.close();
});

test("the directory shows who is added and how they are called, and who was ticked stays ticked", async () => {
  const { context, complaints } = await open(owner, { locale: "en" });
  const page = await context.newPage();
  await page.goto("/dashboard/contacts?search=Zubaida");
  await page.locator("#nobody").waitFor();
  await page.locator("#phone").fill("0770 1");
  const { id } = await owner.post("/contacts", { phone: "+9647705550171", name: "Zubaida Shared" });
  const row = page.locator(`#person-${id}`);
  await row.waitFor();
  await row.locator("input.choice").check();
  await owner.ask("PATCH", `/contacts/${id}`, { name: "Zubaida Renamed" });
  await row.getByText("Zubaida Renamed").waitFor();
  equal(await row.locator("input.choice").isChecked(), true);
  await page.locator("#ticked button").waitFor();
  equal(await page.locator("#phone").inputValue(), "0770 1");
  deepEqual(complaints.take(), []);
  await context.close();
});

test("whoever is no owner any more is told so by the page that they look at", async () => {
  const other = await join("no-longer@rafidain.example", "No Longer", "owner");
  const { member } = await other.get("/me");
  const { context, complaints } = await open(other, { locale: "en" });
  const page = await context.newPage();
  await page.goto("/dashboard/settings/keys");
  await page.locator("#keys").waitFor();
  await owner.ask("PATCH", `/members/${member.id}`, { role: "agent" });
  await page.locator("#keys").waitFor({ state: "detached" });
  ok(((await page.locator("h1").first().textContent()) ?? "").length > 5, "the page says so");
  deepEqual(complaints.take(), []);
  await context.close();
  await remove(`/members/${member.id}`);
});
