// What the server takes for pages while 20 browsers load the list anew as often as they ever do: once a second.

import { figure, quantile } from "./figures.js";
import { agent, base, conversations, pause, small } from "./place.js";

const BROWSERS = 20;
const ROUNDS = small ? 3 : 20;

/** @param {string} path */
async function load(path) {
  const started = performance.now();
  const answer = await fetch(`${base}${path}`, { headers: { cookie: agent.header } });
  await answer.arrayBuffer();
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`);
  return performance.now() - started;
}

export async function server() {
  for (const [name, path] of [
    ["inbox", () => "/dashboard/inbox?view=all"],
    ["a conversation", (/** @type {number} */ at) => `/dashboard/inbox/${conversations[at % conversations.length]}`],
  ]) {
    /** @type {number[]} */
    const times = [];
    const browser = async (/** @type {number} */ number) => {
      // They do not all begin at once.
      await pause((number * 1000) / BROWSERS);
      for (let round = 0; round < ROUNDS; round += 1) {
        const path_of = /** @type {(at: number) => string} */ (path);
        const took = await load(path_of(number * ROUNDS + round));
        if (round > 0) times.push(took);
        await pause(Math.max(0, 1000 - took));
      }
    };
    await Promise.all(Array.from({ length: BROWSERS }, (_, number) => browser(number)));
    figure(`server, 20 browsers: ${name}, p50`, quantile(times, 0.5), "ms");
    figure(`server, 20 browsers: ${name}, p95`, quantile(times, 0.95), "ms", 50);
  }
}
