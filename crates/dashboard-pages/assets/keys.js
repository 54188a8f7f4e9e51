// Keys of the inbox. They go by where a key is, since an Arabic layout has no letter J, and never while somebody types.

function step(by) {
  const rows = [...document.querySelectorAll("#rows a")];
  const at = rows.findIndex((row) => row === document.activeElement);
  const open = rows.findIndex((row) => row.getAttribute("aria-current") === "true");
  const from = at >= 0 ? at : open;
  rows[Math.min(Math.max(from + by, 0), rows.length - 1)]?.focus();
}

const ACTIONS = {
  KeyJ: () => step(1),
  KeyK: () => step(-1),
  KeyR: () => document.getElementById("text")?.focus(),
  Slash: (event) => (event.shiftKey ? document.getElementById("keys")?.showModal() : document.getElementById("search")?.focus()),
  Escape: () => document.querySelector(".thread .back")?.click(),
};

/** Listens for them where there is an inbox. */
export function useKeys() {
  if (!document.getElementById("rows")) return;
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, textarea, select, dialog");
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (typing) {
      if (event.code === "Escape" && !typing.matches("dialog")) typing.blur();
      return;
    }
    const action = ACTIONS[event.code];
    if (!action) return;
    event.preventDefault();
    action(event);
  });
}
