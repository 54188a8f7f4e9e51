// How a phone and the network behave: offline, failing, ticks by hand, the answer window, and what goes wrong once.

import { make } from "./bubble.js";
import { words } from "./words.js";

const LASTING = {
  offline: { kind: "offline", seconds: 60 },
  fails: { kind: "error", code: 131026, async: true, title: "Message undeliverable" },
  byHand: { kind: "drop_statuses", statuses: ["delivered", "read"] },
};

const ONCE = {
  slow: { kind: "latency", ms: 5000 },
  refused: { kind: "error", code: 131000, title: "Something went wrong" },
  unreachable: { kind: "server_error_html" },
  unclear: { kind: "cut_after_accept" },
  throttled: { kind: "throttle", retryAfter: 5 },
  duplicated: { kind: "duplicate_statuses" },
};

async function faults() {
  return (await (await fetch("/control/faults")).json()).faults;
}

const concerns = (fault, { place, person }) => fault.to === person && fault.phoneNumberId === place.id;
const same = (fault, wanted) => fault.kind === wanted.kind && (fault.times ?? null) === null;

/** Which of the lasting ones are on for this phone. */
export async function on(owner) {
  const mine = (await faults()).filter((fault) => concerns(fault, owner));
  return Object.fromEntries(Object.entries(LASTING).map(([name, wanted]) => [name, mine.some((fault) => same(fault, wanted))]));
}

/** Puts others in the place of this phone's, and leaves those of other phones as they are. */
async function replace(owner, change) {
  const all = (await faults()).map(({ remaining, ...fault }) => ({ ...fault, times: remaining }));
  const others = all.filter((fault) => !concerns(fault, owner));
  const mine = change(all.filter((fault) => concerns(fault, owner)));
  const scoped = mine.map((fault) => ({ ...fault, to: owner.person, phoneNumberId: owner.place.id }));
  const answer = await fetch("/control/faults", { method: "PUT", body: JSON.stringify({ faults: [...others, ...scoped] }) });
  if (!answer.ok) throw new Error((await answer.json()).error);
}

/** The person last wrote so long ago that the network takes nobody's own words any more. */
async function windowOver({ place, person }) {
  const body = JSON.stringify({ channelId: place.id, person, hoursAgo: 8 * 24 });
  const answer = await fetch("/control/wrote", { method: "PUT", body });
  if (!answer.ok) throw new Error((await answer.json()).error);
}

/** The switches of a phone. `changed` hears what is on; `wrong` hears why something could not be done. */
export function switches(owner, changed, wrong) {
  const known = Object.keys(LASTING).filter((name) => name !== "byHand" || owner.place.network === "whatsapp");
  const boxes = new Map(known.map((name) => [name, make("input", { type: "checkbox" })]));
  const told = (doing) => doing.catch((error) => wrong(words.refused + error.message)).finally(look);
  const look = async () => {
    const now = await on(owner);
    for (const [name, box] of boxes) box.checked = now[name];
    changed(now);
  };
  const rows = [...boxes].map(([name, box]) => {
    box.addEventListener("change", () => told(replace(owner, (mine) => {
      const rest = mine.filter((fault) => !same(fault, LASTING[name]));
      return box.checked ? [...rest, LASTING[name]] : rest;
    })));
    return make("label", { class: "check" }, box, words.switches[name]);
  });
  const once = make("select", { "aria-label": words.once }, make("option", { value: "" }, words.once),
    ...Object.keys(ONCE).map((name) => make("option", { value: name }, words.faults[name])));
  once.addEventListener("change", () => {
    const chosen = ONCE[once.value];
    once.value = "";
    if (chosen) told(replace(owner, (mine) => [...mine, { ...chosen, times: 1 }]));
  });
  const over = make("button", { type: "button" }, words.windowOver);
  over.addEventListener("click", () => told(windowOver(owner)));
  look().catch(() => {});
  return make("details", { class: "switches" }, make("summary", {}, words.behaves), ...rows, over, once);
}
