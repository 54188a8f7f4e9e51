// What is half done, or still on its way, when somebody goes on to something else.

import { deepEqual, equal, ok } from "node:assert/strict";
import { test } from "node:test";

import { bubbles, composer, openConversation, taken, writes } from "../support/inbox.js";
import { customer } from "../support/life.js";
import { picture } from "../support/look.js";
import { agent, eventually, network, open, owner } from "../support/stage.js";
import { gate, holdAnswers, holdRequests, isMarked, row, shows, two } from "../support/two.js";

/** @typedef {import("playwright-core").Page} Page */

const FILE = { name: "offer.png", mimeType: "image/png", buffer: Buffer.from("a picture") };
const UPLOADED = "0192f0c1-7a00-7000-8000-0000000000fe";

/** The file that waits to be sent, by its whole name. @param {Page} page @param {string} name */
const held = (page, name) => page.locator("[data-attached] bdi").filter({ hasText: new RegExp(`^${name}$`) });

/** Takes every file, once it may. @param {Page} page @param {Promise<unknown>} [may] */
async function takeFiles(page, may) {
  await page.route("**/dashboard/api/attachments?*", async (route) => {
    await may;
    await route.fulfill({ status: 201, json: { id: UPLOADED } });
  });
}

/** @param {Page} page */
const choose = (page) => page.locator("[data-attach] input").first().setInputFiles(FILE);

/** Presses what leads to another load of the page. @param {Page} page @param {string} button */
async function leave(page, button) {
  await page.evaluate(() => void Object.assign(window, { marked: true }));
  await page.locator(button).click();
  await page.waitForFunction(() => !("marked" in window) && document.readyState === "complete");
}

/** What somebody's phone has got, of these. @param {string} from @param {string[]} texts */
async function arrived(from, texts) {
  const lines = await network.chat(from.slice(1));
  return lines.map((line) => line.text ?? "").filter((text) => texts.includes(text));
}

test("a note that is half written is there again after going back and forth", async () => {
  const { first, second, context, complaints, page } = await two("Half Noted", "+9647706010001");
  await row(page, second).click();
  await shows(page, second);
  const note = page.locator("#note");
  const mention = page.locator("form.write-note input[type=checkbox]").first();
  await writes(page, "note");
  await note.fill("Half a note");
  await page.locator("details.mention > summary").click();
  await mention.check();
  await page.goBack();
  await shows(page, first);
  deepEqual([await note.inputValue(), await mention.isChecked()], ["", false], "it is of the other conversation");
  await page.goForward();
  await shows(page, second);
  deepEqual([await note.inputValue(), await mention.isChecked()], ["Half a note", true]);
  ok(await note.isVisible());
  ok(await isMarked(page), "nothing was loaded anew");
  deepEqual(complaints.take(), []);
  await context.close();
});

test("a note that is half written stays while another form is sent, and is gone once it is written itself", async () => {
  const id = await customer("Taken Over", "+9647706010101");
  const { context, complaints } = await open(agent);
  const page = await context.newPage();
  await openConversation(page, id);
  const note = page.locator("#note");
  await writes(page, "note");
  await note.fill("What I know of her");
  await leave(page, "#moves button[value=take]");
  await page.waitForFunction((text) => /** @type {HTMLTextAreaElement | null} */ (document.getElementById("note"))?.value === text, "What I know of her");
  ok(await note.isVisible());
  await leave(page, "form.write-note button.main");
  await taken(page, "What I know of her").waitFor();
  equal(await note.inputValue(), "", "what is written is not written twice");
  deepEqual(complaints.take(), []);
  await context.close();
});

test("a file that waits to be sent is seen whenever its conversation is, and goes with no other answer", async () => {
  const { first, second, context, complaints, page } = await two("Held File", "+9647706010011");
  await takeFiles(page);
  await choose(page);
  await held(page, "offer.png").waitFor();
  await row(page, second).click();
  await shows(page, second);
  equal(await page.locator("[data-attached]").isVisible(), false);
  await page.goBack();
  await shows(page, first);
  await held(page, "offer.png").waitFor();
  ok(await isMarked(page));

  await leave(page, "#moves button[value=take]");
  await shows(page, first);
  await held(page, "offer.png").waitFor();
  const id = page.locator("form[data-compose] [name=attachment]");
  equal(await id.inputValue(), UPLOADED);
  await page.locator("[data-detach]").click();
  await page.reload({ waitUntil: "load" });
  await shows(page, first);
  deepEqual([await id.inputValue(), await page.locator("[data-attached]").isVisible()], ["", false]);
  deepEqual(complaints.take(), []);
  await context.close();
});

test("an upload goes on while another conversation is shown, and its file waits in its own", async () => {
  const { first, second, context, complaints, page } = await two("Slow Upload", "+9647706010021");
  const { gone, go } = gate();
  await takeFiles(page, gone);
  await choose(page);
  await page.locator("[data-attached] progress").waitFor();
  await row(page, second).click();
  await shows(page, second);
  await row(page, first).click();
  await shows(page, first);
  go();
  await held(page, "offer.png").waitFor();
  equal(await page.locator("form[data-compose] [name=attachment]").inputValue(), UPLOADED);
  ok(await isMarked(page));
  deepEqual(complaints.take(), []);
  await context.close();
});

test("an upload that ends takes nobody away from the note that they write", async () => {
  const id = await customer("Noted Meanwhile", "+9647706010031");
  const { context, complaints } = await open(agent);
  const page = await context.newPage();
  await openConversation(page, id);
  const { gone, go } = gate();
  await takeFiles(page, gone);
  await choose(page);
  await page.locator("[data-attached] progress").waitFor();
  await writes(page, "note");
  await page.locator("#note").focus();
  await page.keyboard.type("Only for ");
  go();
  await held(page, "offer.png").waitFor({ state: "attached" });
  await page.keyboard.type("us");
  deepEqual([await page.locator("#note").inputValue(), await composer(page).inputValue()], ["Only for us", ""]);
  deepEqual(complaints.take(), []);
  await context.close();
});

/** A microphone that takes a moment to be allowed, and what was asked of it: `open` counts those that are on. */
function microphone() {
  const heard = { asked: 0, open: 0 };
  class Recorder extends EventTarget {
    static isTypeSupported() {
      return true;
    }
    start() {}
    stop() {
      this.dispatchEvent(Object.assign(new Event("dataavailable"), { data: new Blob(["a voice"]) }));
      this.dispatchEvent(new Event("stop"));
    }
  }
  const getUserMedia = async () => {
    heard.asked += 1;
    await new Promise((resolve) => setTimeout(resolve, 300));
    heard.open += 1;
    return { getTracks: () => [{ stop: () => (heard.open -= 1) }] };
  };
  Object.assign(window, { heard, MediaRecorder: Recorder });
  Object.defineProperty(navigator, "mediaDevices", { value: { getUserMedia } });
}

test("a microphone is asked for once however often it is pressed, and a recording waits in its conversation", async () => {
  const { first, second, context, complaints, page } = await two("Recorded", "+9647706010041");
  await page.addInitScript(microphone);
  await page.reload({ waitUntil: "load" });
  await shows(page, first);
  await takeFiles(page);
  /** @returns {Promise<{ asked: number, open: number }>} */
  const heard = () => page.evaluate(() => /** @type {any} */ (window).heard);
  await page.locator("[data-record]").dblclick();
  await page.locator("[data-record][aria-pressed=true]").waitFor();
  deepEqual(await heard(), { asked: 1, open: 1 });
  await row(page, second).click();
  await shows(page, second);
  deepEqual(await heard(), { asked: 1, open: 0 }, "nobody listens any longer");
  await row(page, first).click();
  await shows(page, first);
  await held(page, "voice.ogg").waitFor();
  deepEqual(complaints.take(), []);
  await context.close();
});

test("answers go one after the other, also where the first is slow", async () => {
  const from = "+9647706010051";
  const id = await customer("In Order", from);
  const { context, complaints } = await open(agent);
  const page = await context.newPage();
  await openConversation(page, id);
  const { gone, go } = gate();
  /** @type {string[]} */
  const posts = [];
  await page.route(`**/dashboard/inbox/${id}/reply*`, async (route) => {
    posts.push(new URLSearchParams(route.request().postData() ?? "").get("text") ?? "");
    if (posts.length === 1) await gone;
    await route.continue();
  });
  const texts = ["This is the first", "And this is the second"];
  for (const text of texts) {
    await composer(page).fill(text);
    await composer(page).press("Enter");
    await bubbles(page, text).waitFor();
  }
  // Time enough for the second to overtake the first.
  await page.waitForTimeout(500);
  deepEqual(posts, texts.slice(0, 1));
  go();
  for (const text of texts) await taken(page, text).waitFor();
  await network.settled();
  deepEqual(await arrived(from, texts), texts);
  deepEqual(complaints.take(), []);
  await context.close();
});

test("an answer that waits for another goes at once when its page is left", async () => {
  const from = "+9647706010061";
  const id = await customer("Left At Once", from);
  const { context } = await open(agent);
  const page = await context.newPage();
  await openConversation(page, id);
  // The line that the first is sent over says nothing.
  await page.evaluate(() => {
    const real = window.fetch;
    let isFirst = true;
    window.fetch = (path, options) => {
      if (options?.method !== "POST" || !isFirst) return real(path, options);
      isFirst = false;
      return new Promise(() => {});
    };
  });
  for (const text of ["Held up", "Sent by leaving"]) {
    await composer(page).fill(text);
    await composer(page).press("Enter");
    await bubbles(page, text).waitFor();
  }
  await page.goto("/dashboard/contacts");
  await eventually("it has arrived", async () => (await arrived(from, ["Sent by leaving"])).length === 1);
  await openConversation(page, id);
  await page.locator("#bubbles > li.pending").filter({ hasText: "Held up" }).locator("button").first().click();
  await taken(page, "Held up").waitFor();
  await context.close();
});

test("the same words are sent again by whoever comes back to a conversation", async () => {
  const from = "+9647706010111";
  const id = await customer("Twice Yes", from);
  const { context, complaints } = await open(agent);
  const page = await context.newPage();
  await openConversation(page, id);
  const answer = async (/** @type {number} */ count) => {
    await composer(page).fill("Yes");
    await composer(page).press("Enter");
    await eventually(`${count} have arrived`, async () => (await arrived(from, ["Yes"])).length === count);
    await page.locator("#bubbles > li.pending").waitFor({ state: "detached" });
  };
  await answer(1);
  await page.goto("/dashboard/contacts");
  await page.goBack({ waitUntil: "load" });
  await shows(page, id);
  await answer(2);
  deepEqual(complaints.take(), []);
  await context.close();
});

test("a message that comes while an answer is on its way back stays shown", async () => {
  const from = "+9647706010071";
  const id = await customer("Overtaken", from);
  const { context, complaints } = await open(agent);
  const page = await context.newPage();
  await openConversation(page, id);
  const go = await holdAnswers(page, `**/dashboard/inbox/${id}/reply*`);
  await composer(page).fill("Answered slowly");
  await composer(page).press("Enter");
  await taken(page, "Answered slowly").waitFor();
  await network.settled();
  await network.writes(from, "Overtaken", "Said meanwhile");
  await taken(page, "Said meanwhile").waitFor();
  go();
  await page.locator("#bubbles > li.pending").waitFor({ state: "detached" });
  await taken(page, "Said meanwhile").waitFor();
  deepEqual(complaints.take(), []);
  await context.close();
});

test("whoever reads back while an answer is on its way stays where they read", async () => {
  const from = "+9647706010091";
  const id = await customer("Read Back", from);
  await network.writes(from, "Read Back", Array.from({ length: 80 }, (_, at) => `Line ${at + 1}`).join("\n"));
  const { context, complaints } = await open(agent);
  const page = await context.newPage();
  await openConversation(page, id);
  await taken(page, "Line 80").waitFor();
  const go = await holdAnswers(page, `**/dashboard/inbox/${id}/reply*`);
  await composer(page).fill("One moment, I read it again");
  await composer(page).press("Enter");
  await taken(page, "One moment, I read it again").waitFor();
  await page.locator("#bubbles").evaluate((list) => list.scrollTo({ top: 0, behavior: "instant" }));
  go();
  await page.locator("#bubbles > li.pending").waitFor({ state: "detached" });
  equal(await page.locator("#bubbles").evaluate((list) => list.scrollTop), 0);
  deepEqual(complaints.take(), []);
  await context.close();
});

test("a row that is opened slowly takes nobody away from what they search for", async () => {
  const { second, context, complaints, page } = await two("Searched", "+9647706010081");
  const go = await holdRequests(page, `**/dashboard/inbox/${second}*`);
  await row(page, second).click();
  await page.locator("main[aria-busy=true]").waitFor();
  await page.locator("details.find > summary").click();
  await page.locator("#search").focus();
  await page.keyboard.type("Nad");
  go();
  await shows(page, second);
  await page.keyboard.type("ia");
  equal(await page.locator("#search").inputValue(), "Nadia");
  deepEqual(complaints.take(), []);
  await context.close();
});

test("what was saved is told, and somebody is where they were", async () => {
  const { context, complaints } = await open(owner, { locale: "ar", viewport: { width: 1280, height: 720 } });
  const page = await context.newPage();
  await page.goto("/dashboard/settings/automations");
  const save = page.locator("form[action$='/automations/settings'] button.main");
  await page.locator("#idle-close").fill("٩٠");
  await save.scrollIntoViewIfNeeded();
  const before = await page.evaluate(() => scrollY);
  ok(before > 300, "the form is far down");
  await save.click();
  await page.locator("#said").waitFor();
  equal(await page.locator("#said").textContent(), "تم الحفظ.");
  equal(await page.evaluate(() => Math.round(scrollY)), Math.round(before));
  ok(await save.evaluate((button) => button === document.activeElement), "the focus is on the button");
  equal(await save.getAttribute("aria-describedby"), "said");
  await page.reload();
  equal(await page.locator("#said").count(), 0, "once");
  deepEqual(complaints.take(), []);
  await context.close();
});

test("a secret that is shown once is copied by its button", async () => {
  const { context, complaints } = await open(owner, { locale: "en" });
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const page = await context.newPage();
  await page.goto("/dashboard/settings/keys");
  await page.locator("#label").fill("Copied");
  await page.locator("input[name='contacts:read']").check();
  await page.locator("form[action$='/settings/keys'] button.main").click();
  const shown = await page.locator("[role=status] code").innerText();
  await page.getByRole("button", { name: "Copy", exact: true }).click();
  await page.getByRole("button", { name: "Copied", exact: true }).waitFor();
  equal(await page.evaluate(() => navigator.clipboard.readText()), shown);
  deepEqual(complaints.take(), []);
  await context.close();
});

test("on paper a conversation is whole, without lists and forms", async () => {
  const phone = "+9647705591001";
  const id = await customer("On Paper", phone);
  for (let line = 1; line <= 30; line += 1) await network.writes(phone, "On Paper", `Line ${line} on paper`);
  const { context } = await open(agent, { locale: "ar" });
  const page = await context.newPage();
  await openConversation(page, id);
  await taken(page, "Line 30 on paper").waitFor();
  await page.emulateMedia({ media: "print" });
  const { cut, shown } = await page.evaluate(() => {
    const bubbles = document.getElementById("bubbles");
    const isShown = (/** @type {Element} */ element) => element.getClientRects().length > 0;
    return {
      cut: (bubbles?.scrollHeight ?? 0) - (bubbles?.clientHeight ?? 0),
      shown: [".rail", ".list", "#composer", "#moves"].filter((part) => [...document.querySelectorAll(part)].some(isShown)),
    };
  });
  deepEqual({ cut, shown }, { cut: 0, shown: [] });
  await picture(page, "on paper", "ar");
  await context.close();
});

test("a reload after a key was made makes no second one, and shows it no more", async () => {
  const { context, complaints } = await open(owner, { locale: "en" });
  const page = await context.newPage();
  await page.goto("/dashboard/settings/keys");
  await page.locator("#label").fill("Loaded again");
  await page.locator("input[name='contacts:read']").check();
  await page.locator("form[action$='/settings/keys'] button.main").click();
  await page.locator("[role=status] code").waitFor();
  await page.reload();
  await page.getByText("Loaded again").waitFor();
  equal(await page.locator("[role=status] code").count(), 0, "it is shown once");
  const { rows } = await owner.get("/api-keys");
  equal(rows.filter((/** @type {any} */ row) => row.label === "Loaded again").length, 1);
  deepEqual(complaints.take(), []);
  await context.close();
});
