// A file for a form that takes the id of one: choosing it uploads it, and its id is put in.

import { all, signedOut } from "./dom.js";
import { refusal } from "./post.js";

/** Lets a file be chosen for each such field. */
export function offerUploads() {
  for (const field of all(document, "input[data-upload-to]", HTMLInputElement)) {
    const input = document.createElement("input");
    input.type = "file";
    input.setAttribute("aria-labelledby", `${field.id}-label`);
    input.setAttribute("aria-describedby", field.getAttribute("aria-describedby") ?? "");
    const label = document.querySelector(`label[for="${field.id}"]`);
    if (label) label.id = `${field.id}-label`;
    input.addEventListener("change", async () => {
      const file = input.files?.[0];
      if (!file) return;
      field.value = "";
      input.setCustomValidity("");
      try {
        const query = new URLSearchParams({ name: file.name.slice(0, 240) });
        const headers = { "X-Dashboard": "1", "Content-Type": file.type || "application/octet-stream" };
        const answer = await fetch(`/dashboard/api/attachments?${query}`, { method: "POST", headers, body: file });
        if (signedOut(answer)) return;
        const said = await answer.json().catch(() => ({}));
        if (answer.ok) field.value = said.id;
        else input.setCustomValidity(refusal(field, answer.status, said));
      } catch {
        input.setCustomValidity(refusal(field, 0, {}));
      }
      input.reportValidity();
    });
    field.after(input);
  }
}
