// The whole product on ports of its own: the service, its database and the network's simulator.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/**
 * What a sandbox prints when it is ready, as far as it is used here.
 * @typedef {object} Ready
 * @property {string} baseUrl
 * @property {string} apiKey
 * @property {{ email: string, password: string, role: "owner" | "agent" }[]} members
 * @property {{ simulatorUrl: string, phonesUrl: string }} network
 * @property {{ phoneNumberId: string, account: string, sendOnly: boolean }[]} numbers
 * @property {{ pageId: string, instagramId: string }[]} pages
 */

/**
 * Starts one.
 * @param {string} program
 * @returns {Promise<{ ready: Ready, end: () => Promise<void> }>}
 */
export async function startSandbox(program) {
  const child = spawn(program, ["sandbox", "--json"], { stdio: ["ignore", "pipe", "inherit"] });
  /** @type {Ready} */
  const ready = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => reject(new Error(`the sandbox ended with ${code} before it was ready`)));
    // It prints every event as well; somebody has to read them.
    createInterface({ input: child.stdout }).once("line", (line) => resolve(JSON.parse(line))).on("line", () => {});
  });
  child.once("close", (code, signal) => {
    // Whatever is tried without it fails, and says nothing.
    process.stderr.write(`the sandbox ended with ${signal ?? code} in the middle of it\n`);
    process.exit(1);
  });
  const end = async () => {
    child.removeAllListeners("close");
    const ended = new Promise((resolve) => child.once("close", resolve));
    // A kill would leave its PostgreSQL to clean up for the next one.
    child.kill("SIGTERM");
    await ended;
  };
  process.once("exit", () => child.kill("SIGTERM"));
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM"])) process.once(signal, () => process.exit(1));
  return { ready, end };
}
