// The line between a browser and the service, which can be cut.

import { connect, createServer } from "node:net";

export class Line {
  /** @param {string} base The service's address. */
  constructor(base) {
    const { hostname, port } = new URL(base);
    this.isDead = false;
    /** @type {Set<import("node:net").Socket>} */
    this.ends = new Set();
    this.server = createServer((browser) => {
      if (this.isDead) {
        browser.destroy();
        return;
      }
      const service = connect(Number(port), hostname);
      for (const [end, other] of /** @type {const} */ ([[browser, service], [service, browser]])) {
        this.ends.add(end);
        end.pipe(other);
        end.on("error", () => other.destroy());
        end.on("close", () => {
          this.ends.delete(end);
          other.destroy();
        });
      }
    });
  }

  /** @returns {Promise<string>} Where a browser finds the service by this line. */
  async open() {
    await new Promise((resolve) => this.server.listen(0, "127.0.0.1", () => resolve(undefined)));
    const address = this.server.address();
    if (!address || typeof address === "string") throw new Error("the line has no address");
    return `http://127.0.0.1:${address.port}`;
  }

  /** Nothing goes through any more, and whatever was under way breaks off. */
  cut() {
    this.isDead = true;
    for (const end of this.ends) end.destroy();
  }

  mend() {
    this.isDead = false;
  }

  close() {
    this.cut();
    this.server.close();
  }
}
