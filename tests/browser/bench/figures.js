// Figures: each is one line on the standard output, which `cargo xtask bench dashboard` reads.

/**
 * @param {string} name
 * @param {number} value
 * @param {"ms" | "kb" | "mb" | "elements" | "events" | "messages" | "requests" | "rows" | "shift" | "streams"} unit
 * @param {number} [goal] The most that it should be.
 */
export function figure(name, value, unit, goal) {
  console.log(JSON.stringify({ name, value, unit, goal: goal ?? null }));
}

/** @param {string} what */
export function tell(what) {
  console.log(what);
}

/**
 * The value that this share of them does not exceed.
 * @param {number[]} values
 * @param {number} share
 */
export function quantile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  const found = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
  if (found === undefined) throw new Error("nothing was measured");
  return found;
}
