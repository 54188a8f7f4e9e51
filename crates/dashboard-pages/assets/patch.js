// Puts what a fresh page shows in the place of what this one shows, and touches nothing else.

import { showTimes } from "./times.js";

/** A row that has not changed stays the element it is, so that a sound in it goes on and a focus stays. */
function rows(old, fresh) {
  const focused = document.activeElement?.closest("li")?.id;
  const known = new Map([...old.children].filter((row) => row.id).map((row) => [row.id, row]));
  let place = old.firstElementChild;
  for (const row of [...fresh.children]) {
    const was = known.get(row.id);
    const same = was && was.dataset.version === row.dataset.version;
    const wanted = same ? was : row;
    if (place === wanted) {
      place = place.nextElementSibling;
    } else {
      old.insertBefore(wanted, place);
    }
  }
  while (place) {
    const next = place.nextElementSibling;
    if (!place.classList.contains("pending")) place.remove();
    place = next;
  }
  if (focused && !document.activeElement?.closest("li")) document.getElementById(focused)?.querySelector("a")?.focus();
}

/** Shows every part of `page` that may change by itself. */
export function show(page) {
  const bubbles = document.getElementById("bubbles");
  const atEnd = !bubbles || bubbles.scrollHeight - bubbles.scrollTop - bubbles.clientHeight < 80;
  for (const old of document.querySelectorAll("[data-live]")) {
    const fresh = page.getElementById(old.id);
    if (!fresh) continue;
    showTimes(fresh);
    if (old.matches("ol")) {
      rows(old, fresh);
    } else if (!old.contains(document.activeElement) && old.innerHTML !== fresh.innerHTML) {
      old.replaceChildren(...fresh.childNodes);
    }
  }
  if (bubbles && atEnd) toEnd();
}

/** The newest message is what is looked at first. */
export function toEnd() {
  const bubbles = document.getElementById("bubbles");
  if (bubbles) bubbles.scrollTop = bubbles.scrollHeight;
}

/** What an answer holds. */
export async function parsed(answer) {
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}
