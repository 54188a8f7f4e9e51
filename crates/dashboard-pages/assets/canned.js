// Canned replies: "/" and the beginning of a shortcut narrow the list, Tab or Enter puts the first one into the answer.

/** What is being typed as a shortcut, right before the caret. */
function begun(field) {
  const before = field.value.slice(0, field.selectionStart);
  return before.match(/(?:^|\s)\/([\p{L}\p{N}_-]*)$/u)?.[1];
}

function put(field, text) {
  const before = field.value.slice(0, field.selectionStart).replace(/\/[\p{L}\p{N}_-]*$/u, "");
  const after = field.value.slice(field.selectionStart);
  field.value = before + text + after;
  field.selectionStart = field.selectionEnd = before.length + text.length;
  field.dispatchEvent(new Event("input"));
  field.focus();
}

/** Offers them where an answer is written. */
export function offerCanned() {
  const list = document.querySelector("[data-canned]");
  const field = document.querySelector("form[data-compose] textarea");
  if (!list || !field) return;
  const links = [...list.querySelectorAll("a[data-shortcut]")];
  const fitting = () => links.filter((link) => !link.parentElement.hidden);
  const narrow = () => {
    const typed = begun(field);
    for (const link of links) {
      const fits = typed === undefined || link.dataset.shortcut.toLowerCase().startsWith(typed.toLowerCase());
      link.parentElement.hidden = !fits;
      link.removeAttribute("aria-current");
    }
    if (typed === undefined) return;
    list.open = true;
    fitting()[0]?.setAttribute("aria-current", "true");
  };
  const choose = (link) => {
    put(field, link.dataset.text);
    list.open = false;
    narrow();
  };
  field.addEventListener("input", narrow);
  // Before the answer is sent by Enter.
  field.addEventListener("keydown", (event) => {
    const first = begun(field) === undefined ? undefined : fitting()[0];
    if (!first || event.isComposing || event.shiftKey || !["Enter", "Tab"].includes(event.key)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    choose(first);
  });
  for (const link of links) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      choose(link);
    });
  }
}
