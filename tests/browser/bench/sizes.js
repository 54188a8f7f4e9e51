// How much has to come before the inbox works, compressed as a browser asks for it.

import { get } from "node:http";
import { gzipSync } from "node:zlib";

import { figure } from "./figures.js";
import { base, owner } from "./place.js";

/** As Chromium asks. */
const ENCODINGS = "gzip, deflate, br, zstd";

/**
 * An answer's body as it goes over the line.
 * @param {string} path
 * @param {string} encodings
 * @returns {Promise<Buffer>}
 */
function body(path, encodings) {
  const headers = { cookie: owner.header, "accept-encoding": encodings };
  return new Promise((resolve, reject) => {
    get(`${base}${path}`, { headers }, (answer) => {
      /** @type {Buffer[]} */
      const parts = [];
      answer.on("data", (part) => parts.push(part));
      answer.on("end", () => (answer.statusCode === 200 ? resolve(Buffer.concat(parts)) : reject(new Error(`${path}: ${answer.statusCode}`))));
    }).on("error", reject);
  });
}

/** @param {string} path */
const weigh = async (path) => (await body(path, ENCODINGS)).length;

/** @param {string} path */
const text = async (path) => (await body(path, "identity")).toString();

/**
 * A script and whatever it imports, and so on.
 * @param {string} path
 * @param {Set<string>} found
 */
async function modules(path, found) {
  if (found.has(path)) return;
  found.add(path);
  for (const [, name] of (await text(path)).matchAll(/(?:from|import)\s*\(?"(\.\/[^"]+)"/g)) {
    if (name) await modules(new URL(name, `${base}${path}`).pathname, found);
  }
}

export async function sizes() {
  const page = await text("/dashboard/inbox");
  const style = page.match(/<style>(.+?)<\/style>/s)?.[1];
  const script = page.match(/<script type="module" src="([^"]+)"/)?.[1];
  if (!style || !script) throw new Error("the inbox has no style or no script");
  /** @type {Set<string>} */
  const scripts = new Set();
  await modules(script, scripts);
  const sum = async (/** @type {string[]} */ paths) => {
    const weights = await Promise.all(paths.map(weigh));
    return weights.reduce((all, bytes) => all + bytes, 0) / 1024;
  };
  figure("inbox: HTML with its style, compressed", await sum(["/dashboard/inbox"]), "kb", 15);
  figure("inbox: style, compressed", gzipSync(style).length / 1024, "kb", 10);
  figure(`inbox: scripts, compressed`, await sum([...scripts]), "kb", 27);
}
