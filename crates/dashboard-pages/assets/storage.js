// What a browser remembers for its pages. One that remembers nothing still shows and sends.

/** @typedef {"localStorage" | "sessionStorage"} Where for good, or for as long as this window is there */

/**
 * @param {Where} where
 * @param {string} place
 * @returns {any} null where nothing is remembered
 */
export function remembered(where, place) {
  try {
    return JSON.parse(window[where].getItem(place) ?? "null");
  } catch {
    return null;
  }
}

/**
 * @param {Where} where
 * @param {string} place
 * @param {unknown} value null where nothing is to be remembered
 */
export function remember(where, place, value) {
  try {
    if (value === null) window[where].removeItem(place);
    else window[where].setItem(place, JSON.stringify(value));
  } catch {
    // Neither is what is too long.
  }
}
