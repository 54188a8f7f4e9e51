// What every journey stands on: one sandbox with some life in it, and one Chromium.

import { after } from "node:test";

import { PATIENCE_MS, startChromium, windows } from "./browser.js";
import { Member } from "./member.js";
import { Network } from "./network.js";
import { startSandbox } from "./sandbox.js";

const program = process.env.SERVER;
if (!program) throw new Error("SERVER has to be the service's program: use `cargo xtask browser`");

const sandbox = await startSandbox(program);
const browser = await startChromium().catch(async (error) => {
  await sandbox.end();
  throw error;
});
after(async () => {
  await browser.close();
  await sandbox.end();
});

export const base = sandbox.ready.baseUrl;
export const network = new Network(sandbox.ready);

/** @param {"owner" | "agent"} role */
async function of(role) {
  const member = sandbox.ready.members.find((member) => member.role === role);
  if (!member) throw new Error(`the sandbox has no ${role}`);
  return new Member(base, member.email, member.password).signIn();
}

export const owner = await of("owner");
export const agent = await of("agent");

/**
 * Somebody new in the team, signed in.
 * @param {string} email
 * @param {string} name
 * @param {"owner" | "agent"} role
 */
export async function join(email, name, role) {
  const member = new Member(base, email, "correct horse battery");
  const { link } = await owner.post("/invitations", { email, role });
  const token = new URL(link).hash.slice(1);
  member.keep(await member.ask("POST", "/invitations/accept", { token, name, password: member.password }));
  return member;
}

/**
 * Windows of a browser of its own.
 * @param {Member} [member]
 * @param {import("./browser.js").Options} [options]
 */
export async function open(member, options) {
  return windows(browser, base, member, options);
}

/**
 * Asks again and again until it is so.
 * @template T
 * @param {string} what
 * @param {() => Promise<T | undefined | false>} is
 * @returns {Promise<T>}
 */
export async function eventually(what, is) {
  const end = Date.now() + PATIENCE_MS;
  while (Date.now() < end) {
    const found = await is();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`still not so: ${what}`);
}
