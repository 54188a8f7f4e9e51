// Buttons that copy what is shown once.

import { all, make } from "./dom.js";

/** Offers to copy each of them, where the browser lets a page do so. */
export function offerCopies() {
  if (!navigator.clipboard) return;
  for (const secret of all(document, "[data-copy]", HTMLElement)) {
    const button = make("button", "copy", secret.dataset.copy);
    button.type = "button";
    button.ariaLive = "polite";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(secret.innerText);
      button.textContent = secret.dataset.copied ?? "";
    });
    secret.after(" ", button);
  }
}
