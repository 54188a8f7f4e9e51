// Writing an answer: it is shown at once and sent under one key, so that it is sent once however often it is tried.

import { attach } from "./attach.js";
import { parsed, show, toEnd } from "./patch.js";

function bubble(text, file) {
  const row = document.createElement("li");
  row.className = "ours pending";
  const box = document.createElement("div");
  box.className = "bubble";
  const words = document.createElement("p");
  words.className = "text";
  words.dir = "auto";
  words.textContent = file ? `${file}\n${text}` : text;
  box.append(words);
  row.append(box);
  return row;
}

async function send(form, row, fields) {
  row.querySelector(".again")?.remove();
  try {
    const answer = await fetch(form.action, { method: "POST", body: new URLSearchParams(fields) });
    const page = await parsed(answer);
    if (answer.redirected && new URL(answer.url).pathname === "/dashboard/sign-in") {
      keep(form, fields.text, fields.key);
      location.assign(`/dashboard/sign-in?${new URLSearchParams({ next: location.pathname + location.search })}`);
      return;
    }
    if (answer.ok) {
      row.remove();
      show(page);
      toEnd();
      return;
    }
    const why = page.querySelector(".thread > [role=alert]")?.textContent;
    failed(form, row, fields, why ?? page.querySelector("h1")?.textContent);
  } catch {
    failed(form, row, fields, form.dataset.failed);
  }
}

function failed(form, row, fields, why) {
  const again = document.createElement("p");
  again.className = "wrong again";
  again.setAttribute("role", "alert");
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = form.querySelector("button.main").textContent;
  button.addEventListener("click", () => send(form, row, fields));
  again.append(`${why ?? form.dataset.failed} `, button);
  row.querySelector(".bubble").append(again);
  toEnd();
}

const place = (form) => `draft ${form.dataset.compose}`;

function keep(form, text, key) {
  if (text) localStorage.setItem(place(form), JSON.stringify({ text, key }));
  else localStorage.removeItem(place(form));
}

function restore(form) {
  const kept = localStorage.getItem(place(form));
  if (!kept || form.text.value) return;
  const { text, key } = JSON.parse(kept);
  form.text.value = text;
  form.key.value = key;
}

/** Sends by Enter, keeps a draft for each conversation, and shows a message before it is taken. */
export function compose() {
  const form = document.querySelector("form[data-compose]");
  if (!form || !crypto.randomUUID) return;
  restore(form);
  attach(form);
  form.text.addEventListener("input", () => keep(form, form.text.value, form.key.value));
  form.text.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || matchMedia("(pointer: coarse)").matches) return;
    event.preventDefault();
    form.requestSubmit();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const fields = { text: form.text.value, key: form.key.value, attachment: form.attachment.value };
    if (!fields.text.trim() && !fields.attachment) return;
    const row = bubble(fields.text, fields.attachment && form.querySelector("[data-attached] bdi").textContent);
    document.getElementById("bubbles").append(row);
    toEnd();
    form.text.value = "";
    form.key.value = crypto.randomUUID();
    keep(form, "", "");
    form.dispatchEvent(new Event("sent"));
    form.text.focus();
    send(form, row, fields);
  });
}
