// Earlier messages, loaded in their place while somebody scrolls up, and the way back to the newest ones.

import { all, find } from "./dom.js";
import { ask, hasHistory, keepHistory, parsed, toEnd } from "./patch.js";
import { showTimes } from "./times.js";

/** From how many pixels below the top earlier ones are loaded, and from how many above the end the newest are far. */
const NEAR = 400;
const FAR = 300;

/**
 * Loads earlier messages as somebody comes near to the first one that is shown.
 * @param {AbortSignal} signal for as long as the conversation is shown
 */
export function readBack(signal) {
  const list = find(document, "#bubbles", HTMLOListElement);
  const way = find(document, "[data-newest]", HTMLElement);
  if (!list) return;
  let isBusy = false;

  const earlier = async () => {
    const link = find(document, "#earlier a", HTMLAnchorElement);
    if (isBusy || !link || list.scrollTop > NEAR) return;
    isBusy = true;
    try {
      const answer = await ask(link.pathname + link.search, signal);
      const page = answer.ok ? await parsed(answer) : null;
      const fresh = page && find(page, "#bubbles", HTMLOListElement);
      if (!fresh || signal.aborted) return;
      showTimes(fresh);
      const rows = all(fresh, ":scope > li[id]", HTMLLIElement).filter((row) => !document.getElementById(row.id));
      const height = list.scrollHeight - list.scrollTop;
      // The day of the first one that is shown may have begun among the earlier ones.
      const day = find(list, ".day time", HTMLTimeElement);
      const days = rows.flatMap((row) => all(row, ".day time", HTMLTimeElement));
      if (day && days.at(-1)?.textContent === day.textContent) day.closest(".day")?.remove();
      list.prepend(...rows);
      list.scrollTop = list.scrollHeight - height;
      keepHistory();
      find(document, "#earlier", HTMLElement)?.replaceChildren(...(page?.getElementById("earlier")?.childNodes ?? []));
    } catch {
      // Whoever scrolls on asks again; the link is there as well.
    } finally {
      isBusy = false;
    }
    // The first page of a high window may be read to its beginning already.
    if (list.scrollTop <= NEAR) earlier();
  };

  const scrolled = () => {
    earlier();
    if (way) way.hidden = list.scrollHeight - list.scrollTop - list.clientHeight < FAR;
  };
  list.addEventListener("scroll", scrolled, { passive: true, signal });
  way?.addEventListener("click", toEnd, { signal });
  // A press on the link does the same where there is nothing to scroll.
  find(document, "#earlier", HTMLElement)?.addEventListener(
    "click",
    (event) => {
      if (hasHistory() || list.scrollHeight > list.clientHeight) {
        event.preventDefault();
        list.scrollTop = 0;
        earlier();
      }
    },
    { signal },
  );
}
