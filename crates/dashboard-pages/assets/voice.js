// A voice note, where the browser records in a form that the networks take.

import { find } from "./dom.js";

/** Forms that networks take, with the end of a file's name. */
const FORMS = [
  ["audio/ogg;codecs=opus", "ogg"],
  ["audio/mp4;codecs=mp4a.40.2", "m4a"],
];

/**
 * Lets a voice note be recorded: the first press begins, the second brings it to the composer.
 * @param {HTMLFormElement} form
 * @param {AbortSignal} signal for as long as the conversation is shown: what is recorded when it ends waits there
 */
export function record(form, signal) {
  const button = find(form, "[data-record]", HTMLButtonElement);
  if (!button || !("MediaRecorder" in window) || !navigator.mediaDevices) return;
  const [type, ending] = FORMS.find(([type]) => MediaRecorder.isTypeSupported(type ?? "")) ?? [];
  if (!type) return;
  const words = button.dataset;
  /** @type {MediaRecorder | null} */
  let recorder = null;
  /** Whether the microphone is asked for, which takes as long as whoever has it to allow. */
  let isAsked = false;
  button.hidden = false;

  /** @param {boolean} isOn */
  const mark = (isOn) => {
    button.setAttribute("aria-pressed", String(isOn));
    const label = (isOn ? words.stop : words.record) ?? "";
    button.setAttribute("aria-label", label);
    button.title = label;
  };

  const begin = async () => {
    const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
    if (signal.aborted) {
      for (const track of stream.getTracks()) track.stop();
      return;
    }
    /** @type {Blob[]} */
    const parts = [];
    recorder = new MediaRecorder(stream, { mimeType: type });
    recorder.addEventListener("dataavailable", (event) => parts.push(event.data));
    recorder.addEventListener("stop", () => {
      for (const track of stream.getTracks()) track.stop();
      recorder = null;
      mark(false);
      const plain = type.split(";")[0];
      const file = new File(parts, `voice.${ending}`, { type: plain });
      if (file.size) form.dispatchEvent(new CustomEvent("file", { detail: file }));
    });
    recorder.start();
    mark(true);
  };

  signal.addEventListener("abort", () => recorder?.stop());
  button.addEventListener("click", () => {
    if (recorder) {
      recorder.stop();
      return;
    }
    // A second recording in the place of the first would leave its microphone open.
    if (isAsked) return;
    isAsked = true;
    begin()
      .catch(() => {
        const wrong = find(form, "[data-attach-wrong]", HTMLElement);
        if (!wrong) return;
        wrong.hidden = false;
        wrong.textContent = words.denied ?? "";
      })
      .finally(() => (isAsked = false));
  });
}
