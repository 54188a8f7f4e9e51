// Every call of the API, with Node's own fetch. SERVICE_URL and API_KEY say where and as whom.
// The types are in comments, so that Node runs the file as it is, and TypeScript checks it with `checkJs`.

const BASE = process.env.SERVICE_URL ?? "http://127.0.0.1:8080";
const KEY = process.env.API_KEY;
const ATTEMPTS = 4;

/** The service said no: `code` is a fixed word, or undefined where the answer has none. */
class Refused extends Error {
  constructor(/** @type {number} */ status, /** @type {any} */ answer) {
    super(`${status} ${answer.code ?? ""}: ${answer.message}`);
    Object.assign(this, { status, code: answer.code, details: answer.details });
  }
}

const pause = (/** @type {number} */ seconds) => new Promise((done) => setTimeout(done, seconds * 1000));

/**
 * Makes one call. Repeats it where nothing was sent, or where the idempotency key keeps it from sending twice.
 * @param {string} method @param {string} path @param {object} [body] @param {string} [key] @returns {Promise<any>}
 */
async function call(method, path, body, key) {
  const headers = { Authorization: `Bearer ${KEY}`, "Content-Type": "application/json" };
  if (key) headers["Idempotency-Key"] = key;
  for (let attempt = 1; ; attempt++) {
    let response;
    try {
      // A send waits for the network: be more patient than it is.
      const signal = AbortSignal.timeout(65_000);
      response = await fetch(BASE + path, { method, headers, body: body && JSON.stringify(body), signal });
    } catch (lost) {
      if (attempt === ATTEMPTS || !(key || method === "GET")) throw lost;
      await pause(attempt);
      continue;
    }
    const answer = await response.json();
    if (response.ok) return answer;
    const again = [429, 503].includes(response.status) || answer.code === "request_in_flight";
    if (attempt === ATTEMPTS || !again) throw new Refused(response.status, answer);
    await pause(Number(response.headers.get("Retry-After") ?? attempt));
  }
}

// Who am I?
console.log(await call("GET", "/v1/me"));

// Which templates can be sent, and what does each need?
console.log(await call("GET", "/v1/templates?status=approved"));

// A notice. The key is yours, kept beside the order: the same key never sends twice.
const notice = { to: "07701234567", template: "order_ready", variables: ["سارة", "A-1042"], reference: "order-1042" };
const sent = await call("POST", "/v1/messages/template", notice, `order-1042-${crypto.randomUUID()}`);

// A one-time code.
const code = { to: "07701234567", template: "login_code", code: "483920" };
console.log(await call("POST", "/v1/messages/template", code, `login-${crypto.randomUUID()}`));

// What became of the notice: by its id, and by your own reference.
console.log(await call("GET", "/v1/messages/" + sent.id));
console.log(await call("GET", "/v1/messages?reference=order-1042"));

// Contacts: add, rename, read, search.
const contact = await call("POST", "/v1/contacts", { phone: "0770 765 4321", name: "Noor" });
console.log(await call("PATCH", "/v1/contacts/" + contact.id, { name: "Noor Ali" }));
console.log(await call("GET", "/v1/contacts/" + contact.id));
console.log(await call("GET", "/v1/contacts?search=Noor"));

// A list page by page: `nextCursor` is null on the last one.
const conversations = [];
let cursor = "";
while (cursor !== null) {
  const page = await call("GET", "/v1/conversations?limit=50" + (cursor && `&cursor=${cursor}`));
  conversations.push(...page.data);
  cursor = page.nextCursor;
}

// One conversation, what was said in it, and an answer.
const conversation = conversations[0].id;
console.log(await call("GET", "/v1/conversations/" + conversation));
console.log(await call("GET", "/v1/conversations/" + conversation + "/messages"));
const reply = { conversationId: conversation, text: "Your order is ready." };
console.log(await call("POST", "/v1/messages", reply, `reply-${crypto.randomUUID()}`));
