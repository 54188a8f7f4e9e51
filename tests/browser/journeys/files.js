// Files that are brought to an answer.

import { deepEqual, equal, ok } from "node:assert/strict";
import { test } from "node:test";

import { composer, openConversation, writes } from "../support/inbox.js";
import { customer } from "../support/life.js";
import { looksRight } from "../support/look.js";
import { agent, eventually, open, owner } from "../support/stage.js";

/**
 * Pastes into a field, or drops onto it: files, and perhaps words.
 * @param {import("playwright-core").Locator} field
 * @param {"paste" | "drop"} type
 * @param {string[]} files
 * @param {string} [words]
 * @returns {Promise<boolean>} whether the page has taken it, and the browser does nothing with it
 */
function bring(field, type, files, words) {
  return field.evaluate(
    (element, { type, files, words }) => {
      const data = new DataTransfer();
      for (const name of files) data.items.add(new File(["a picture"], name, { type: "image/png" }));
      if (words) data.setData("text/plain", words);
      const options = { bubbles: true, cancelable: true };
      const event =
        type === "paste"
          ? new ClipboardEvent("paste", { ...options, clipboardData: data })
          : new DragEvent("drop", { ...options, dataTransfer: data });
      return !element.dispatchEvent(event);
    },
    { type, files, words },
  );
}

test("what is pasted goes where it is pasted, and of several files the rest is told of", async () => {
  const id = await customer("Pasted Well", "+9647705550001");
  const { context, complaints } = await open(agent);
  const page = await context.newPage();
  await openConversation(page, id);
  /** @type {string[]} */
  const uploads = [];
  await page.route("**/dashboard/api/attachments?*", (route) => {
    uploads.push(new URL(route.request().url()).searchParams.get("name") ?? "");
    return route.fulfill({ status: 201, json: { id: "0192f0c1-7a00-7000-8000-0000000000ff" } });
  });
  const attached = page.locator("[data-attached] bdi");

  equal(await bring(composer(page), "paste", ["sheet.png"], "two\tcells"), false, "the words are meant");
  await writes(page, "note");
  equal(await bring(page.locator("#note"), "paste", ["note.png"]), false, "a note takes no file");
  equal(await bring(composer(page), "paste", ["answer.png"]), true);
  await attached.filter({ hasText: /^answer\.png$/ }).waitFor();
  deepEqual(uploads, ["answer.png"]);

  equal(await bring(page.locator("#bubbles"), "drop", ["first.png", "second.png"]), true);
  await attached.filter({ hasText: /^first\.png$/ }).waitFor();
  const said = (await page.locator("[data-attach-wrong]").textContent()) ?? "";
  ok(said.includes("one file"), said);
  deepEqual(uploads, ["answer.png", "first.png"]);
  deepEqual(complaints.take(), []);
  await context.close();
});

test("of a list in a file, rows that came twice are counted and those not taken told with why, in the reader's language", async () => {
  const { context, complaints } = await open(owner, { locale: "ar", viewport: { width: 390, height: 844 } });
  const page = await context.newPage();
  await page.goto("/dashboard/broadcasts/lists");
  await page.locator("#file-name").fill("Half a list");
  const buffer = Buffer.from("phone,City\n07801000009,Erbil\nnobody,Basra\n12,Basra\n+9647801000009,Mosul\n");
  await page.locator("#file").setInputFiles({ name: "list.csv", mimeType: "text/csv", buffer });
  await page.locator("form[data-file-to] button.main").click();
  const told = page.locator("[data-file-refused]");
  await told.waitFor({ state: "visible" });
  const parts = told.locator("[data-file-rows] strong");
  deepEqual(await parts.allTextContents(), ["الصفوف المكررة: 1", "الصفوف المرفوضة: 2"]);
  deepEqual(await told.locator("tbody td:first-child").allTextContents(), ["3", "4"]);
  equal(await told.locator("tbody tr").first().textContent(), "3الرقمليس رقم هاتف.");
  await page.locator("#lists section").filter({ hasText: "Half a list" }).waitFor();
  await looksRight(page, complaints);
  const { rows } = await owner.get("/broadcast-lists");
  await owner.ask("DELETE", `/broadcast-lists/${rows.find((/** @type {any} */ row) => row.name === "Half a list").id}`);
  await context.close();
});

test("why a file is not taken stands there in the reader's language", async () => {
  const id = await customer("Refused File", "+9647705550002");
  const { context, complaints } = await open(owner, { locale: "ar" });
  const page = await context.newPage();
  await page.route("**/dashboard/api/attachments?*", (route) =>
    route.fulfill({ status: 409, json: { error: "Conflict", code: "too_many_attachments", message: "too many" } }),
  );
  const file = { name: "picture.png", mimeType: "image/png", buffer: Buffer.from("a picture") };
  await openConversation(page, id);
  await page.locator("[data-attach] input").first().setInputFiles(file);
  const wrong = page.locator("[data-attach-wrong]");
  await wrong.waitFor({ state: "visible" });
  equal(await wrong.textContent(), "ملفات كثيرة تنتظر الإرسال.");

  await page.goto("/dashboard/settings/templates/write");
  const input = page.locator("#attachment + input[type=file]");
  await input.setInputFiles(file);
  const said = () => input.evaluate((element) => /** @type {HTMLInputElement} */ (element).validationMessage);
  equal(await eventually("it is refused", said), "ملفات كثيرة تنتظر الإرسال.");
  deepEqual(complaints.take().filter((line) => !line.includes("status of 409")), []);
  await context.close();
});
