// A message of one's own before the server shows it.

import { find, make } from "./dom.js";
import { toEnd } from "./patch.js";

/**
 * Shows it at the end of the conversation.
 * @param {import("./unsent.js").Unsent} message
 * @returns {HTMLLIElement}
 */
export function shown(message) {
  const row = make("li", "ours pending");
  row.dataset.key = message.key;
  const box = make("div", "bubble");
  const words = make("p", "text", message.file ? `${message.file}\n${message.text}` : message.text);
  words.dir = "auto";
  box.append(words);
  row.append(box);
  find(document, "#bubbles", HTMLElement)?.append(row);
  toEnd();
  return row;
}

/**
 * Says below it what became of it, and what can be done.
 * @param {HTMLLIElement} row
 * @param {string} why
 * @param {...HTMLElement} acts
 */
export function say(row, why, ...acts) {
  quiet(row);
  const line = make("p", "wrong again", `${why} `);
  line.setAttribute("role", "alert");
  line.append(...acts.flatMap((act) => [act, " "]));
  row.querySelector(".bubble")?.append(line);
  if (row.isConnected) toEnd();
}

/** @param {HTMLLIElement} row */
export function quiet(row) {
  row.querySelector(".again")?.remove();
}
