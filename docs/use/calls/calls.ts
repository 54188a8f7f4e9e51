// Every call of the API, with Node's own fetch. SERVICE_URL and API_KEY say where and as whom.

const BASE = process.env.SERVICE_URL ?? "http://127.0.0.1:8080";
const KEY = process.env.API_KEY;
const ATTEMPTS = 4;

/** What the service answers; the reference says which fields each call has. */
type Answer = Record<string, any>;

/** The service said no: `code` is a fixed word, or undefined where the answer has none, or is a page of a proxy's. */
class Refused extends Error {
  readonly status: number;
  readonly code: string | undefined;
  readonly details: unknown;

  constructor(status: number, answer: Answer | undefined) {
    super(`${status} ${answer?.code ?? ""}: ${answer?.message ?? "no answer of the service's"}`);
    this.status = status;
    this.code = answer?.code;
    this.details = answer?.details;
  }
}

const pause = (seconds: number): Promise<void> => new Promise((done) => setTimeout(done, seconds * 1000));

/** The answer, or undefined where it is not the service's: a proxy on the way has error pages of its own. */
async function read(response: Response): Promise<Answer | undefined> {
  const answer = await response.json().catch(() => undefined);
  return typeof answer === "object" && answer !== null ? answer : undefined;
}

/** Makes one call. Repeats it where nothing was sent, or where the idempotency key keeps it from sending twice. */
async function call(method: string, path: string, body?: object, key?: string): Promise<Answer> {
  const headers: Record<string, string> = { Authorization: `Bearer ${KEY}`, "Content-Type": "application/json" };
  if (key) headers["Idempotency-Key"] = key;
  const safe = key !== undefined || method === "GET";
  for (let attempt = 1; ; attempt++) {
    let response: Response;
    try {
      // A send waits for the network: be more patient than it is.
      const signal = AbortSignal.timeout(65_000);
      response = await fetch(BASE + path, { method, headers, body: body ? JSON.stringify(body) : null, signal });
    } catch (lost) {
      if (attempt === ATTEMPTS || !safe) throw lost;
      await pause(attempt);
      continue;
    }
    const answer = await read(response);
    const status = response.status;
    if (response.ok && answer) return answer;
    const again = answer
      ? [429, 503].includes(status) || answer.code === "request_in_flight" || (safe && status === 500 && attempt === 1)
      : safe && (response.ok || status === 429 || status >= 500);
    if (attempt === ATTEMPTS || !again) throw new Refused(status, answer);
    // A proxy may write a date there.
    const after = Number.parseInt(response.headers.get("Retry-After") ?? "", 10);
    await pause(Number.isNaN(after) ? attempt : after);
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
const conversations: Answer[] = [];
let cursor: string | null = "";
while (cursor !== null) {
  const page: Answer = await call("GET", "/v1/conversations?limit=50" + (cursor && `&cursor=${cursor}`));
  conversations.push(...page.data);
  cursor = page.nextCursor;
}

// One conversation, what was said in it, and an answer.
const conversation = conversations[0].id;
console.log(await call("GET", "/v1/conversations/" + conversation));
console.log(await call("GET", "/v1/conversations/" + conversation + "/messages"));
const reply = { conversationId: conversation, text: "Your order is ready." };
console.log(await call("POST", "/v1/messages", reply, `reply-${crypto.randomUUID()}`));

// A module, so that it may wait outside of a function.
export {};
