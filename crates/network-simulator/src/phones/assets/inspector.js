// What went over the wire of one chat: requests that the network took, and webhooks that it posted, as they were.

import { make } from "./bubble.js";
import { words } from "./words.js";

const MOST = 40;

async function all(path) {
  return (await (await fetch(path)).json()).data;
}

function entry(at, title, body) {
  const summary = make("summary", {}, make("time", { datetime: at }, at.slice(11, 19)), ` ${title}`);
  return make("details", { class: "wire" }, summary, make("pre", { dir: "ltr", tabindex: 0 }, JSON.stringify(body, null, 2)));
}

/** What names the person, or one of the messages of their chat, newest first. */
async function traffic({ place, person }, ids) {
  const [taken, posted] = await Promise.all([all("/control/messages"), all("/control/webhooks")]);
  const clues = [person.replace(/\D/g, "") || person, ...ids];
  const names = (row) => {
    const text = JSON.stringify(row);
    return text.includes(place.id) && clues.some((clue) => text.includes(clue));
  };
  const requests = taken.filter((row) => ids.includes(row.id)).map((row) => ({ at: row.acceptedAt, title: words.request, body: row.body }));
  const webhooks = posted.filter(names).map((row) => ({
    at: row.at, title: `${words.webhook} · ${row.status ?? row.error}${row.attempt > 1 ? ` · ${row.attempt}` : ""}`, body: row.body,
  }));
  return [...requests, ...webhooks].sort((one, other) => other.at.localeCompare(one.at)).slice(0, MOST);
}

/** The inspector of a phone; it looks when it is opened. `ids` says which messages its chat has. */
export function inspector(owner, ids) {
  const list = make("div", {});
  const again = make("button", { type: "button" }, words.again);
  const look = async () => {
    const rows = await traffic(owner, ids());
    list.replaceChildren(...rows.map(({ at, title, body }) => entry(at, title, body)));
    if (rows.length === 0) list.append(make("p", { class: "soft" }, words.empty));
  };
  const element = make("details", { class: "inspector" }, make("summary", {}, words.inspector), again, list);
  element.addEventListener("toggle", () => element.open && look().catch(() => {}));
  again.addEventListener("click", () => look().catch(() => {}));
  return element;
}
