// The desk with the phones: which there are, and what each is shown.

import { make } from "./bubble.js";
import { Phone } from "./phone.js";
import { dress, swap, words } from "./words.js";

const KEY = "phones.owners";
const EVERY_MS = 700;

const desk = document.querySelector("#desk");
const add = document.querySelector("#add");
const trouble = document.querySelector("#trouble");
const other = document.querySelector("#language");
const phones = new Map();

const get = async (path) => (await fetch(path)).json();

/** The numbers, pages and accounts that can be written to. */
async function places() {
  const said = await get("/control/accounts");
  const numbers = said.data.flatMap((account) => account.numbers.map((number) => (
    { id: number.id, network: "whatsapp", title: `${number.verifiedName} \u2066${number.displayPhoneNumber}\u2069` })));
  const pages = said.pages.map((page) => ({ id: page.id, network: "messenger", title: page.name }));
  const accounts = said.pages.filter((page) => page.instagram)
    .map((page) => ({ id: page.instagram.id, network: "instagram", title: page.instagram.username }));
  return [...numbers, ...pages, ...accounts];
}

/** An id of somebody new: a number on WhatsApp, else the kind of id that the network gives. */
function somebody(network) {
  const digits = String(Math.floor(Math.random() * 9e6) + 1e6);
  return { whatsapp: `964770${digits}`, messenger: `2481000000${digits}`, instagram: `1785000000${digits}` }[network];
}

function kept() {
  try {
    return JSON.parse(localStorage.getItem(KEY)) ?? [];
  } catch {
    return [];
  }
}

function keep() {
  localStorage.setItem(KEY, JSON.stringify([...phones.values()].map((phone) => phone.owner)));
}

function put(owner, samples, dashboard) {
  const id = `${owner.place.id} ${owner.person}`;
  const phone = new Phone(owner, Object.keys(samples[owner.place.network]), dashboard, () => {
    phones.delete(id);
    phone.element.remove();
    keep();
  });
  phones.set(id, phone);
  desk.append(phone.element);
  keep();
  return phone;
}

/** Asks for every phone in turn, and again after a pause; not while nobody looks. */
async function follow() {
  try {
    if (!document.hidden) for (const phone of [...phones.values()]) await phone.refresh();
    trouble.textContent = "";
  } catch {
    trouble.textContent = words.unreachable;
  }
  setTimeout(follow, EVERY_MS);
}

async function start() {
  dress();
  other.textContent = words.other;
  other.lang = words.other === "English" ? "en" : "ar";
  other.addEventListener("click", swap);
  const [there, samples, settings] = await Promise.all([places(), get("/control/samples"), get("/phones/settings")]);
  const dashboard = settings.dashboardUrl;
  for (const [at, place] of there.entries()) {
    add.elements.place.append(make("option", { value: at }, `${words.networks[place.network]} · ${place.title}`));
  }
  const still = kept().flatMap((owner) => {
    const place = there.find((place) => place.id === owner.place?.id);
    return place ? [{ ...owner, place }] : [];
  });
  const first = ["whatsapp", "messenger", "instagram"].flatMap((network, at) => {
    const place = there.find((place) => place.network === network);
    return place ? [{ place, person: somebody(network), name: words.customers[at] }] : [];
  });
  for (const owner of still.length > 0 ? still : first) put(owner, samples, dashboard);
  add.addEventListener("submit", (event) => {
    event.preventDefault();
    const place = there[add.elements.place.value];
    const phone = put({ place, person: somebody(place.network), name: add.elements.name.value.trim() || "?" }, samples, dashboard);
    add.elements.name.value = "";
    phone.element.querySelector("textarea").focus();
  });
  follow();
}

start().catch(() => { trouble.textContent = words.unreachable; });
