// A list in a file: it is posted as it is, and the page goes on to what became of it.

import { all, find, make, signedOut } from "./dom.js";
import { post, refusal } from "./post.js";

/**
 * Says why the file was not taken: in the page's words, and where something is wrong with it in the service's own.
 * @param {HTMLElement} wrong
 * @param {number} status
 * @param {Record<string, unknown>} said
 */
function refuse(wrong, status, said) {
  const [sentence, detail] = [find(wrong, "p", HTMLElement), find(wrong, "bdi", HTMLElement)];
  if (!sentence || !detail) return;
  sentence.textContent = refusal(wrong, status, said);
  detail.textContent = status === 400 && !said.code ? String(said.message ?? "") : "";
  wrong.hidden = false;
}

/**
 * Tells which rows of a list were not taken, how many came twice, and what was not read of a workbook, where the page has a
 * place for that: it is kept nowhere.
 * @param {Record<string, any>} said
 * @returns {boolean} whether there were any
 */
function tellRefused(said) {
  const part = find(document, "[data-file-refused]", HTMLElement);
  /** @type {string[]} */
  const notRead = said.notRead ?? [];
  if (!part || !(said.refused || said.repeated || notRead.length > 0)) return false;
  /** @type {{ line: number, column: string | null, code: string }[]} */
  const refused = said.refusedRows;
  const words = (/** @type {string} */ name) => part.getAttribute(`data-${name}`) ?? "";
  const rows = refused.map(({ line, column, code }) => {
    const row = make("tr", "");
    for (const text of [String(line), words(`column-${column ?? "none"}`), words(`on-${code}`)]) row.append(make("td", "", text));
    return row;
  });
  find(part, "tbody", HTMLElement)?.replaceChildren(...rows);
  for (const some of all(part, "[data-file-rows]", HTMLElement)) {
    const count = Number(said[some.dataset.fileRows ?? ""]);
    some.hidden = count === 0;
    find(some, "span", HTMLElement)?.replaceChildren(String(count));
  }
  find(part, "bdi", HTMLElement)?.replaceChildren(said.list.name);
  const sheets = find(part, "[data-file-not-read]", HTMLElement);
  if (sheets) {
    sheets.hidden = notRead.length === 0;
    find(sheets, "bdi", HTMLElement)?.replaceChildren(notRead.join(", "));
  }
  const more = find(part, "[data-file-more]", HTMLElement);
  if (more) more.hidden = refused.length >= said.refused;
  part.hidden = false;
  part.focus();
  return true;
}

/** @param {HTMLFormElement} form */
async function send(form) {
  const file = find(form, "input[type=file]", HTMLInputElement)?.files?.[0];
  const bar = find(form, "progress", HTMLProgressElement);
  const wrong = find(form, "[data-file-wrong]", HTMLElement);
  const button = find(form, "button.main", HTMLButtonElement);
  if (!file || !bar || !wrong || !button || button.disabled) return;
  wrong.hidden = true;
  if (file.size > Number(form.dataset.fileMost)) {
    refuse(wrong, 413, {});
    return;
  }
  const named = find(form, "input[name=name]", HTMLInputElement)?.value;
  const query = new URLSearchParams({ name: named ?? file.name.slice(0, 240) });
  const encoding = find(form, "select[name=encoding]", HTMLSelectElement)?.value;
  if (encoding) query.set("encoding", encoding);
  const headers = { "Content-Type": "text/csv", Prefer: "respond-async" };
  button.disabled = true;
  bar.hidden = false;
  bar.value = 0;
  try {
    const { status, said } = await post(`${form.dataset.fileTo}?${query}`, file, headers, (share) => (bar.value = share));
    if (status >= 200 && status < 300 && tellRefused(said)) {
      form.reset();
      document.dispatchEvent(new Event("stale"));
    } else if (status >= 200 && status < 300) {
      location.assign((form.dataset.fileThen ?? "").replace("{id}", String(said.id ?? "")));
      return;
    } else if (!signedOut(new Response(null, { status: status || 599 }))) {
      refuse(wrong, status, said);
    }
  } catch {
    refuse(wrong, 0, {});
  }
  button.disabled = false;
  bar.hidden = true;
}

/** Offers files wherever a list can be brought, which takes a script. */
export function offerFiles() {
  for (const part of all(document, "[data-file-part]", HTMLElement)) {
    const form = find(part, "form[data-file-to]", HTMLFormElement);
    if (!form) continue;
    part.hidden = false;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      send(form);
    });
  }
}
