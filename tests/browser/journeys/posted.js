// Pages that only a form's post answers with, and what the network's dialog leads back to: what every other page is held
// to, they are too. Two modes are enough, as the rest of these pages is looked at in all of them.

import { createHmac } from "node:crypto";
import { deepEqual, equal, ok } from "node:assert/strict";
import { test } from "node:test";

import { ids } from "../support/life.js";
import { looksRight, picture } from "../support/look.js";
import { join, open, owner } from "../support/stage.js";

/** @typedef {import("playwright-core").Page} Page */

/**
 * @typedef {object} Post
 * @property {string} path Below `/dashboard`.
 * @property {Record<string, string>} fields
 * @property {number} status What it is answered with.
 * @property {string} [shows] What the answer has; why it was refused where nothing is said.
 * @property {string} [at] The field that it is told at why it was refused.
 */

const MODES = /** @type {const} */ ([
  { language: "ar", scheme: "dark", width: 390 },
  { language: "en", scheme: "light", width: 1280 },
]);

/** Where nobody listens. */
const NOBODY = "http://127.0.0.1:9/posted";
const TOLD = "[role=status]";

/**
 * Posts fields from a page of the service, as a form does without a script.
 * @param {Page} page
 * @param {string} path
 * @param {Record<string, string>} fields
 */
async function post(page, path, fields) {
  const answered = page.waitForNavigation({ waitUntil: "load" });
  await page.evaluate(
    ({ path, fields }) => {
      const form = document.createElement("form");
      form.method = "post";
      form.action = path;
      for (const [name, value] of Object.entries(fields)) {
        const input = document.createElement("input");
        Object.assign(input, { type: "hidden", name, value });
        form.append(input);
      }
      document.body.append(form);
      form.submit();
    },
    { path: `/dashboard${path}`, fields },
  );
  return (await answered)?.status();
}

/** The posts of somebody who is not signed in. @param {string} token Of an invitation. @returns {Post[]} */
const ofAnybody = (token) => [
  { path: "/sign-in", fields: { email: "nobody@rafidain.example", password: "wrong" }, status: 422 },
  { path: "/password-reset", fields: { token: "none" }, status: 422 },
  { path: "/invitation", fields: { token: "none" }, status: 422 },
  { path: "/invitation", fields: { token }, status: 200, shows: "input[name=password]" },
  { path: "/invitation/accept", fields: { token, name: "", password: "short" }, status: 422, shows: "main form" },
  { path: "/forgotten-password", fields: { email: "nobody@rafidain.example" }, status: 422 },
];

/** @param {string} rule Its id. @returns {Post[]} */
const ofRules = (rule) => [
  { path: "/settings/automations", fields: { name: "", "do-1": "close" }, status: 422, at: "name" },
  { path: "/settings/automations", fields: { name: "No such step", "do-1": "group:none", words: "one\ntwo" }, status: 422, at: "do-1" },
  { path: `/settings/automations/${rule}`, fields: { do: "save", name: "", "do-1": "close" }, status: 422, shows: "details[open] textarea" },
  {
    path: "/settings/automations/settings",
    fields: { "has-hours": "on", zone: "Nowhere", "saturday-1-opens": "09:00", "saturday-1-closes": "" },
    status: 422,
  },
];

/** @type {Post[]} */
const OF_ASSISTANT = [
  { path: "/settings/assistant", fields: { mode: "off", languages: "ar,en", "daily-tokens": "many" }, status: 422, at: "daily-tokens" },
  {
    path: "/settings/assistant",
    fields: { mode: "test", languages: "ar,en", "daily-tokens": "1000", "test-numbers": "nobody", "fact-title-1": "x" },
    status: 422,
  },
  {
    path: "/settings/assistant",
    fields: { mode: "off", languages: "ar,en", "daily-tokens": "1000", "wordings-ar": "[greet]\nاتصلوا 0770" },
    status: 422,
    at: "wordings-ar",
  },
  { path: "/settings/assistant", fields: { do: "keep-key", key: "no key" }, status: 422 },
  { path: "/settings/assistant/try", fields: { history: "", say: "" }, status: 422 },
  { path: "/settings/assistant/questions", fields: { do: "add", text: "", expects: "answer" }, status: 422, at: "text" },
  {
    path: "/settings/assistant/questions",
    fields: { do: "add", text: "كم السعر؟", expects: "hand_over", must: "25,000" },
    status: 422,
    at: "must",
  },
  { path: "/settings/assistant/questions", fields: { do: "paste", pasted: "x".repeat(501) }, status: 422, at: "pasted" },
  { path: "/settings/assistant/try", fields: { history: "", say: "بكم الحفاضات؟" }, status: 200, shows: "ol.chat" },
  { path: "/settings/assistant/try", fields: { do: "say", acts: "[]", evidence: "{}", language: "ar" }, status: 422, at: "acts" },
  {
    path: "/settings/assistant/try",
    fields: { do: "say", acts: '[{"act":"greet"},{"act":"cite","fact":"f1"}]', evidence: '{"facts":[{"id":"f1","text":"x"}]}', language: "ar" },
    status: 200,
    shows: "#worded",
  },
];

/** What is done about a conversation and the person in it. @param {string} key @returns {Post[]} */
const ofConversation = (key) => {
  const inbox = `/inbox/${ids.conversation}`;
  const name = "x".repeat(201);
  return [
    { path: `${inbox}/order`, fields: { key, product: "1001", variant: "1001-3", quantity: "0", name: "سارة" }, status: 422, shows: "#variant" },
    { path: `${inbox}/booking`, fields: { key, slot: "", name: "", phone: "nobody" }, status: 422 },
    { path: `${inbox}/template`, fields: { key, template: "none", language: "ar" }, status: 422 },
    { path: `/contacts/${ids.contact}/name`, fields: { name }, status: 422, at: "name" },
    { path: `/contacts/${ids.contact}/template`, fields: { key, template: "none", language: "ar" }, status: 422 },
    { path: `${inbox}/notes`, fields: { text: " " }, status: 422 },
    { path: `${inbox}/tags`, fields: { add: name }, status: 422 },
    { path: `${inbox}/name`, fields: { name }, status: 422 },
  ];
};

/** @param {string} address Of webhooks. @param {string} language @returns {Post[]} */
const ofOwner = (address, language) => [
  { path: "/settings/keys", fields: { label: "Seen once", "contacts:read": "on" }, status: 200, shows: `${TOLD} code` },
  { path: "/settings/keys", fields: {}, status: 422, at: "label" },
  { path: "/settings/webhooks", fields: { url: `${NOBODY}/${language}`, "lead.captured": "on" }, status: 200, shows: `${TOLD} code` },
  { path: "/settings/webhooks", fields: { url: NOBODY, "lead.captured": "on" }, status: 422, at: "url" },
  { path: "/settings/webhooks", fields: { url: "http://10.0.0.1/events", "lead.captured": "on" }, status: 422, at: "url" },
  { path: address, fields: { do: "rotate" }, status: 200, shows: `${TOLD} code` },
  { path: address, fields: { do: "ping" }, status: 200, shows: TOLD },
  { path: address, fields: { do: "set", url: NOBODY }, status: 422, at: "conversation.created" },
  { path: address, fields: { do: "window", since: "2026-01-02T10:00", until: "2026-01-01T10:00" }, status: 422, at: "until" },
  { path: "/profile", fields: { do: "rename", name: "" }, status: 422, at: "name" },
  { path: "/settings/team/invitations", fields: { email: "nobody", role: "agent" }, status: 422, at: "email" },
  {
    path: "/settings/team/invitations",
    fields: { email: `posted-${language}@rafidain.example`, role: "agent" },
    status: 200,
    shows: `${TOLD} code`,
  },
  {
    path: "/settings/workspace",
    fields: { do: "settings", name: "Rafidain", locale: "ar", region: "IQ", "time-zone": "Asia/Baghdat" },
    status: 422,
    at: "time-zone",
  },
  { path: "/settings/system", fields: { do: "connect", base: "shop.example", secret: "" }, status: 422, at: "base" },
  { path: "/settings/channels/open", fields: { token: "another" }, status: 422 },
  { path: "/settings/channels/accounts", fields: { "network-id": "1", token: "another" }, status: 422 },
  { path: "/settings/templates/write", fields: { do: "preview", name: "Not Allowed", body: "" }, status: 422, shows: "main form" },
  { path: "/contacts", fields: { phone: "12", name: "Short" }, status: 422, at: "phone" },
  { path: "/contacts/import", fields: { rows: "" }, status: 422, at: "rows" },
  { path: "/canned-replies", fields: { shortcut: "not one word", text: "What was typed" }, status: 422, at: "shortcut" },
  { path: "/broadcasts/lists", fields: { name: "Posted", rows: "city\nErbil\n" }, status: 422 },
  {
    path: "/broadcasts/lists",
    fields: { name: "Posted", rows: "phone,City\n07801000001,Erbil\nnobody,Basra\n" },
    status: 200,
    shows: `${TOLD} tbody tr`,
  },
  { path: "/broadcasts/prices", fields: { currency: "none" }, status: 422, at: "currency" },
  { path: "/broadcasts/new", fields: { name: "", template: "store_hours" }, status: 422, at: "name" },
  { path: `/broadcasts/${ids.broadcast}/start`, fields: { at: "2099-01-01T10:00", zone: "Asia/Nowhere" }, status: 422, at: "zone" },
  { path: "/settings/team/groups", fields: { name: "" }, status: 422, at: "name" },
  { path: "/inbox/moves", fields: { do: "take" }, status: 422 },
  { path: `/inbox/${ids.conversation}/reply`, fields: { key: `posted-${language}`, text: "x".repeat(5000) }, status: 422 },
];

/**
 * What is wrong with what posts are answered with, one line for each.
 * @param {Awaited<ReturnType<typeof open>>} seat
 * @param {string} from
 * @param {Post[]} posts
 */
async function looked({ context, complaints }, from, posts) {
  const page = await context.newPage();
  await page.goto(from);
  /** @type {string[]} */
  const wrong = [];
  for (const [number, { path, fields, status, shows = "[role=alert]", at }] of posts.entries()) {
    const what = `${path} ${JSON.stringify(fields).slice(0, 80)}`;
    const answered = await post(page, path, fields);
    if (answered !== status) wrong.push(`${what}: ${answered}`);
    if ((await page.locator(shows).count()) === 0) wrong.push(`${what}: it has no ${shows}`);
    // Browsers give a field the focus right after the page has come.
    const field = at && page.locator(`form:has(#why) [name="${at}"][aria-invalid=true][aria-describedby^=why]:focus`);
    if (field) await field.waitFor({ timeout: 5_000 }).catch(() => wrong.push(`${what}: it is not told at ${at}`));
    await looksRight(page, complaints).catch((error) => wrong.push(`${what}: ${error.message}`));
    await picture(page, `posted${path}`, `${number}-${page.viewportSize()?.width}`);
  }
  await context.close();
  return wrong;
}

/** The six digits that an authenticator shows now. @param {string} secret In base32. */
function codeOf(secret) {
  const bits = [...secret].map((letter) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter).toString(2).padStart(5, "0")).join("");
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const moment = Buffer.alloc(8);
  moment.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)));
  const hash = createHmac("sha1", key).update(moment).digest();
  const at = hash.readUInt8(hash.length - 1) & 15;
  return String((hash.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}

for (const { language, scheme, width } of MODES) {
  const options = { locale: language, colorScheme: scheme, viewport: { width, height: 844 } };

  test(`what posts are answered with looks right (${language}, ${width} px)`, async () => {
    const { link } = await owner.post("/invitations", { email: `asked-${language}@rafidain.example`, role: "agent" });
    const token = new URL(link).hash.slice(1);
    const { id } = await owner.post("/webhooks", { url: NOBODY, events: ["lead.captured"] });
    const wrong = await looked(await open(undefined, options), "/dashboard/sign-in", ofAnybody(token));
    const rule = { when: { words: ["posted"] }, then: [{ do: "close" }] };
    const added = await owner.post("/automations", { name: `Posted ${language}`, enabled: false, rule });
    const posts = [...ofOwner(`/settings/webhooks/${id}`, language), ...ofRules(added.id), ...OF_ASSISTANT];
    posts.push(...ofConversation(`posted-more-${language}`));
    wrong.push(...(await looked(await open(owner, options), "/dashboard/profile", posts)));
    await owner.ask("DELETE", `/automations/${added.id}`);
    for (const { id } of (await owner.get("/webhooks")).rows.filter((/** @type {any} */ row) => row.url.startsWith(NOBODY))) {
      await owner.ask("DELETE", `/webhooks/${id}`);
    }
    for (const { id } of (await owner.get("/broadcast-lists")).rows.filter((/** @type {any} */ row) => row.name === "Posted")) {
      await owner.ask("DELETE", `/broadcast-lists/${id}`);
    }
    deepEqual(wrong, []);
  });

  test(`a day is given the hours of the day before, and nothing is saved yet (${language}, ${width} px)`, async () => {
    const { context, complaints } = await open(owner, options);
    const page = await context.newPage();
    await page.goto("/dashboard/settings/automations");
    await page.locator("[name=saturday-1-opens]").fill("09:00");
    await page.locator("[name=saturday-1-closes]").fill("17:30");
    await page.locator("[name=do][value=sunday]").click();
    await page.waitForURL("**/automations/settings#day-sunday");
    equal(await page.locator("[name=sunday-1-closes]").inputValue(), "17:30");
    ok(((await page.locator("#day-sunday").boundingBox())?.y ?? -1) < (page.viewportSize()?.height ?? 0), "whoever copies stays there");
    await picture(page, "hours", `${language}-${width}`);
    await looksRight(page, complaints);
    await page.goto("/dashboard/settings/automations");
    equal(await page.locator("[name=sunday-1-closes]").inputValue(), "");
    await context.close();
  });

  test(`a second factor is switched on by pages that look right (${language}, ${width} px)`, async () => {
    const member = await join(`factor-${language}@rafidain.example`, "Factor", "agent");
    const { context, complaints } = await open(member, options);
    const page = await context.newPage();
    await page.goto("/dashboard/profile");
    equal(await post(page, "/profile", { do: "offer", current: "wrong" }), 422);
    await looksRight(page, complaints);
    equal(await post(page, "/profile", { do: "offer", current: member.password }), 200);
    ok((await page.locator("svg.qr path").getAttribute("d"))?.length, "an app can scan the secret");
    equal(await page.locator("a[href^='otpauth:']").count(), 1);
    await picture(page, "factor", `${language}-${width}`);
    await looksRight(page, complaints);
    const secret = (await page.locator("main section code").first().textContent()) ?? "";
    equal(await post(page, "/profile", { do: "confirm", code: codeOf(secret) }), 200);
    ok((await page.locator(".codes code").count()) > 1, "the codes are shown, this once");
    await looksRight(page, complaints);
    await context.close();
  });

  test(`the network's dialog leads to what it opens, or back with why not (${language}, ${width} px)`, async () => {
    const { context, complaints } = await open(owner, options);
    const page = await context.newPage();
    const begin = async () => {
      await page.goto("/dashboard/settings/channels");
      await page.locator("a[href$='/channels/sign-up']").click();
      await page.waitForURL("**/dialog/oauth?*");
    };
    await begin();
    await page.getByText("Cancel").click();
    await page.waitForURL("**/sign-up/back?*");
    await page.locator("main [role=alert]").waitFor();
    await looksRight(page, complaints);
    await begin();
    await page.getByText("Agree").click();
    await page.waitForURL("**/sign-up/back?*");
    await page.locator("input[name^=account-]").first().check();
    await looksRight(page, complaints);
    await page.locator("form[action$='/channels/choose'] button.main").click();
    await page.waitForURL("**/settings/channels");
    deepEqual(complaints.take(), []);
    await context.close();
  });
}
