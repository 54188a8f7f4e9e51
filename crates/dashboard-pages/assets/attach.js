// A file for an answer: chosen, taken by the camera, dropped or pasted, uploaded at once, and sent with the words.

import { all, find, member, signedOut } from "./dom.js";
import { post, refusal } from "./post.js";
import { remember, remembered } from "./storage.js";
import { FIELDS } from "./typed.js";

/**
 * Lets files be brought to the composer. A `file` event with a file in its detail brings one, too.
 * @param {HTMLFormElement} form
 * @param {AbortSignal} signal for as long as the conversation is shown: an upload goes on, and its file waits there
 * @returns {(file: string, called: string) => void} what holds one that was uploaded before
 */
export function attach(form, signal) {
  const line = find(form, "[data-attached]", HTMLElement);
  const name = line && find(line, "bdi", HTMLElement);
  const bar = line && find(line, "progress", HTMLProgressElement);
  const wrong = find(form, "[data-attach-wrong]", HTMLElement);
  const id = /** @type {HTMLInputElement} */ (form.elements.namedItem("attachment"));
  const text = /** @type {HTMLTextAreaElement} */ (form.elements.namedItem("text"));
  if (!line || !name || !bar || !wrong) return () => {};
  /** Where it is remembered which file is held, for as long as this window is there. */
  const place = `attached ${member} ${form.dataset.compose}`;
  let current = new AbortController();

  /** @param {string} file @param {string} called @param {boolean} busy */
  const set = (file, called, busy = false) => {
    id.value = file;
    text.required = !file;
    line.hidden = !called;
    name.textContent = called;
    bar.hidden = !busy;
    form.dataset.busy = busy ? "yes" : "";
    remember("sessionStorage", place, file ? [file, called] : null);
  };
  /** Holds the file that is remembered, if one is. */
  const recall = () => {
    const [file, called] = remembered("sessionStorage", place) ?? ["", ""];
    set(file, called);
  };

  /** @param {File} file */
  const upload = async (file) => {
    current.abort();
    const controller = (current = new AbortController());
    // A file goes with an answer, and never with a note.
    const answers = find(document, ".modes input[value=reply]", HTMLInputElement);
    if (answers) answers.checked = true;
    wrong.hidden = true;
    set("", `${form.dataset.uploading} ${file.name}`, true);
    bar.value = 0;
    let status = 0;
    /** @type {Record<string, unknown>} */
    let said = {};
    try {
      const path = `/dashboard/api/attachments?${new URLSearchParams({ name: file.name.slice(0, 240) })}`;
      const headers = { "Content-Type": file.type || "application/octet-stream" };
      ({ status, said } = await post(path, file, headers, (share) => (bar.value = share), controller.signal));
      if (status >= 200 && status < 300) {
        set(String(said.id ?? ""), file.name);
        // Whoever has come back to the conversation sees another composer.
        if (signal.aborted) document.dispatchEvent(new Event("uploaded"));
        // Whoever writes elsewhere meanwhile, such as a note, goes on there.
        else if (!document.activeElement?.matches(FIELDS)) text.focus();
        return;
      }
    } catch {
      if (controller.signal.aborted) return;
    }
    if (signedOut(new Response(null, { status: status || 599 })) || signal.aborted) return;
    set("", "");
    wrong.hidden = false;
    wrong.textContent = refusal(form, status, said);
  };

  for (const label of all(form, "[data-attach]", HTMLElement)) {
    const input = find(label, "input", HTMLInputElement);
    // A camera is at hand where a finger points.
    label.hidden = Boolean(input?.hasAttribute("capture")) && !matchMedia("(pointer: coarse)").matches;
    input?.addEventListener("change", () => {
      if (input.files?.[0]) upload(input.files[0]);
      input.value = "";
    });
  }
  form.querySelector("[data-detach]")?.addEventListener("click", () => {
    current.abort();
    set("", "");
  });
  form.addEventListener("sent", () => set("", ""));
  form.addEventListener("file", (event) => {
    if (event instanceof CustomEvent && event.detail instanceof File) upload(event.detail);
  });
  const conversation = find(document, ".conversation", HTMLElement);
  /** @param {Event} event @param {DataTransfer | null} data */
  const bring = (event, data) => {
    const [file, ...others] = data?.files ?? [];
    if (!file) return;
    event.preventDefault();
    upload(file);
    if (!others.length) return;
    wrong.hidden = false;
    wrong.textContent = form.dataset.oneFile ?? "";
  };
  conversation?.addEventListener("dragover", (event) => event.preventDefault());
  conversation?.addEventListener("drop", (event) => bring(event, event.dataTransfer));
  // What is pasted into a note is the note's. Of words that bring a picture of themselves, the words are meant.
  form.addEventListener("paste", (event) => {
    if (!event.clipboardData?.types.includes("text/plain")) bring(event, event.clipboardData);
  });
  // A browser that puts fields back may do so with the one that nobody sees: no file is held but the one that is shown.
  recall();
  const uploaded = () => id.value || form.dataset.busy || recall();
  document.addEventListener("uploaded", uploaded, { signal });
  return set;
}
