// Markup, directions, very long words and nothing at all, wherever somebody can type: shown as it stands.

import { deepEqual, equal, ok } from "node:assert/strict";
import { describe, test } from "node:test";

import { looksRight } from "../support/look.js";
import { agent, eventually, join, network, open, owner } from "../support/stage.js";

const MARKUP = `<img src=x onerror="window.hit=1"><script>window.hit=1</script>"'><svg/onload=window.hit=1>{{7*7}}&lt;b&gt;`;
const BIDI = "\u202eمرحبا\u2066 abc \u202d\u2069\u200f\u200e\u061c evil\u202egpj.exe";
const LONG = "W".repeat(4096);
const LONG_ARABIC = "ـسـ".repeat(1365);
const TEXTS = [MARKUP, BIDI, LONG, LONG_ARABIC, "\u200b", "𝕳𝖊 👩‍👩‍👧‍👦 ﷽ Z̸̢̛̼a̷l̶g̵o̴", "javascript:window.hit=1"];

/** @param {string} text @param {number} most */
const short = (text, most) => [...text].slice(0, most).join("");

/** Somebody of each name writes each text. */
async function customers() {
  const names = [MARKUP, BIDI, LONG, "\u200b", " ", "ﷺ"];
  const ids = [];
  for (const [at, name] of names.entries()) {
    const from = `+96477044400${10 + at}`;
    await network.inbound({ channelId: network.number, from, name: short(name, 150), message: { type: "text", text: { body: TEXTS[at] ?? "hm" } } });
    for (const text of at === 0 ? TEXTS : []) {
      await network.writes(from, short(name, 150), text);
      const document = { filename: `${short(text, 200)}.pdf`, caption: short(text, 1000) };
      await network.inbound({ channelId: network.number, from, name: short(name, 150), message: { type: "document", document } });
    }
    const id = await eventually(`somebody at ${from} has written`, async () => {
      const { rows } = await owner.get("/conversations?limit=100");
      return rows.find((/** @type {any} */ row) => row.contact.phone === from)?.conversation.id;
    });
    ids.push(id);
  }
  return ids;
}

/** What the team can type. @param {string} conversation */
async function team(conversation) {
  for (const [at, text] of TEXTS.entries()) {
    await owner.post(`/conversations/${conversation}/notes`, { text: short(`${at}${text}`, 4000), mentions: [] });
    await owner.post(`/conversations/${conversation}/tags`, { tag: short(`${at}${text}`, 50) });
    await owner.post("/canned-replies", { shortcut: `corpus${at}`, text: short(`${at}${text}`, 4096) });
    await owner.post("/groups", { name: short(`${at}${text}`, 50) });
    await owner.post("/api-keys", { label: short(`${at}${text}`, 100), scopes: ["contacts:read"] });
    await owner.post(`/conversations/${conversation}/messages`, { text: short(`${at}${text}`, 4096) });
  }
  await join("markup@rafidain.example", short(MARKUP, 80), "agent");
}

async function write() {
  const ids = await customers();
  await team(ids[0] ?? "");
  await network.settled();
  return ids;
}

describe("the corpus", () => {
  /** @type {Promise<string[]> | undefined} */
  let written;
  /** Their conversations; written by the first that asks, as a filter may leave all of them out. */
  const conversations = () => (written ??= write());

  for (const [language, width] of /** @type {const} */ ([["ar", 390], ["en", 390], ["en", 1280]])) {
    test(`nothing of it runs or is wider than the page (${language}, ${width} px)`, async () => {
      const ids = await conversations();
      const { context, complaints } = await open(owner, { locale: language, viewport: { width, height: 800 } });
      const page = await context.newPage();
      /** @type {string[]} */
      const wrong = [];
      const paths = ["/inbox", "/contacts", "/canned-replies", "/settings/team", "/settings/keys", "/settings/log"];
      for (const path of [...ids.map((id) => `/inbox/${id}`), ...paths]) {
        await page.goto(`/dashboard${path}`, { waitUntil: "load" });
        await looksRight(page, complaints).catch((error) => wrong.push(error.message));
        ok((await page.evaluate(() => /** @type {any} */ (window).hit)) === undefined, `something ran at ${path}`);
      }
      deepEqual(wrong, []);
      await context.close();
    });
  }

  test("markup is read as it was typed, and somebody without a name can still be opened", async () => {
    const ids = await conversations();
    const { context } = await open(agent);
    const page = await context.newPage();
    await page.goto(`/dashboard/inbox/${ids[0]}`);
    ok((await page.locator("#bubbles .text").allTextContents()).includes(MARKUP));
    await page.goto("/dashboard/inbox");
    for (const id of ids) {
      const name = await page.locator(`#row-${id} .name`).textContent();
      ok(name && name.replace(/[\s\u200b]/g, "") !== "", `a row without a name: ${JSON.stringify(name)}`);
    }
    await page.locator(`#row-${ids[3]} a`).click();
    await page.waitForURL(`**/inbox/${ids[3]}*`);
    equal(await page.locator("#with").count(), 1);
    await context.close();
  });
});
