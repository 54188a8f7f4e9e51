// A member at the dashboard's JSON API, past any browser.

/**
 * The cookie of a session: a sandbox on loopback may have another than a service that is reached by TLS.
 * @typedef {{ name: string, value: string, url: string, secure: boolean, httpOnly: true, sameSite: "Lax" }} SessionCookie
 */

const NAMES = /^((?:__Host|sandbox)-session)=([^;]+)/;

export class Member {
  /**
   * @param {string} base
   * @param {string} email
   * @param {string} password
   */
  constructor(base, email, password) {
    this.base = base;
    this.email = email;
    this.password = password;
    this.name = "";
    this.session = "";
  }

  /** A session of its own. */
  async signIn() {
    const answer = await this.ask("POST", "/sign-in", { email: this.email, password: this.password });
    this.keep(answer);
    return this;
  }

  /** @param {Response} answer */
  keep(answer) {
    const [, name, session] = answer.headers.getSetCookie().map((cookie) => NAMES.exec(cookie)).find(Boolean) ?? [];
    if (!name || !session) throw new Error("no session came");
    [this.name, this.session] = [name, session];
  }

  /** @returns {SessionCookie} */
  cookie() {
    const secure = this.name.startsWith("__Host-");
    const url = secure ? this.base.replace("http:", "https:") : this.base;
    return { name: this.name, value: this.session, url, secure, httpOnly: true, sameSite: "Lax" };
  }

  /** As a client sends it. */
  get header() {
    return `${this.name}=${this.session}`;
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {unknown} [body] A text is sent as it is.
   * @param {Record<string, string>} [more]
   */
  async ask(method, path, body, more) {
    /** @type {Record<string, string>} */
    const headers = { "x-dashboard": "1", "user-agent": "browser tests", ...more };
    if (this.session) headers.cookie = this.header;
    const isText = typeof body === "string";
    if (body !== undefined && !isText) headers["content-type"] = "application/json";
    const text = isText ? body : JSON.stringify(body);
    const answer = await fetch(`${this.base}/dashboard/api${path}`, { method, headers, body: text });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  }

  /**
   * @param {string} path
   * @returns {Promise<any>}
   */
  async get(path) {
    return (await this.ask("GET", path)).json();
  }

  /**
   * @param {string} path
   * @param {unknown} [body]
   * @returns {Promise<any>}
   */
  async post(path, body) {
    const answer = await this.ask("POST", path, body);
    return answer.status === 204 ? undefined : answer.json();
  }

  /**
   * @param {string} path
   * @param {unknown} body
   */
  async put(path, body) {
    await this.ask("PUT", path, body);
  }

  /**
   * The conversation of a customer, by what they are called; nothing before they have written.
   * @param {string} name
   * @returns {Promise<string | undefined>}
   */
  async conversationWith(name) {
    const { rows } = await this.get("/conversations?limit=100");
    return rows.find((/** @type {any} */ row) => row.contact.name === name)?.conversation.id;
  }
}
