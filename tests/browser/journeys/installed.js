// The dashboard as an app: what a browser installs, and what it shows while nothing answers.

import { deepEqual, equal, ok } from "node:assert/strict";
import { test } from "node:test";

import { customer } from "../support/life.js";
import { Line } from "../support/line.js";
import { picture } from "../support/look.js";
import { agent, base, open } from "../support/stage.js";

for (const [language, words] of /** @type {const} */ ([
  ["ar", "لا يوجد اتصال"],
  ["en", "No connection"],
])) {
  test(`a page that is asked for while nothing answers says so, and comes when it is back (${language})`, async () => {
    const line = new Line(base);
    const address = await line.open();
    const { context } = await open(agent, { baseURL: address, locale: language, serviceWorkers: "allow" });
    const page = await context.newPage();
    await page.goto("/dashboard/inbox");
    await page.evaluate(() => navigator.serviceWorker.ready);
    line.cut();
    await page.goto("/dashboard/contacts");
    await page.getByRole("heading", { name: words }).waitFor();
    equal(await page.evaluate(() => document.documentElement.lang), language);
    equal(new URL(page.url()).pathname, "/dashboard/contacts", "what was asked for can be asked for again");
    const { fontFamily } = await page.evaluate(() => ({ fontFamily: getComputedStyle(document.body).fontFamily }));
    ok(fontFamily.includes("Segoe UI"), "it looks as every page");
    await picture(page, "offline", language);
    line.mend();
    await page.reload();
    await page.locator("main table, main form").first().waitFor();
    await context.close();
    line.close();
  });
}

test("the dashboard can be installed, and its icon counts what is new", async () => {
  const { context, complaints } = await open(agent, { locale: "en" });
  await context.addInitScript(() => {
    /** @type {number[]} */
    const badges = [];
    Object.assign(window, { badges });
    navigator.setAppBadge = async (count) => void badges.push(count ?? -1);
  });
  const page = await context.newPage();
  const badge = () => page.evaluate(() => /** @type {any} */ (window).badges.at(-1));
  await page.goto("/dashboard/inbox?view=all");
  const session = await context.newCDPSession(page);
  const { errors } = await session.send("Page.getAppManifest");
  deepEqual(errors, [], "the manifest is read");
  const { installabilityErrors } = await session.send("Page.getInstallabilityErrors");
  // What a test's window can do nothing about.
  const wrong = installabilityErrors.filter(({ errorId }) => errorId !== "in-incognito");
  deepEqual(wrong, []);
  const before = await badge();
  await customer("Counted New", "+9647703330091");
  await page.waitForFunction((count) => /** @type {any} */ (window).badges.at(-1) > count, before);
  ok((await page.title()).startsWith(`(${await badge()}`), await page.title());
  deepEqual(complaints.take(), []);
  await context.close();
});
