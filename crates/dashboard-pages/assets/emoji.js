// Emoji for an answer, by a press.

import { find, make } from "./dom.js";

const OFFERED = "😊 😂 🤣 😍 🥰 😘 😁 😅 😉 🙂 🤔 😢 😭 😡 😎 🤗 🙏 👍 👎 👌 👏 💪 🤝 ✌️ 👋 ☝️ ❤️ 💔 💚 🌹 🌸 🎉 🎁 ✨ 🔥 ⭐ ✅ ❌ ⚠️ ❓ ⏰ 📅 📍 📞 📷 📦 🚚 🛵 🛒 💵 💳 🧾 👕 👗 👟 📱 💻 ☕ 🍔 🍕".split(" ");

/**
 * Offers them where an answer is written.
 * @param {AbortSignal} signal for as long as the conversation is shown
 */
export function offerEmoji(signal) {
  const menu = find(document, "[data-emoji]", HTMLDetailsElement);
  const panel = menu && find(menu, ".panel", HTMLElement);
  const field = find(document, "form[data-compose] textarea", HTMLTextAreaElement);
  if (!menu || !panel || !field) return;
  menu.hidden = false;
  menu.addEventListener(
    "toggle",
    () => {
      if (!menu.open || panel.childElementCount) return;
      for (const emoji of OFFERED) {
        const button = make("button", "", emoji);
        button.type = "button";
        panel.append(button);
      }
    },
    { signal },
  );
  panel.addEventListener(
    "click",
    ({ target }) => {
      if (!(target instanceof HTMLButtonElement)) return;
      field.setRangeText(target.textContent ?? "", field.selectionStart, field.selectionEnd, "end");
      field.dispatchEvent(new Event("input"));
      menu.open = false;
      field.focus();
    },
    { signal },
  );
}
