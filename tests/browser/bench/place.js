// Where it is measured: the sandbox that was started for it, its members, and a Chromium.

import { startChromium, windows } from "../support/browser.js";
import { Member } from "../support/member.js";
import { Network } from "../support/network.js";

if (!process.env.READY) throw new Error("READY has to be what the sandbox said: use `cargo xtask bench dashboard`");
/** @type {import("../support/sandbox.js").Ready} */
const ready = JSON.parse(process.env.READY);

export const small = process.env.SMALL !== undefined;
export const base = ready.baseUrl;
export const network = new Network(ready);
export const chromium = await startChromium();

/** @param {"owner" | "agent"} role */
async function of(role) {
  const member = ready.members.find((member) => member.role === role);
  if (!member) throw new Error(`the sandbox has no ${role}`);
  return new Member(base, member.email, member.password).signIn();
}

export const owner = await of("owner");
export const agent = await of("agent");

/** The conversations as the list shows them, the newest first. */
const { rows } = await owner.get("/conversations?limit=100&status=open");
/** @type {string[]} */
export const conversations = rows.map((/** @type {any} */ row) => row.conversation.id);
/** The one that has gone on for a year: the seed's first. */
export const LONG = "01900000-0000-7000-8005-000000000001";

/**
 * Somebody's window.
 * @param {Member} member
 * @param {import("../support/browser.js").Options} [options]
 */
export async function seat(member, options) {
  const { context } = await windows(chromium, base, member, { viewport: { width: 1280, height: 800 }, ...options });
  return context;
}

/** @param {number} ms */
export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
