// Every page in every mode: open to all, as wide as the window, without a complaint.

import { readFile } from "node:fs/promises";
import { deepEqual, equal, ok } from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { looksRight } from "../support/look.js";
import { VISITS, called } from "../support/pages.js";
import { agent, open, owner } from "../support/stage.js";

const FOLDER = process.env.SCREENSHOTS;
const MODES = ["ar", "en"].flatMap((language) =>
  /** @type {const} */ (["light", "dark"]).flatMap((scheme) => [390, 1280].map((width) => ({ language, scheme, width }))),
);

/** @param {string} name */
const fileName = (name) => name.replace("/dashboard", "").replace(/[^a-z]+/gi, "-").replace(/^-|-$/g, "") || "start";

for (const { language, scheme, width } of MODES) {
  const height = width === 390 ? 844 : 800;
  describe(`${language}, ${scheme}, ${width} px`, () => {
    /** @typedef {Awaited<ReturnType<typeof open>> & { page: import("playwright-core").Page }} Seat */
    /** @type {Map<string, Seat>} */
    const seats = new Map();
    before(async () => {
      const options = { locale: language, colorScheme: scheme, viewport: { width, height }, hasTouch: width === 390 };
      for (const [who, member] of /** @type {const} */ ([["anybody", undefined], ["agent", agent], ["owner", owner]])) {
        const seat = await open(member, options);
        seats.set(who, { ...seat, page: await seat.context.newPage() });
      }
    });
    after(async () => {
      for (const { context } of seats.values()) await context.close();
    });

    for (const visit of VISITS) {
      test(`${called(visit)} looks right`, async () => {
        const seat = seats.get(visit.as);
        ok(seat);
        const { page, complaints } = seat;
        complaints.take();
        await page.goto(`/dashboard${visit.path}`, { waitUntil: "load" });
        equal(await page.evaluate(() => document.documentElement.lang), language);
        if (FOLDER) {
          await page.screenshot({ path: `${FOLDER}/${fileName(called(visit))}-${language}-${scheme}-${width}.png` });
        }
        await looksRight(page, complaints);
      });
    }
  });
}

test("every page of the table is among those that are looked at", async () => {
  const table = await readFile(new URL("../../../crates/adapter-http/src/pages/mod.rs", import.meta.url), "utf8");
  const routes = [...table.matchAll(/page\("([^"]*)"\)\s*\.get\(/g)].map((found) => found[1]);
  ok(routes.length > 20, "the table is read");
  deepEqual(routes.filter((route) => !VISITS.some((visit) => visit.route === route)), []);
});
