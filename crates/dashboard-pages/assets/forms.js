// Forms that come back with what was wrong: what was typed into a password field stays there.

/** Sends a link's secret, which browsers keep to themselves, as soon as the page is there. */
export function sendLink() {
  const form = document.querySelector("form[data-link]");
  const token = location.hash.slice(1);
  if (!form || !token) return;
  history.replaceState(null, "", location.pathname);
  form.querySelector("[name=token]").value = token;
  form.requestSubmit();
}

/** Sends forms in the background and shows what comes back in their place. */
export function sendAgain() {
  document.addEventListener("submit", async (event) => {
    const form = event.target;
    if (!form.matches("form[data-again]")) return;
    event.preventDefault();
    const button = form.querySelector("button.main");
    button.disabled = true;
    const passwords = [...form.querySelectorAll("input[type=password]")].map((field) => [field.name, field.value]);
    try {
      const answer = await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)) });
      if (answer.redirected) {
        location.assign(answer.url);
        return;
      }
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      document.querySelector("main").replaceChildren(...page.querySelector("main").childNodes);
      for (const [name, value] of passwords) {
        const field = document.querySelector(`main input[type=password][name="${name}"]`);
        if (field) field.value = value;
      }
      const first = document.querySelector("main [aria-invalid], main [autofocus]");
      if (first) first.focus();
    } catch {
      button.disabled = false;
      form.submit();
    }
  });
}

/** Asks once more before what cannot be undone, in the words of its button. */
export function askFirst() {
  document.addEventListener("submit", (event) => {
    const button = event.submitter;
    if (!button?.matches(".bad")) return;
    const what = button.getAttribute("aria-label") ?? button.textContent.trim();
    if (!confirm(`${what}${document.documentElement.lang === "ar" ? "؟" : "?"}`)) event.preventDefault();
  });
}
