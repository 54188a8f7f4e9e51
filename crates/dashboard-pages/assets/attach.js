// A file for an answer: chosen, dropped or pasted, uploaded at once, and sent with the words.

/** Lets files be brought to the composer. */
export function attach(form) {
  const label = form.querySelector("[data-attach]");
  const input = label.querySelector("input");
  const line = form.querySelector("[data-attached]");
  const wrong = form.querySelector("[data-attach-wrong]");
  label.hidden = false;

  const set = (id, name) => {
    form.attachment.value = id;
    form.text.required = !id;
    line.hidden = !name;
    line.querySelector("bdi").textContent = name;
  };

  const upload = async (file) => {
    wrong.hidden = true;
    set("", `${input.dataset.uploading} ${file.name}`);
    let status = 0;
    try {
      const query = new URLSearchParams({ name: file.name.slice(0, 240) });
      const headers = { "X-Dashboard": "1", "Content-Type": file.type || "application/octet-stream" };
      const answer = await fetch(`/dashboard/api/attachments?${query}`, { method: "POST", headers, body: file });
      status = answer.status;
      if (answer.ok) {
        set((await answer.json()).id, file.name);
        form.text.focus();
        return;
      }
    } catch {
      // What follows says so.
    }
    set("", "");
    wrong.hidden = false;
    wrong.textContent = status === 413 ? input.dataset.tooLarge : status === 415 ? input.dataset.type : input.dataset.failed;
  };

  input.addEventListener("change", () => {
    if (input.files[0]) upload(input.files[0]);
    input.value = "";
  });
  form.querySelector("[data-detach]").addEventListener("click", () => set("", ""));
  form.addEventListener("sent", () => set("", ""));
  const thread = form.closest(".thread");
  thread.addEventListener("dragover", (event) => event.preventDefault());
  for (const kind of ["drop", "paste"]) {
    thread.addEventListener(kind, (event) => {
      const file = (event.dataTransfer ?? event.clipboardData)?.files[0];
      if (!file) return;
      event.preventDefault();
      upload(file);
    });
  }
}
