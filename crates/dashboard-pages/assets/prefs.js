// What this browser does beside showing pages. It is kept here, for each browser its own.

import { all, find } from "./dom.js";

/** What is done unless somebody says otherwise. @type {Record<string, boolean>} */
const USUALLY = { shortcuts: true, sound: false, notifications: false };

/**
 * Whether somebody wants it here.
 * @param {string} name
 */
export function wants(name) {
  const said = localStorage.getItem(`wants ${name}`);
  return said === null ? USUALLY[name] === true : said === "yes";
}

/** The profile's choices. Notifications need the browser's own consent, which is asked for when they are chosen. */
export function offerChoices() {
  const part = find(document, "[data-browser]", HTMLElement);
  if (!part) return;
  part.hidden = false;
  for (const box of all(part, "input[type=checkbox]", HTMLInputElement)) {
    box.checked = wants(box.name);
    box.addEventListener("change", async () => {
      if (box.name === "notifications" && box.checked) {
        const answer = "Notification" in window ? await Notification.requestPermission() : "denied";
        box.checked = answer === "granted";
        const denied = find(part, "[data-denied]", HTMLElement);
        if (denied) denied.hidden = box.checked;
      }
      localStorage.setItem(`wants ${box.name}`, box.checked ? "yes" : "no");
    });
  }
}
