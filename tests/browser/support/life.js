// A workspace in which something has happened, so that no page is empty.

import { agent, eventually, network, owner } from "./stage.js";

export const CUSTOMER = "سارة الجبوري";
export const ABROAD = "Jonathan Featherstonehaugh-Whittington";

/** @param {string} name */
export function conversationWith(name) {
  return eventually(`${name} has written`, () => owner.conversationWith(name));
}

/**
 * Somebody who has written, by a name of their own.
 * @param {string} name
 * @param {string} from
 */
export async function customer(name, from) {
  await network.writes(from, name, `Hello from ${name}`);
  return conversationWith(name);
}

/** The ids that paths of pages are made with. */
async function live() {
  const from = "+9647701110001";
  await network.writes(from, CUSTOMER, "مرحبا، هل الطلب رقم A-1042 جاهز للاستلام؟");
  for (const sample of ["image", "voice", "document", "location", "contacts", "reply"]) {
    await network.inbound({ channelId: network.number, from, name: CUSTOMER, sample });
  }
  await network.inbound({
    pageId: network.page,
    from: "24811234567890177",
    name: ABROAD,
    message: { text: "Hello! Is the blue one still available in size 42? I would collect it on Thursday." },
  });
  await network.inbound({ instagramId: network.instagram, from: "17851234567890177", name: "Lina", sample: "image" });
  const conversation = await conversationWith(CUSTOMER);
  const messenger = await conversationWith(ABROAD);
  await owner.post("/canned-replies", { shortcut: "hours", text: "We are here from 9 to 17, but for Friday." });
  await owner.post("/canned-replies", { shortcut: "الدوام", text: "نحن هنا من 9 إلى 17، ما عدا الجمعة." });
  const group = await owner.post("/groups", { name: "Sales" });
  await owner.post("/invitations", { email: "omar@rafidain.example", role: "agent" });
  await owner.post("/api-keys", { label: "Web shop", scopes: ["contacts:read", "messages:send"] });
  await owner.post(`/conversations/${conversation}/tags`, { tag: "VIP" });
  await owner.post(`/conversations/${conversation}/tags`, { tag: "عميل مميز" });
  const { member } = await owner.get("/me");
  await agent.post(`/conversations/${conversation}/notes`, { text: "يريد اللون الأزرق، اسألوا المخزن", mentions: [member.id] });
  const reply = await agent.post(`/conversations/${conversation}/messages`, { text: "أهلا سارة، نعم، جاهز منذ الصباح." });
  await agent.post(`/conversations/${messenger}/messages`, { text: "Hello Jonathan, yes, two of them are left." });
  await network.settled();
  const broadcast = await owner.post("/broadcasts", { name: "Eid greetings", template: "store_hours", audience: { filter: { tag: "VIP" } } });
  // Nobody comes of it, so that no other journey has more people.
  const list = await owner.ask("POST", "/contact-imports?name=people.csv", "phone,name\nnobody,Sara\n0770,Omar\n", { prefer: "respond-async" });
  const document = await owner.ask("POST", "/assistant/documents?title=Returns&name=returns.md", "# Returns\n\nWithin 7 days, unopened.\n", {});
  const contacts = await owner.get("/contacts?limit=100");
  const contact = contacts.rows.find((/** @type {any} */ row) => row.contact.name === CUSTOMER);
  const webhooks = await owner.get("/webhooks");
  const webhook = webhooks.rows[0].id;
  const delivery = await eventually("a delivery is in the log", async () => {
    const { rows } = await owner.get(`/webhooks/${webhook}/deliveries`);
    return rows[0]?.id;
  });
  return { conversation, messenger, contact: contact.contact.id, webhook, delivery, message: reply.message.id, group: group.id, broadcast: broadcast.id, import: (await list.json()).id, document: (await document.json()).id };
}

export const ids = await live();
