// What somebody does with one message: quotes it, reacts to it, edits it or deletes it.

import { make } from "./bubble.js";
import { words } from "./words.js";

const EMOJI = ["👍", "❤", "😂", "😢"];

/** Reacts, or with nothing takes the reaction back; what `write` takes. */
export function react(network, id, emoji) {
  if (network === "whatsapp") {
    const reaction = { message_id: id, ...(emoji ? { emoji } : {}) };
    return { message: { type: "reaction", reaction } };
  }
  const said = emoji ? { action: "react", reaction: "other", emoji } : { action: "unreact" };
  return { event: { reaction: { mid: id, ...said } } };
}

/** Writes other words in the place of those. */
export function edit(network, id, text) {
  if (network === "whatsapp") {
    const message = { type: "text", text: { body: text } };
    return { message: { type: "edit", edit: { original_message_id: id, message } } };
  }
  return { event: { message_edit: { mid: id, text, num_edit: 1 } } };
}

/** Deletes it; nothing where the network lets nobody. */
export function remove(network, id) {
  if (network === "whatsapp") return { message: { type: "revoke", revoke: { original_message_id: id } } };
  if (network === "instagram") return { message: { mid: id, is_deleted: true } };
  return null;
}

/** A text, maybe an answer to a message that is quoted. */
export function says(network, text, quoted) {
  if (network === "whatsapp") {
    const context = quoted ? { context: { id: quoted } } : {};
    return { message: { type: "text", text: { body: text }, ...context } };
  }
  return { message: { text, ...(quoted ? { reply_to: { mid: quoted } } : {}) } };
}

function button(title, act) {
  const made = make("button", { type: "button" }, title);
  made.addEventListener("click", act);
  return made;
}

/** The menu of a line. `phone` has `owner`, `write`, `quote`, `change` and `tick`. */
export function menu(line, phone) {
  const { network } = phone.owner.place;
  const does = (what) => what && phone.write(what);
  const acts = [button(words.quote, () => phone.quote(line))];
  if (line.mine) {
    const gone = remove(network, line.id);
    if (line.text && !line.deleted) acts.push(button(words.edit, () => phone.change(line)));
    if (gone && !line.deleted) acts.push(button(words.delete, () => does(gone)));
  } else {
    for (const emoji of EMOJI) acts.push(button(emoji, () => does(react(network, line.id, emoji))));
    if (line.reactions.length > 0) acts.push(button(words.noReaction, () => does(react(network, line.id))));
  }
  if (!line.mine && phone.ticksByHand && line.state !== "read") {
    for (const status of ["delivered", "read", "failed"]) {
      acts.push(button(words.ticks[status], () => phone.tick(line, status)));
    }
  }
  return make("details", { class: "acts", name: "acts" }, make("summary", { "aria-label": words.acts, title: words.acts }, "⋯"), make("div", { class: "row" }, ...acts));
}
