// Every page in every mode: open to all, as wide as the window, without a complaint.

import { readFile } from "node:fs/promises";
import { deepEqual, equal, ok } from "node:assert/strict";
import { after, describe, test } from "node:test";

import { looksRight, picture } from "../support/look.js";
import { LEADS_AWAY, VISITS, called } from "../support/pages.js";
import { agent, open, owner } from "../support/stage.js";

const MEMBERS = { anybody: undefined, agent, owner };
const MODES = ["ar", "en"].flatMap((language) =>
  /** @type {const} */ (["light", "dark"]).flatMap((scheme) => [390, 1280].map((width) => ({ language, scheme, width }))),
);

// Two modes at a time, each in windows of its own; the pages of a mode one after the other.
describe("every page in every mode", { concurrency: 2 }, () => {
  for (const { language, scheme, width } of MODES) {
    const height = width === 390 ? 844 : 800;
    describe(`${language}, ${scheme}, ${width} px`, { concurrency: 1 }, () => {
      /** @typedef {Awaited<ReturnType<typeof open>> & { page: import("playwright-core").Page }} Seat */
      /** @type {Map<string, Seat>} */
      const seats = new Map();
      const options = { locale: language, colorScheme: scheme, viewport: { width, height }, hasTouch: width === 390 };
      /** Opened by the first who sits there: a filter may leave all of them out. @param {keyof typeof MEMBERS} who */
      const seatOf = async (who) => {
        const seat = await open(MEMBERS[who], options);
        seats.set(who, { ...seat, page: await seat.context.newPage() });
        return seats.get(who);
      };
      after(async () => {
        for (const { context } of seats.values()) await context.close();
      });

      for (const visit of VISITS) {
        test(`${called(visit)} looks right`, async () => {
          const seat = seats.get(visit.as) ?? (await seatOf(visit.as));
          ok(seat);
          const { page, complaints } = seat;
          complaints.take();
          const answer = await page.goto(`/dashboard${visit.path}`, { waitUntil: "load" });
          equal(answer?.status(), visit.status ?? 200);
          equal(await page.evaluate(() => document.documentElement.lang), language);
          await picture(page, called(visit), `${language}-${scheme}-${width}`);
          await looksRight(page, complaints);
        });
      }
    });
  }
});

test("every page of the table is among those that are looked at", async () => {
  const table = await readFile(new URL("../../../crates/adapter-http/src/pages/mod.rs", import.meta.url), "utf8");
  // A page stands alone, or is the second path of an act whose first is the API's.
  const shown = /(?:page\(|act\("[^"]*", )"([^"]*)"\)\s*(?:\.query\([^)]*\)\s*)?(?:\.only\([^)]*\)\s*)*\.get\(/g;
  const routes = [...table.matchAll(shown)].map((found) => found[1]);
  ok(routes.length > 50, "the table is read");
  const seen = new Set([...VISITS.map((visit) => visit.route), ...LEADS_AWAY]);
  deepEqual(routes.filter((route) => !seen.has(route ?? "")), []);
});
