// Times as the reader's clock shows them. Without a script they are told in UTC.

/** Writes every time below `root` anew. */
export function showTimes(root) {
  const language = `${document.documentElement.lang}-u-nu-latn`;
  const forms = {
    day: new Intl.DateTimeFormat(language, { weekday: "long", day: "numeric", month: "long", year: "numeric" }),
    time: new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit" }),
    date: new Intl.DateTimeFormat(language, { day: "numeric", month: "short" }),
    both: new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" }),
  };
  const today = new Date().toDateString();
  for (const element of root.querySelectorAll("time[data-as]")) {
    const at = new Date(element.dateTime);
    const as = element.dataset.as === "short" ? (at.toDateString() === today ? "time" : "date") : element.dataset.as;
    element.textContent = forms[as].format(at);
    element.title = forms.both.format(at);
  }
}
