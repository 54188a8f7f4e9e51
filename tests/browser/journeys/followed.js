// What pages of lists, logs and settings show of what others and the network do, while somebody looks.

import { deepEqual, equal } from "node:assert/strict";
import { test } from "node:test";

import { customer } from "../support/life.js";
import { eventually, network, open, owner } from "../support/stage.js";

/** @typedef {import("playwright-core").Locator} Locator */

/** @param {Locator} field */
const isAt = (field) => field.evaluate((element) => element === document.activeElement);

/** Complaints but for a page that is gone. @param {string[]} lines */
const others = (lines) => lines.filter((line) => !line.includes("status of 404"));

/** The business account of the workspace. */
async function account() {
  const { rows } = await owner.get("/accounts");
  return rows[0];
}

/**
 * The network judges a template.
 * @param {string} accountId
 * @param {string} status
 * @param {string} [reason]
 */
async function judge(accountId, status, reason = "NONE") {
  const row = {
    name: "followed_here",
    language: "en",
    status,
    category: "UTILITY",
    rejected_reason: reason,
    components: [{ type: "BODY", text: "Your parcel is here." }],
  };
  await network.control("PUT", "/templates", { accountId, notify: true, templates: [row] });
}

test("what the network says of a template is shown in the list and beside its form, and what is written stays", async () => {
  const { id, networkId } = await account();
  const { context, complaints } = await open(owner, { locale: "en" });
  const page = await context.newPage();
  await page.goto("/dashboard/settings/templates");
  await page.locator("#templates").waitFor();
  await judge(networkId, "APPROVED");
  const card = page.locator("#templates > section").filter({ hasText: "followed_here" });
  await card.waitFor();
  const button = card.locator("button.bad");
  await button.focus();
  await judge(networkId, "REJECTED", "PROMOTIONAL");
  await card.getByText("It advertises").waitFor();
  equal(await isAt(button), true);

  await card.locator("a.button").click();
  await page.locator("#standing").getByText("It advertises").waitFor();
  const body = page.locator("#body");
  await body.fill("Your parcel is he");
  await judge(networkId, "APPROVED");
  await page.locator("#standing .wrong").waitFor({ state: "detached" });
  deepEqual([await body.inputValue(), await isAt(body)], ["Your parcel is he", true]);

  const list = await context.newPage();
  await list.goto("/dashboard/settings/templates");
  const listed = list.locator("#templates > section").filter({ hasText: "followed_here" });
  await listed.waitFor();
  await owner.ask("DELETE", "/templates", { accountId: id, name: "followed_here", language: "en" });
  await listed.waitFor({ state: "detached" });
  await page.bringToFront();
  equal(await body.inputValue(), "Your parcel is he", "no word is lost though the template is gone");
  deepEqual(others(complaints.take()), []);
  await context.close();
});

test("an address whose page somebody looks at, and which is removed, is said to be gone", async () => {
  const { id } = await owner.post("/webhooks", { url: "http://127.0.0.1:9/gone", events: ["lead.captured"] });
  const { context, complaints } = await open(owner, { locale: "en" });
  const page = await context.newPage();
  await page.goto(`/dashboard/settings/webhooks/${id}`);
  await page.locator("#address").waitFor();
  await owner.ask("PATCH", `/webhooks/${id}`, { url: "http://127.0.0.1:9/moved" });
  await page.locator("h1").getByText("moved").waitFor();
  equal(await page.locator("#url").inputValue(), "http://127.0.0.1:9/moved");
  await owner.ask("DELETE", `/webhooks/${id}`);
  await page.locator("#address").waitFor({ state: "detached" });
  deepEqual(others(complaints.take()), []);
  await context.close();
});

test("the log of changes shows what is changed at its top", async () => {
  const { context, complaints } = await open(owner, { locale: "en" });
  const page = await context.newPage();
  await page.goto("/dashboard/settings/log");
  const first = page.locator("#change-rows tr").first();
  const before = await first.getAttribute("id");
  const choice = page.locator("#member");
  await choice.focus();
  const group = await owner.post("/groups", { name: "Followed group" });
  await eventually("a newer change stands first", async () => (await first.getAttribute("id")) !== before);
  await first.getByText("Followed group").first().waitFor();
  equal(await page.locator(`#${before}`).count(), 1, "the one before stands below it");
  equal(await isAt(choice), true);
  await owner.ask("DELETE", `/groups/${group.id}`);
  deepEqual(complaints.take(), []);
  await context.close();
});

test("a person's conversations are shown as they are closed, with the name that somebody gives the person", async () => {
  const id = await customer("Zahra Followed", "+9647704440171");
  const { rows } = await owner.get("/contacts?search=Zahra%20Followed");
  const contact = rows[0].contact.id;
  const { context, complaints } = await open(owner, { locale: "en" });
  const page = await context.newPage();
  await page.goto(`/dashboard/contacts/${contact}/conversations`);
  const row = page.locator(`#conversation-${id}`);
  const link = row.locator("a");
  await link.focus();
  const before = await row.textContent();
  await owner.ask("PATCH", `/contacts/${contact}`, { name: "Zahra Renamed" });
  await page.locator("h1").getByText("Zahra Renamed").waitFor();
  await owner.post(`/conversations/${id}/moves`, { do: "close" });
  await eventually("it is shown as closed", async () => (await row.textContent()) !== before);
  equal(await isAt(link), true);
  deepEqual(complaints.take(), []);
  await context.close();
});

test("an invitation that runs out is gone at that moment", async () => {
  const { invitation } = await owner.post("/invitations", { email: "late@rafidain.example", role: "agent" });
  const { context, complaints } = await open(owner, { locale: "en" });
  const page = await context.newPage();
  // It lasts for days: here it seems to end in a moment, and that somebody withdraws it is not heard.
  const soon = new Date(Date.now() + 5000).toISOString();
  const silence = { contentType: "text/event-stream", body: "retry: 600000\n\n" };
  await page.route("**/dashboard/api/events*", (route) => route.fulfill(silence));
  await page.route("**/dashboard/settings/team", async (route) => {
    const response = await route.fetch();
    const body = (await response.text()).replace(/data-until="[^"]+"/, `data-until="${soon}"`);
    await route.fulfill({ response, body });
  });
  const isAgain = (/** @type {import("playwright-core").Response} */ answer) =>
    answer.url().endsWith("/settings/team") && answer.request().resourceType() === "fetch";
  const again = page.waitForResponse(isAgain);
  await page.goto("/dashboard/settings/team");
  // As soon as it listens, the page is loaded once more.
  await again;
  const invited = page.locator("#invitations li").filter({ hasText: "late@rafidain.example" });
  await invited.waitFor();
  await owner.ask("DELETE", `/invitations/${invitation.id}`);
  await invited.waitFor({ state: "detached" });
  equal(Date.now() > Date.parse(soon), true, "and no sooner");
  deepEqual(complaints.take(), []);
  await context.close();
});

test("what another owner sets of the assistant and of the workspace is shown around what is written", async () => {
  const { mode, testNumbers, name, tone, instructions, facts, groupId, languages, dailyTokens, tools } = await owner.get("/assistant");
  const kept = { mode, testNumbers, name, tone, instructions, facts, groupId, languages, dailyTokens, tools };
  const { context, complaints } = await open(owner, { locale: "en" });
  const page = await context.newPage();
  await page.goto("/dashboard/settings/assistant");
  const written = page.locator("#instructions");
  await written.fill("Half of what it is to");
  await owner.put("/assistant", { ...kept, dailyTokens: dailyTokens + 7 });
  const daily = page.locator("#daily");
  await eventually("the new number is shown", async () => (await daily.inputValue()) === String(dailyTokens + 7));
  deepEqual([await written.inputValue(), await isAt(written)], ["Half of what it is to", true]);
  await owner.put("/assistant", kept);

  await page.goto("/dashboard/settings/workspace");
  const language = page.locator("#locale");
  const locale = await language.inputValue();
  await owner.ask("PATCH", "/workspace", { locale: "ar-IQ" });
  await eventually("the new language is shown", async () => (await language.inputValue()) === "ar-IQ");
  await owner.ask("PATCH", "/workspace", { locale });
  deepEqual(complaints.take(), []);
  await context.close();
});

test("a customer who writes for the first time is counted where somebody looks at what was used", async () => {
  const { context, complaints } = await open(owner, { locale: "en" });
  const page = await context.newPage();
  await page.goto("/dashboard/settings/usage");
  const active = page.locator("#used strong");
  const before = await active.textContent();
  await customer("Counted Here", "+9647704440172");
  await eventually("one more is counted", async () => (await active.textContent()) !== before);
  deepEqual(complaints.take(), []);
  await context.close();
});
