// Writing an answer: it is shown at once and sent under one key, so that it is sent once however often it is tried.

import { attach } from "./attach.js";
import { quiet, say, shown } from "./bubble.js";
import { all, find, make, signedOut } from "./dom.js";
import { parsed, show, shows } from "./patch.js";
import { draft, forget, keepDraft, keepUnsent, placeOfUnsent, takeExpired, unsent } from "./unsent.js";
import { record } from "./voice.js";

/** @typedef {import("./unsent.js").Unsent} Unsent */

/** How long an answer may be on its way, in milliseconds: longer than the service takes for it, however slow the network. */
const PATIENCE = 90000;

let isLeft = false;
/** Whoever leaves the page waits for nothing: what is still to be sent then goes at once. @type {Promise<void>} */
const left = new Promise((resolve) => {
  addEventListener("pagehide", () => {
    isLeft = true;
    resolve();
  });
});

/**
 * A button below a message.
 * @param {string} text
 * @param {() => void} act
 */
function button(text, act) {
  const made = make("button", "", text);
  made.type = "button";
  made.addEventListener("click", act);
  return made;
}

/**
 * @param {HTMLFormElement} form
 * @param {AbortSignal} ended
 */
function composer(form, ended) {
  const conversation = form.dataset.compose ?? "";
  const words = form.dataset;
  const text = /** @type {HTMLTextAreaElement} */ (form.elements.namedItem("text"));
  const key = /** @type {HTMLInputElement} */ (form.elements.namedItem("key"));
  const attachment = /** @type {HTMLInputElement} */ (form.elements.namedItem("attachment"));

  /** @param {Unsent} message @param {HTMLLIElement} row */
  const done = (message, row) => {
    forget(conversation, message.key);
    row.remove();
    // Whoever has left the conversation and come back to it sees another one.
    for (const again of waiting()) if (again.dataset.key === message.key) again.remove();
  };

  /** What was not sent can be sent again, or taken back into the draft. @param {Unsent} message @param {HTMLLIElement} row @param {string} why */
  const failed = (message, row, why) => {
    say(
      row,
      why,
      button(words.sendAgain ?? "", () => send(message, row)),
      button(words.takeBack ?? "", () => {
        done(message, row);
        back(message);
      }),
    );
  };

  /** What may have been sent is only asked about, which sends nothing. @param {Unsent} message @param {HTMLLIElement} row */
  const unclear = (message, row) => {
    const acts = [button(words.check ?? "", () => send(message, row))];
    /** @type {HTMLElement[]} */
    const links = [];
    if (message.unclear && words.explain) {
      const link = make("a", "", words.explainWord);
      link.href = `${words.explain}/${message.unclear}`;
      links.push(link);
    }
    row.dataset.unclear = message.unclear ?? "";
    say(row, words.unclear ?? "", ...acts, ...links);
  };

  /** Puts it back where it can be changed, under its key: it may have been sent. @param {Unsent} message */
  const back = (message) => {
    if (message.attachment && !attachment.value) hold(message.attachment, message.file);
    text.value = [text.value, message.text].filter((part) => part.trim()).join("\n");
    key.value = message.key;
    keepDraft(conversation, text.value, key.value);
    text.focus();
  };

  /**
   * Under the key that the answer gives it: another, where its own has sent other words.
   * @param {Unsent} message @param {HTMLLIElement} row @param {Document} page
   */
  const rekeyed = (message, row, page) => {
    const given = find(page, "form[data-compose] [name=key]", HTMLInputElement)?.value;
    if (!given || given === message.key) return message;
    const other = { ...message, key: given };
    forget(conversation, message.key);
    keepUnsent(conversation, other);
    row.dataset.key = given;
    return other;
  };

  /** What was sent before. */
  let before = Promise.resolve();

  /** One goes after the other, so that they arrive in their order. @param {Unsent} message @param {HTMLLIElement} row */
  const send = (message, row) => {
    quiet(row);
    before = Promise.race([before, left]).then(() => post(message, row));
  };

  /** @param {Unsent} message @param {HTMLLIElement} row */
  async function post(message, row) {
    try {
      const fields = { text: message.text, key: message.key, attachment: message.attachment };
      const seen = shows;
      const signal = AbortSignal.timeout(PATIENCE);
      const answer = await fetch(form.action, { method: "POST", body: new URLSearchParams(fields), signal, keepalive: isLeft });
      if (answer.redirected && new URL(answer.url).pathname === "/dashboard/sign-in") {
        // With nothing else begun, it is a draft again when they are back.
        if (!message.attachment && !text.value && !draft(conversation)) {
          forget(conversation, message.key);
          keepDraft(conversation, message.text, message.key);
        }
        signedOut(answer);
        // The next one waits until they are back, too.
        return new Promise(() => {});
      }
      const page = await parsed(answer);
      const alert = find(page, ".conversation [data-outcome]", HTMLElement);
      const outcome = alert?.dataset.outcome ?? (answer.status === 504 ? "unclear" : answer.status >= 500 ? "unknown" : "refused");
      if (answer.ok || outcome === "recorded") {
        done(message, row);
        // What is shown may be another conversation by now, or newer than this.
        if (ended.aborted || seen !== shows) document.dispatchEvent(new Event("stale"));
        if (ended.aborted) return;
        show(page);
      } else if (outcome === "unclear") {
        const open = { ...message, unclear: alert?.dataset.message ?? "" };
        keepUnsent(conversation, open);
        unclear(open, row);
      } else if (outcome === "unknown") {
        failed(message, row, words.unknown ?? "");
      } else {
        const why = alert?.firstChild?.textContent ?? page.querySelector("h1")?.textContent ?? words.failed ?? "";
        failed(rekeyed(message, row, page), row, why);
      }
    } catch {
      // The answer is lost, and what became of the message with it.
      failed(message, row, words.unknown ?? "");
    }
  }

  /** @param {Unsent} message */
  const begin = (message) => {
    keepUnsent(conversation, message);
    send(message, shown(message));
  };

  const restore = () => {
    // Whoever goes back may be shown a page as it first came, whose key has sent something since. One that was given back
    // with a form stands for what is in it.
    if (!form.closest("[data-here]")) key.value = crypto.randomUUID();
    const kept = draft(conversation);
    if (kept && (!text.value || text.value === kept.text)) {
      text.value = kept.text;
      key.value = kept.key;
    }
    for (const message of takeExpired(conversation)) back(message);
    for (const message of unsent(conversation)) {
      const row = shown(message);
      if (message.unclear === undefined) failed(message, row, words.unsent ?? "");
      else unclear(message, row);
    }
    settle();
  };

  /** What nobody knew of and is in the conversation now has been sent. */
  const settle = () => {
    for (const row of all(document, "#bubbles > li[data-unclear]", HTMLLIElement)) {
      const id = row.dataset.unclear;
      if (id && document.getElementById(`message-${id}`)) {
        forget(conversation, row.dataset.key ?? "");
        row.remove();
      }
    }
  };

  const hold = attach(form, ended);
  record(form, ended);
  restore();
  document.addEventListener("shown", settle, { signal: ended });
  // Another window of this browser has sent it.
  /** @param {StorageEvent} event */
  const sentElsewhere = (event) => {
    if (event.key !== placeOfUnsent(conversation)) return;
    const keys = unsent(conversation).map((message) => message.key);
    for (const row of waiting()) if (!keys.includes(row.dataset.key ?? "")) row.remove();
  };
  addEventListener("storage", sentElsewhere, { signal: ended });
  const warn = warnOfColleagues(form, text, ended);
  text.addEventListener("input", () => keepDraft(conversation, text.value, key.value));
  text.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || matchMedia("(pointer: coarse)").matches) return;
    event.preventDefault();
    form.requestSubmit();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (words.busy || (!text.value.trim() && !attachment.value) || warn()) return;
    const file = attachment.value ? (form.querySelector("[data-attached] bdi")?.textContent ?? "") : "";
    const message = { text: text.value, key: key.value, attachment: attachment.value, file, at: Date.now() };
    text.value = "";
    key.value = crypto.randomUUID();
    keepDraft(conversation, "", "");
    form.dispatchEvent(new Event("sent"));
    text.focus();
    begin(message);
  });
  // A message that failed is sent anew, under the key that stands beside it.
  /** @param {SubmitEvent} event */
  const sentAnew = (event) => {
    const retry = event.target;
    if (!(retry instanceof HTMLFormElement) || !retry.matches("form[data-retry]")) return;
    event.preventDefault();
    const fields = new FormData(retry);
    retry.remove();
    begin({ text: String(fields.get("text")), key: String(fields.get("key")), attachment: "", file: "", at: Date.now() });
  };
  document.addEventListener("submit", sentAnew, { signal: ended });
}

/**
 * Stops an answer once where a colleague has answered since it was begun.
 * @param {HTMLFormElement} form
 * @param {HTMLTextAreaElement} text
 * @param {AbortSignal} ended
 * @returns {() => boolean} whether it was stopped
 */
function warnOfColleagues(form, text, ended) {
  const line = find(form, "[data-collision]", HTMLElement);
  const answers = () => all(document, "#bubbles > li[data-colleague]", HTMLLIElement);
  /** Answers of colleagues that were there when it was begun. @type {Set<string> | null} */
  let known = null;
  const begin = () => {
    if (!text.value.trim()) known = null;
    else known ??= new Set(answers().map(({ id }) => id));
    if (line && !known) line.hidden = true;
  };
  text.addEventListener("input", begin, { signal: ended });
  form.addEventListener("sent", () => {
    known = null;
    if (line) line.hidden = true;
  });
  begin();
  return () => {
    const other = known && answers().find(({ id }) => !known?.has(id));
    if (!other || !line) return false;
    known = new Set(answers().map(({ id }) => id));
    const name = make("bdi", "", other.dataset.colleague);
    const anyway = make("button", "", form.dataset.anyway);
    line.replaceChildren(name, " ", form.dataset.answered ?? "", " ", anyway);
    line.hidden = false;
    return true;
  };
}

/** Messages that are shown and not known to be sent. */
const waiting = () => all(document, "#bubbles > li.pending", HTMLLIElement);

/**
 * Sends by Enter, keeps a draft for each conversation, and shows a message before it is taken.
 * @param {AbortSignal} signal for as long as the conversation is shown
 */
export function compose(signal) {
  const form = find(document, "form[data-compose]", HTMLFormElement);
  if (form && "randomUUID" in crypto) composer(form, signal);
}
