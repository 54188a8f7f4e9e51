// Chromium, and windows in which whatever a page complains of is kept.

import { chromium } from "playwright-core";

/**
 * @typedef {import("playwright-core").Browser} Browser
 * @typedef {import("playwright-core").BrowserContext} BrowserContext
 * @typedef {import("playwright-core").Page} Page
 * @typedef {import("playwright-core").BrowserContextOptions} Options
 */

/** How long something may take before it counts as not coming: as long as the slowest machine needs. */
export const PATIENCE_MS = 60_000;

/** Where distributions put it. */
const PROGRAM = process.env.CHROMIUM ?? "/usr/bin/chromium";

const SWITCHES = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-dev-shm-usage",
];

/** @returns {Promise<Browser>} */
export async function startChromium() {
  return chromium.launch({ executablePath: PROGRAM, args: SWITCHES });
}

/**
 * What stands on the console and is nothing to complain of: that a page stands for a refusal, by its status; and that a
 * window has no worker, since requests by a worker could not be held.
 */
const NO_COMPLAINT = /^Failed to load resource: the server responded with a status of 4(03|04|22)|^Service Worker registration blocked/;

/** What pages complained of: lines on the console, scripts that threw, breaches of the policy. */
export class Complaints {
  constructor() {
    /** @type {string[]} */
    this.all = [];
  }

  /** @param {Page} page */
  listen(page) {
    const say = (/** @type {string} */ what) => this.all.push(`${new URL(page.url()).pathname}: ${what}`);
    page.on("console", (message) => {
      if (!NO_COMPLAINT.test(message.text())) say(message.text());
    });
    page.on("pageerror", (error) => say(String(error)));
    page.on("dialog", (dialog) => {
      say(`a dialog: ${dialog.message()}`);
      dialog.dismiss().catch(() => {});
    });
  }

  /** All of them, which are forgotten then. */
  take() {
    return this.all.splice(0);
  }
}

/**
 * Windows of one browser, signed in as a member where one is given.
 * @param {Browser} browser
 * @param {string} base
 * @param {import("./member.js").Member | undefined} member
 * @param {Options} [options]
 * @returns {Promise<{ context: BrowserContext, complaints: Complaints }>}
 */
export async function windows(browser, base, member, options = {}) {
  const context = await browser.newContext({ baseURL: base, locale: "en-GB", timezoneId: "Asia/Baghdad", serviceWorkers: "block", ...options });
  context.setDefaultTimeout(PATIENCE_MS);
  const complaints = new Complaints();
  context.on("page", (page) => complaints.listen(page));
  if (member) await context.addCookies([member.cookie()]);
  return { context, complaints };
}
