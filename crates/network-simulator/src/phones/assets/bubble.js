// One message on a phone. Texts go in as text, never as markup.

import { kind } from "./kinds.js";
import { language, words } from "./words.js";

/** Makes an element. */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null && value !== false) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

const clock = new Intl.DateTimeFormat(language === "ar" ? "ar-u-nu-latn" : "en", { hour: "2-digit", minute: "2-digit" });
const TICKS = { failed: "!", sent: "✓", taken: "✓✓", delivered: "✓✓", read: "✓✓" };

/** Files of this machine, which may be loaded: nothing leaves it. */
const LOCAL = /^http:\/\/(127\.0\.0\.1|localhost)(:|\/)/;

function file(shown) {
  const name = shown.name ?? kind(shown.kind ?? "file");
  const isPicture = shown.kind === "image" || shown.kind === "sticker";
  if (!shown.url.startsWith("/") && !(isPicture && LOCAL.test(shown.url))) return outside(name, shown.url);
  if (isPicture) return make("img", { src: shown.url, alt: name, loading: "lazy" });
  if (shown.kind === "audio") return make("audio", { src: shown.url, controls: true, preload: "none", "aria-label": name });
  if (shown.kind === "video") return make("video", { src: shown.url, controls: true, preload: "none", "aria-label": name });
  return make("a", { href: shown.url, download: name, dir: "auto" }, name);
}

/** A button that leads somewhere else; only addresses that a phone would open. */
function outside(title, url) {
  const opens = /^(https?|tel):/i.test(url);
  return make("a", { class: "button", href: opens ? url : null, target: "_blank", rel: "noreferrer", dir: "auto" }, title);
}

/** A line of a chat; `tap` sends a choice's answer, `menu` is what else can be done with it. */
export function draw(line, quoted, tap, menu) {
  const parts = [];
  if (quoted) parts.push(make("blockquote", { dir: "auto" }, quoted));
  if (line.deleted) parts.push(make("p", { class: "soft" }, words.deleted));
  if (line.title) parts.push(make("p", { class: "title", dir: "auto" }, line.title));
  for (const shown of line.files ?? []) parts.push(file(shown));
  if (line.text) parts.push(make("p", { class: "text", dir: "auto" }, line.text));
  if (line.footer) parts.push(make("p", { class: "soft", dir: "auto" }, line.footer));
  const state = line.mine && line.state === "sent" ? words.sent : words[line.state];
  const ticks = make("span", { class: `ticks ${line.state}`, role: "img", "aria-label": state, title: state }, TICKS[line.state]);
  const time = make("time", { datetime: line.at }, clock.format(new Date(line.at)));
  parts.push(make("p", { class: "foot soft" }, line.edited ? `${words.edited} ` : "", time, " ", ticks));
  if (line.reactions.length > 0) parts.push(make("p", { class: "reactions" }, line.reactions.join(" ")));
  for (const choice of line.choices ?? []) {
    const detail = choice.detail ? make("small", { dir: "auto" }, choice.detail) : null;
    const button = make("button", { type: "button", class: "choice" }, make("bdi", {}, choice.title), detail);
    button.addEventListener("click", () => tap(choice.reply));
    parts.push(button);
  }
  for (const link of line.links ?? []) parts.push(outside(link.title, link.url));
  return make("li", { class: line.mine ? "mine" : "theirs" }, ...parts, menu);
}
