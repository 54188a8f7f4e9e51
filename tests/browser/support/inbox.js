// What a member sees and does in the inbox.

/** @typedef {import("playwright-core").Page} Page */

/** @param {Page} page */
export function composer(page) {
  return page.locator("form[data-compose] textarea[name=text]");
}

/**
 * The messages with these words, those included that are only shown so far.
 * @param {Page} page
 * @param {string} text
 */
export function bubbles(page, text) {
  return page.locator("#bubbles > li").filter({ hasText: text });
}

/**
 * Those with these words that the service has taken.
 * @param {Page} page
 * @param {string} text
 */
export function taken(page, text) {
  return page.locator("#bubbles > li[id^=message-]").filter({ hasText: text });
}

/**
 * A conversation with its scripts at work.
 * @param {Page} page
 * @param {string} id
 */
export async function openConversation(page, id) {
  await page.goto(`/dashboard/inbox/${id}`, { waitUntil: "load" });
  await composer(page).waitFor();
}

/**
 * Goes over from writing an answer to writing a note, or back.
 * @param {Page} page
 * @param {"reply" | "note"} what
 */
export async function writes(page, what) {
  await page.locator(`.modes label:has([value=${what}])`).click();
}
