// Every page, by its route, and where it is looked at.

import { ids } from "./life.js";

/**
 * @typedef {object} Visit
 * @property {string} route As it stands in the table of `crates/adapter-http/src/pages/mod.rs`.
 * @property {string} path Below `/dashboard`.
 * @property {"anybody" | "agent" | "owner"} as
 * @property {string} [also] What makes it another look at the same page.
 * @property {number} [status] What it is answered with; 200 where nothing is said.
 */

/** @type {Visit[]} */
export const VISITS = [
  { route: "/sign-in", path: "/sign-in", as: "anybody" },
  { route: "/forgotten-password", path: "/forgotten-password", as: "anybody" },
  { route: "/password-reset", path: "/password-reset", as: "anybody" },
  { route: "/invitation", path: "/invitation", as: "anybody" },
  { route: "/offline", path: "/offline", as: "anybody" },
  { route: "", path: "", as: "agent" },
  { route: "/inbox", path: "/inbox", as: "agent" },
  { route: "/inbox", path: "/inbox?view=all&search=zzzz&status=open", as: "agent", also: "nothing found" },
  { route: "/inbox/{id}", path: `/inbox/${ids.conversation}`, as: "agent" },
  { route: "/inbox/{id}", path: `/inbox/${ids.messenger}`, as: "owner", also: "over Messenger" },
  { route: "/inbox/{id}/template", path: `/inbox/${ids.conversation}/template`, as: "agent" },
  { route: "/inbox/{id}/order", path: `/inbox/${ids.conversation}/order`, as: "agent" },
  { route: "/inbox/{id}/booking", path: `/inbox/${ids.conversation}/booking`, as: "agent" },
  { route: "/canned-replies", path: "/canned-replies", as: "agent" },
  { route: "/contacts", path: "/contacts", as: "agent" },
  { route: "/contacts", path: "/contacts?search=zzzz", as: "agent", also: "nobody found" },
  { route: "/contacts/import", path: "/contacts/import", as: "owner" },
  { route: "/contacts/import/{id}", path: `/contacts/import/${ids.import}`, as: "owner" },
  { route: "/contacts/{id}", path: `/contacts/${ids.contact}`, as: "agent" },
  { route: "/contacts/{id}/conversations", path: `/contacts/${ids.contact}/conversations`, as: "agent" },
  { route: "/messages", path: "/messages", as: "agent" },
  { route: "/messages", path: "/messages?search=A-1042", as: "agent", also: "found" },
  { route: "/broadcasts", path: "/broadcasts", as: "agent" },
  { route: "/broadcasts/new", path: "/broadcasts/new", as: "owner" },
  { route: "/broadcasts/lists", path: "/broadcasts/lists", as: "owner" },
  ...["", "/audience", "/content", "/preview", "/skipped", "/people"].map((part) => (
    /** @type {Visit} */ ({ route: `/broadcasts/{id}${part}`, path: `/broadcasts/${ids.broadcast}${part}`, as: "owner" })
  )),
  { route: "/profile", path: "/profile", as: "agent" },
  { route: "/settings", path: "/settings", as: "owner" },
  { route: "/settings/start", path: "/settings/start", as: "owner" },
  { route: "/settings/workspace", path: "/settings/workspace", as: "owner" },
  { route: "/settings/templates/write", path: "/settings/templates/write", as: "owner" },
  { route: "/settings/channels", path: "/settings/channels", as: "owner" },
  { route: "/settings/channels/sign-up/back", path: "/settings/channels/sign-up/back", as: "owner", status: 422 },
  { route: "/settings/team", path: "/settings/team", as: "owner" },
  { route: "/settings/templates", path: "/settings/templates", as: "owner" },
  { route: "/settings/automations", path: "/settings/automations", as: "owner" },
  { route: "/settings/assistant", path: "/settings/assistant", as: "owner" },
  { route: "/settings/assistant/try", path: "/settings/assistant/try", as: "owner" },
  { route: "/settings/assistant/documents", path: "/settings/assistant/documents", as: "owner" },
  { route: "/settings/assistant/documents/{id}", path: `/settings/assistant/documents/${ids.document}`, as: "owner" },
  { route: "/settings/assistant/questions", path: "/settings/assistant/questions", as: "owner" },
  { route: "/settings/assistant/turns", path: "/settings/assistant/turns", as: "owner" },
  { route: "/settings/system", path: "/settings/system", as: "owner" },
  { route: "/settings/keys", path: "/settings/keys", as: "owner" },
  { route: "/settings/webhooks", path: "/settings/webhooks", as: "owner" },
  { route: "/settings/webhooks/{id}", path: `/settings/webhooks/${ids.webhook}`, as: "owner" },
  { route: "/settings/deliveries/{id}", path: `/settings/deliveries/${ids.delivery}`, as: "owner" },
  { route: "/settings/messages", path: "/settings/messages", as: "owner" },
  { route: "/settings/messages/{id}", path: `/settings/messages/${ids.message}`, as: "owner" },
  { route: "/settings/usage", path: "/settings/usage", as: "owner" },
  { route: "/settings/log", path: "/settings/log", as: "owner" },
  { route: "", path: "/settings/keys", as: "agent", also: "not for agents", status: 403 },
  { route: "", path: "/nowhere", as: "agent", also: "no such page", status: 404 },
];

/** Routes that lead to somebody else's page. `journeys/posted.js` follows them. */
export const LEADS_AWAY = ["/settings/channels/sign-up"];

/** @param {Visit} visit */
export function called(visit) {
  const route = `/dashboard${visit.route}`;
  return visit.also ? `${route} (${visit.also})` : route;
}
