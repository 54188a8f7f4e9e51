// The network's side: customers who write, and what their phones show.

/** @typedef {import("./sandbox.js").Ready} Ready */

/** @param {Response} answer */
async function taken(answer) {
  if (!answer.ok) throw new Error(`${answer.url}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

export class Network {
  /** @param {Ready} ready */
  constructor(ready) {
    this.url = ready.network.simulatorUrl;
    this.phones = ready.network.phonesUrl;
    const [page] = ready.pages;
    const number = ready.numbers.find((number) => !number.sendOnly);
    if (!page || !number) throw new Error("the sandbox has no page or no number");
    this.number = number.phoneNumberId;
    this.page = page.pageId;
    this.instagram = page.instagramId;
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {unknown} body
   */
  async control(method, path, body) {
    return taken(await fetch(`${this.url}/control${path}`, { method, body: JSON.stringify(body) }));
  }

  /**
   * Somebody writes; answers once the service has taken it.
   * @param {Record<string, unknown>} what
   */
  async inbound(what) {
    const answer = await this.control("POST", "/inbound", what);
    if (answer.webhook && answer.webhook.status !== 200) throw new Error(`the service answered ${JSON.stringify(answer)}`);
    return answer;
  }

  /**
   * Somebody writes a text over WhatsApp.
   * @param {string} from
   * @param {string} name
   * @param {string} text
   */
  async writes(from, name, text) {
    return this.inbound({ channelId: this.number, from, name, message: { type: "text", text: { body: text } } });
  }

  /**
   * The lines on somebody's phone.
   * @param {string} from
   * @returns {Promise<{ mine: boolean, text?: string }[]>}
   */
  async chat(from) {
    const query = new URLSearchParams({ channelId: this.number, from });
    return (await taken(await fetch(`${this.phones}/chat?${query}`))).lines;
  }

  /** Waits until the service has taken everything, and every status is posted. */
  async settled() {
    await this.control("POST", "/settle", { acknowledged: true });
  }

  /** @param {object[]} faults */
  async faults(faults) {
    await this.control("PUT", "/faults", { faults });
  }
}
