// Posting a file as it is, and telling how much of it has left, or why it was not taken.

/**
 * Why a file was not taken, in the words of the page: by the code of the answer, or else by its status.
 * @param {HTMLElement} words what has them as `data-on-…`
 * @param {number} status
 * @param {Record<string, unknown>} said
 */
export function refusal(words, status, said) {
  /** @param {unknown} about */
  const on = (about) => words.getAttribute(`data-on-${about}`);
  return on(said.code) ?? on(status) ?? on(0) ?? "";
}

/**
 * @param {string} path
 * @param {File} file
 * @param {Record<string, string>} headers
 * @param {(share: number) => void} progress
 * @param {AbortSignal} [signal]
 * @returns {Promise<{ status: number, said: Record<string, unknown> }>} what is said is an object, if only an empty one
 */
export function post(path, file, headers, progress, signal) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", path);
    request.setRequestHeader("X-Dashboard", "1");
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.responseType = "json";
    request.upload.addEventListener("progress", (event) => progress(event.total ? event.loaded / event.total : 0));
    request.addEventListener("load", () => resolve({ status: request.status, said: request.response ?? {} }));
    request.addEventListener("error", () => reject(new Error("the connection broke off")));
    request.addEventListener("abort", () => reject(signal?.reason));
    signal?.addEventListener("abort", () => request.abort());
    request.send(file);
  });
}
