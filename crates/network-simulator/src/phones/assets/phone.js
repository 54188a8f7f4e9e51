// One phone: somebody, and their chat with a number, a page or an Instagram account.

import { edit, menu, says } from "./acts.js";
import { draw, make } from "./bubble.js";
import { inspector } from "./inspector.js";
import { kind } from "./kinds.js";
import { switches } from "./switches.js";
import { words } from "./words.js";

const LARGEST_BYTES = 16 * 1024 * 1024;

async function call(path, body) {
  const answer = await fetch(path, body && { method: "POST", body: JSON.stringify(body) });
  const said = await answer.json();
  if (!answer.ok) throw new Error(said.error ?? answer.status);
  return said;
}

/** A phone of `{ place: { id, network, title }, person, name }`. */
export class Phone {
  constructor(owner, samples, dashboard, away) {
    this.owner = owner;
    this.seen = "";
    this.ids = [];
    this.ticksByHand = false;
    /** The line that is quoted, or changed. */
    this.about = null;
    this.lines = make("ol");
    this.wall = make("div", { class: "lines", tabindex: 0, role: "log", "aria-label": owner.name }, this.lines);
    this.trouble = make("p", { class: "trouble", role: "status" });
    const close = make("button", { type: "button", class: "quiet", "aria-label": words.remove, title: words.remove }, "×");
    close.addEventListener("click", away);
    const head = make("header", {}, make("h2", { dir: "auto" }, owner.name), make("p", {}, `${words.networks[owner.place.network]} · `, make("bdi", {}, owner.place.title)), close);
    const behaves = switches(owner, (on) => this.behaves(on), (why) => { this.trouble.textContent = why; });
    const wire = inspector(owner, () => this.ids);
    const tools = make("div", { class: "tools" }, behaves, wire, this.link(dashboard));
    this.element = make("section", { class: `phone ${owner.place.network}` }, head, this.wall, this.trouble, this.composer(samples), tools);
  }

  /** Leads to the team's side of this chat. */
  link(dashboard) {
    if (!dashboard) return null;
    const { place, person, name } = this.owner;
    const search = place.network === "whatsapp" ? person.replace(/\D/g, "") : name;
    const href = `${dashboard}?${new URLSearchParams({ search })}`;
    return make("a", { href, target: "_blank", rel: "noreferrer" }, words.toConversation);
  }

  behaves(on) {
    this.ticksByHand = Boolean(on.byHand);
    this.seen = "";
  }

  /** Quotes a line in what is written next. */
  quote(line) {
    this.take({ line, edits: false });
  }

  /** Takes a line's words back into the field. */
  change(line) {
    this.field.value = line.text;
    this.take({ line, edits: true });
  }

  take(about) {
    this.about = about;
    this.aboutLine.hidden = !about;
    if (about) this.aboutText.textContent = `${about.edits ? words.edit : words.reply}: ${about.line.text ?? words.file}`;
    this.field.focus();
  }

  /** Posts how far a message got. */
  async tick(line, status) {
    const errors = status === "failed" ? { errors: [{ code: 131026, title: "Message undeliverable" }] } : {};
    try {
      await call("/control/statuses", { messageId: line.id, status, ...errors });
      await this.refresh();
    } catch (error) {
      this.trouble.textContent = words.refused + error.message;
    }
  }

  composer(samples) {
    const field = make("textarea", { rows: 1, dir: "auto", "aria-label": words.write, placeholder: words.write, maxlength: 4096 });
    const upload = make("input", { type: "file", class: "unseen", "aria-label": words.photo });
    const attach = make("label", { class: "attach", title: words.photo }, "+", upload);
    const named = samples.map((name) => ({ name, title: kind(name) })).sort((a, b) => a.title.localeCompare(b.title));
    const kinds = named.map(({ name, title }) => make("option", { value: name }, title));
    const sample = make("select", { "aria-label": words.sample }, make("option", { value: "" }, words.more), ...kinds);
    this.field = field;
    this.aboutText = make("span", { dir: "auto" });
    const drop = make("button", { type: "button", "aria-label": words.drop, title: words.drop }, "×");
    drop.addEventListener("click", () => this.take(null));
    this.aboutLine = make("p", { class: "about", hidden: true }, this.aboutText, " ", drop);
    const form = make("form", {}, this.aboutLine, field, make("div", { class: "row" }, attach, sample, make("button", { class: "main" }, words.send)));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const text = field.value.trim();
      if (text) this.write(this.text(text)).then((sent) => sent && ((field.value = ""), this.take(null)));
    });
    field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      form.requestSubmit();
    });
    sample.addEventListener("change", () => {
      if (sample.value) this.write({ sample: sample.value });
      sample.value = "";
    });
    upload.addEventListener("change", () => {
      for (const file of upload.files) this.attach(file);
      upload.value = "";
    });
    return form;
  }

  text(text) {
    const { network } = this.owner.place;
    if (this.about?.edits) return edit(network, this.about.line.id, text);
    return says(network, text, this.about?.line.id);
  }

  /** Writes; whether the simulator took it. */
  async write(what) {
    const { place, person, name } = this.owner;
    try {
      const said = await call("/control/inbound", { channelId: place.id, from: person, name, ...what });
      this.trouble.textContent = said.webhook?.status === 200 ? "" : words.notTaken;
      await this.refresh();
      return true;
    } catch (error) {
      this.trouble.textContent = words.refused + error.message;
      return false;
    }
  }

  async attach(file) {
    const kind = ["image", "video", "audio"].find((kind) => file.type.startsWith(`${kind}/`));
    if (file.size > LARGEST_BYTES) {
      this.trouble.textContent = `${words.refused}16 MB`;
      return;
    }
    const type = file.type || "application/octet-stream";
    const bytes = new Uint8Array(await file.arrayBuffer());
    let binary = "";
    for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
    try {
      const kept = await call("/control/files", { channelId: this.owner.place.id, contentType: type, base64: btoa(binary) });
      if (this.owner.place.network !== "whatsapp") {
        await this.write({ message: { attachments: [{ type: kind ?? "file", payload: { url: kept.url } }] } });
        return;
      }
      const part = { id: kept.id, mime_type: type, ...(kind ? {} : { filename: file.name }) };
      await this.write({ message: { type: kind ?? "document", [kind ?? "document"]: part } });
    } catch (error) {
      this.trouble.textContent = words.refused + error.message;
    }
  }

  /** Draws what is new; leaves everything alone where nothing is. */
  async refresh() {
    const { place, person } = this.owner;
    const said = await call(`/phones/chat?${new URLSearchParams({ channelId: place.id, from: person })}`);
    const seen = JSON.stringify(said);
    if (seen === this.seen) return;
    this.seen = seen;
    const texts = new Map(said.lines.map((line) => [line.id, line.text ?? words.file]));
    this.ids = said.lines.map((line) => line.id);
    const drawn = said.lines.map((line) => draw(line, texts.get(line.about), (reply) => this.write({ message: reply }), menu(line, this)));
    if (said.typing) drawn.push(make("li", { class: "theirs soft" }, words.typing));
    if (drawn.length === 0) drawn.push(make("li", { class: "soft" }, words.empty));
    this.lines.replaceChildren(...drawn);
    this.wall.scrollTop = this.wall.scrollHeight;
  }
}
