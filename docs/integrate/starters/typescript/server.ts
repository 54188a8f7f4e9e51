// A system of your own in TypeScript: the whole contract of docs/integrate/custom-system.md, with Node and nothing to install.
//
//     SERVICE_SECRET=... node server.ts
//
// Every type is inferred, so the file is TypeScript and JavaScript at once: Node before 22.18 runs it as server.mjs.
// It listens on PORT (8460). The goods, the customer and the calendar are examples in memory: put your own in their
// place, and keep the rest. With a database, unique columns for `key` and `slot` do what the maps do here.

import { createHash, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const secret = process.env.SERVICE_SECRET ?? "";
if (!secret) throw new Error("SERVICE_SECRET is not set");
const base = "/service"; // what is registered is https://your.host/service
const shop = {
  name: "متجر تايب سكربت",
  currency: "IQD",
  capabilities: ["catalog", "orders", "customers", "appointments"],
};
const services = ["تنصيب سبلت", "صيانة غسالة"];
const hours = ["10", "13", "16"];

// What orders name. `of` says whose variant it is.
const sold = [
  { id: "1", of: "1", title: "", price: 4500, quantity: 40, options: {} },
  { id: "2", of: "2", title: "", price: 12000, quantity: 25, options: {} },
  { id: "3-41", of: "3", title: "قياس 41", price: 35000, quantity: 3, options: { القياس: "41" } },
  { id: "3-42", of: "3", title: "قياس 42", price: 35000, quantity: 0, options: { القياس: "42" } },
];
const products = [
  { id: "1", title: "شاي الوزة أسود 450 غم", price: 4500, compareAtPrice: 5000, categories: ["أغذية"] },
  { id: "2", title: "رز عنبر 5 كغم", price: 12000, categories: ["أغذية"] },
  { id: "3", title: "حذاء رياضي أبيض", price: 35000, categories: ["أحذية"] },
];

const line = (id = "", title = "", quantity = 0, price = 0) => ({ id, title, quantity, price });
const order = (id = 0, status = "", phone = "", placedAt = "", lines = [line()]) => ({ id, status, phone, placedAt, lines });
const customer = (id = 0, name = "", points = 0) => ({ id, name, points });
const appointment = (id = 0, slot = slotOf("", "", 0)) => ({ id, slot });

const orders = [order(5001, "shipped", "+9647701234567", "2026-11-20T12:00:00+03:00", [line("2", "رز عنبر 5 كغم", 1, 12000)])];
const orderOfKey = new Map([["", order()]]);
const customers = new Map([["+9647701234567", customer(1, "سارة", 340)]]);
const appointmentOfKey = new Map([["", appointment()]]);
const takenSlots = new Set([""]);
// The entries above only tell the types.
for (const kept of [orderOfKey, appointmentOfKey, takenSlots]) kept.clear();

/** What cannot be done: a status, and a message for the team. */
class Refused extends Error {
  status = 0;
  static with(status = 422, message = "the request lacks something, or has it in another form") {
    return Object.assign(new Refused(message), { status });
  }
}

// What the request says, in the form that is needed.
const text = (value = JSON.parse("null")) => {
  if (typeof value !== "string" && typeof value !== "number") throw Refused.with();
  return String(value);
};
const list = (value = JSON.parse("null")) => {
  if (!Array.isArray(value)) throw Refused.with();
  return value;
};

// The catalogue

const shownProduct = (product = products[0]) => {
  const items = sold.filter((item) => item.of === product.id);
  const variants = items.map(({ of, ...item }) => ({ ...item, inStock: item.quantity > 0 }));
  const inStock = variants.some((variant) => variant.inStock);
  const own = items.find((item) => item.id === product.id);
  return own ? { ...product, inStock, quantity: own.quantity } : { ...product, inStock, variants };
};

const search = (query = new URLSearchParams()) => {
  const words = (query.get("q") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const category = query.get("category");
  const limit = Math.min(Math.max(Number(query.get("limit") ?? 50) || 50, 1), 50);
  const found = products.filter(({ title, categories }) => {
    const named = words.length === 0 || words.some((word) => title.toLowerCase().includes(word));
    return named && (!category || categories.includes(category));
  });
  return { products: found.slice(0, limit).map((product) => shownProduct(product)) };
};

const productOf = (id = "") => {
  const product = products.find((product) => product.id === id);
  if (!product) throw Refused.with(404, "there is no such product");
  return shownProduct(product);
};

// Orders

const shownOrder = ({ id, status, phone, placedAt, lines } = order()) => ({
  id,
  number: String(id),
  status,
  total: lines.reduce((sum, { price, quantity }) => sum + price * quantity, 0),
  customerPhone: phone,
  placedAt,
  lines: lines.map(({ title, quantity, price }) => ({ title, quantity, price })),
});

const orderOf = (reference = "") => {
  const found = orders.find(({ id }) => String(id) === reference.replace(/^#/, ""));
  if (!found) throw Refused.with(404, "there is no such order");
  return found;
};

// Nothing waits between the look at the key and the order, so that a key that comes twice at once finds the first.
const placeOrder = (body = JSON.parse("{}")) => {
  const key = text(body.idempotencyKey);
  const seen = orderOfKey.get(key);
  if (seen) return { status: 200, said: shownOrder(seen) };
  const phone = text(body.customer?.phone);
  const lines = list(body.lines).map((wanted) => {
    const item = sold.find((item) => item.id === text(wanted?.variantId));
    if (!item) throw Refused.with(422, `${wanted.variantId} is not sold`);
    const quantity = Number(wanted.quantity);
    if (!(Number.isInteger(quantity) && quantity > 0)) throw Refused.with();
    if (item.quantity < quantity) throw Refused.with(409, `${item.id} is not there in that quantity`);
    const title = products.find((product) => product.id === item.of)?.title ?? "";
    return line(item.id, item.title ? `${title} – ${item.title}` : title, quantity, item.price);
  });
  if (lines.length === 0) throw Refused.with(422, "the order names nothing");
  restock(lines, -1);
  const made = order(5001 + orders.length, "pending", phone, local(new Date()), lines);
  orders.push(made);
  orderOfKey.set(key, made);
  return { status: 201, said: shownOrder(made) };
};

const restock = (lines = [line()], sign = 1) => {
  for (const { id, quantity } of lines) {
    const item = sold.find((item) => item.id === id);
    if (item) item.quantity += sign * quantity;
  }
};

const cancelOrder = (reference = "") => {
  const found = orderOf(reference);
  if (found.status !== "pending") {
    throw Refused.with(409, `the order is ${found.status} and can no longer be cancelled`);
  }
  restock(found.lines);
  found.status = "cancelled";
  return shownOrder(found);
};

// Customers

const lookUp = (phone = "") => {
  const known = customers.get(phone);
  if (!known) return { customer: null };
  const { id, name, points } = known;
  return { customer: { id, name, fields: { "نقاط الولاء": points } } };
};

const keepLead = (body = JSON.parse("{}")) => {
  const phone = text(body.phone);
  const { id, points } = customers.get(phone) ?? customer(customers.size + 1);
  customers.set(phone, customer(id, text(body.name), points));
  return { customer: { id } };
};

// Appointments, at UTC+3

const hour = 3_600_000;
const local = (at = new Date()) => new Date(at.getTime() + 3 * hour).toISOString().slice(0, 19) + "+03:00";

function slotOf(day = "", at = "", service = 0) {
  const startsAt = `${day}T${at}:00:00+03:00`;
  const endsAt = day && local(new Date(Date.parse(startsAt) + hour));
  return { id: `${day}-${at}-${service}`, startsAt, endsAt, service: services[service] ?? "" };
}

const allSlots = () => {
  const days = Array.from({ length: 60 }, (_, ahead) => new Date(Date.now() + ahead * 24 * hour));
  const open = days.map((day) => local(day).slice(0, 10)).filter((day) => new Date(day).getUTCDay() !== 5);
  return open.flatMap((day) => hours.flatMap((at) => services.map((_, service) => slotOf(day, at, service))));
};

const freeSlots = (query = new URLSearchParams()) => {
  const from = (query.get("from") ?? local()).slice(0, 10);
  const to = (query.get("to") ?? "9999").slice(0, 10);
  const service = query.get("service");
  const free = allSlots().filter((slot) => {
    const day = slot.startsAt.slice(0, 10);
    const ahead = Date.parse(slot.startsAt) > Date.now() && !takenSlots.has(slot.id);
    return ahead && from <= day && day <= to && (!service || service === slot.service);
  });
  return { services, slots: free.slice(0, 30) };
};

const shownAppointment = ({ id, slot } = appointment()) => ({
  appointment: { ...slot, id: `apt_${id}`, status: "confirmed" },
});

const book = (body = JSON.parse("{}")) => {
  const key = text(body.idempotencyKey);
  const seen = appointmentOfKey.get(key);
  if (seen) return { status: 200, said: shownAppointment(seen) };
  const slot = allSlots().find(({ id }) => id === text(body.slotId));
  if (!slot) throw Refused.with(422, "there is no such slot");
  if (takenSlots.has(slot.id)) throw Refused.with(409, "the slot was taken in the meantime");
  takenSlots.add(slot.id);
  const made = appointment(takenSlots.size, slot);
  appointmentOfKey.set(key, made);
  return { status: 201, said: shownAppointment(made) };
};

// The wire

const ok = (said = {}) => ({ status: 200, said });
const nothing = (reference = "", query = new URLSearchParams(), body = JSON.parse("{}")) => ok({ reference, query, body });
const route = (method = "", path = /^$/, handler = nothing) => ({ method, path, handler });

const routes = [
  route("GET", /^\/verify$/, () => ok(shop)),
  route("GET", /^\/products$/, (_, query) => ok(search(query))),
  route("GET", /^\/products\/([^/]+)$/, (id) => ok(productOf(id))),
  route("POST", /^\/orders$/, (_, __, body) => placeOrder(body)),
  route("GET", /^\/orders\/([^/]+)$/, (reference) => ok(shownOrder(orderOf(reference)))),
  route("POST", /^\/orders\/([^/]+)\/cancel$/, (reference) => ok(cancelOrder(reference))),
  route("GET", /^\/customers\/lookup$/, (_, query) => ok(lookUp(query?.get("phone") ?? ""))),
  route("POST", /^\/customers$/, (_, __, body) => ok(keepLead(body))),
  route("GET", /^\/appointments\/slots$/, (_, query) => ok(freeSlots(query))),
  route("POST", /^\/appointments$/, (_, __, body) => book(body)),
];

const answer = (method = "", url = new URL("http://host"), given = "", raw = "") => {
  const below = url.pathname.startsWith(base) ? url.pathname.slice(base.length) : "";
  const found = routes.find((route) => route.method === method && route.path.test(below));
  if (!found) throw Refused.with(404, "there is no such route");
  const hash = (text = "") => createHash("sha256").update(text).digest();
  if (!timingSafeEqual(hash(given), hash(`Bearer ${secret}`))) throw Refused.with(401, "the secret is wrong");
  const reference = decodeURIComponent(found.path.exec(below)?.[1] ?? "");
  return found.handler(reference, url.searchParams, JSON.parse(raw || "{}") ?? {});
};

const server = createServer(async (request, response) => {
  let { status, said } = { status: 500, said: JSON.parse("{}") };
  try {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const url = new URL(request.url ?? "/", "http://host");
    ({ status, said } = answer(request.method, url, request.headers.authorization, Buffer.concat(chunks).toString("utf8")));
  } catch (error) {
    const unread = error instanceof SyntaxError || error instanceof URIError;
    const refused = error instanceof Refused ? error : unread ? Refused.with() : Refused.with(500, "see the log");
    if (refused.status === 500) console.error(error);
    ({ status, said } = { status: refused.status, said: { message: refused.message } });
  }
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(said));
});

server.listen(Number(process.env.PORT ?? 8460), "127.0.0.1", () => {
  const address = server.address();
  if (address && typeof address === "object") console.log(`http://127.0.0.1:${address.port}${base}`);
});
