// What every page has to be, whoever looks at it: open to all, as wide as the window, and without a complaint.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { ok } from "node:assert/strict";

/** @typedef {import("playwright-core").Page} Page */

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/** Where pictures of pages are kept, if anywhere. */
const PICTURES = process.env.SCREENSHOTS;

/**
 * Keeps a picture of the page where somebody wants to look at it.
 * @param {Page} page
 * @param {string} place What page it is: its path, or what it is called.
 * @param {string} mode What sets it apart from others of the page.
 */
export async function picture(page, place, mode) {
  if (!PICTURES) return;
  const name = place.replace("/dashboard", "").replace(/[^a-z]+/gi, "-").replace(/^-|-$/g, "") || "start";
  await page.screenshot({ path: `${PICTURES}/${name}-${mode}.png` });
}

/**
 * What axe finds, one line for each place.
 * @param {Page} page
 * @returns {Promise<string[]>}
 */
async function barriers(page) {
  await page.evaluate(AXE);
  return page.evaluate(async (rules) => {
    // It brings its own name.
    const { axe } = /** @type {any} */ (window);
    const { violations } = await axe.run(document, { runOnly: { type: "tag", values: rules } });
    const lines = [];
    for (const { id, nodes } of violations) {
      for (const node of nodes) lines.push(`${id}: ${node.target.join(" ")}: ${node.failureSummary}`);
    }
    return lines;
  }, RULES);
}

/**
 * What is wider than it may be: the page, or a part of it that is only meant to scroll up and down.
 * @param {Page} page
 * @returns {Promise<string[]>}
 */
async function overflows(page) {
  return page.evaluate(() => {
    const wide = [];
    const name = (/** @type {Element} */ element) => `${element.tagName.toLowerCase()}#${element.id}.${element.className}`;
    const root = document.documentElement;
    if (root.scrollWidth > root.clientWidth) {
      wide.push(`the page is ${root.scrollWidth} wide, the window ${root.clientWidth}`);
      for (const element of document.body.querySelectorAll("*")) {
        const { left, right, width } = element.getBoundingClientRect();
        if (width > 1 && (right > root.clientWidth + 1 || left < -1)) wide.push(`  ${name(element)} from ${left} to ${right}`);
      }
    }
    for (const element of document.body.querySelectorAll("*")) {
      // Tables have a box of their own to scroll in, so do the places of the settings on a phone; a field may hold more than it shows.
      if (element.matches(".wide, .side, input, textarea, select, pre")) continue;
      const { overflowX } = getComputedStyle(element);
      if ((overflowX === "auto" || overflowX === "scroll") && element.scrollWidth > element.clientWidth + 1) {
        wide.push(`${name(element)} scrolls sideways: ${element.scrollWidth} in ${element.clientWidth}`);
      }
    }
    return wide.slice(0, 20);
  });
}

/**
 * Fails with whatever is wrong with what is shown.
 * @param {Page} page
 * @param {import("./browser.js").Complaints} complaints
 */
export async function looksRight(page, complaints) {
  const found = [...(await overflows(page)), ...(await barriers(page)), ...complaints.take()];
  ok(found.length === 0, `${page.url()}\n${found.join("\n")}`);
}
