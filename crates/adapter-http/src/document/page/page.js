// Draws the API's document as a page. Text only ever becomes text nodes, never markup.

const METHODS = ["get", "post", "put", "patch", "delete"];
/** Where the program of each language is. */
const PROGRAMS = { Shell: "/docs/calls.sh", TypeScript: "/docs/calls.ts", Python: "/docs/calls.py", Rust: "/docs/calls.rs" };
const answer = await fetch("/v1/openapi.json");
const doc = await answer.json();

/** An element with attributes and children; a string child is text. */
function el(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes ?? {})) element.setAttribute(key, value);
  element.append(...children.flat(Infinity).filter((child) => child != null));
  return element;
}

/** Follows a `$ref`, keeping what stands beside it. */
function resolve(value) {
  if (!value?.$ref) return value ?? {};
  const found = value.$ref.slice(2).split("/").reduce((at, key) => at?.[key.replace("~1", "/")], doc);
  const { $ref, ...beside } = value;
  return { ...resolve(found), ...beside };
}

/** Text with `code`, **bold** and paragraphs. */
function prose(text) {
  const paragraphs = (text ?? "").split(/\n\s*\n/).filter((it) => it.trim());
  return paragraphs.map((paragraph) => el("p", {}, inline(paragraph.replace(/\s+/g, " "))));
}

function inline(text) {
  return (text ?? "").split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part) => {
    if (part.startsWith("`") && part.length > 2) return el("code", {}, part.slice(1, -1));
    if (part.startsWith("**")) return el("strong", {}, part.slice(2, -2));
    return part;
  });
}

/** A schema's type in words. */
function type(schema) {
  const { $ref } = schema ?? {};
  const it = resolve(schema);
  const choices = it.oneOf ?? it.anyOf;
  if (choices) return [...new Set(choices.map(type))].join(" or ");
  if (it.enum) return it.enum.map((word) => JSON.stringify(word)).join(" | ");
  const kinds = [it.type ?? "any"].flat().map((kind) => {
    if (kind === "array") return `array of ${type(it.items)}`;
    if (kind === "object" && it.additionalProperties?.type) return `object of ${type(it.additionalProperties)}`;
    return kind;
  });
  const name = $ref && (it.format || it.pattern || it.properties) ? `${$ref.split("/").pop()}` : kinds.join(" or ");
  return it.format && !$ref ? `${name} (${it.format})` : name;
}

/** The properties of a schema, those of its objects below them, each with its path. */
function fields(schema, path = "", seen = []) {
  const it = resolve(schema);
  const choices = (it.oneOf ?? it.anyOf ?? []).filter((choice) => resolve(choice).type !== "null");
  if (choices.length) return choices.flatMap((choice) => fields(choice, path, seen));
  if (it.items) return fields(it.items, `${path}[]`, seen);
  if (schema?.$ref && seen.includes(schema.$ref)) return [];
  const below = schema?.$ref ? [...seen, schema.$ref] : seen;
  return Object.entries(it.properties ?? {}).flatMap(([name, property]) => {
    const place = path ? `${path}.${name}` : name;
    const required = (it.required ?? []).includes(name);
    return [{ place, property, required }, ...fields(property, place, below)];
  });
}

function bounds(schema) {
  const it = resolve(schema);
  const told = [];
  if (it.minLength != null || it.maxLength != null) told.push(`${it.minLength ?? 0} to ${it.maxLength ?? "any"} characters`);
  if (it.minimum != null && it.maximum != null) told.push(`${it.minimum} to ${it.maximum}`);
  if (it.default != null) told.push(`default ${JSON.stringify(it.default)}`);
  return told.length ? el("span", { class: "quiet" }, ` (${told.join(", ")})`) : null;
}

function table(heads, rows) {
  const head = el("tr", {}, heads.map((it) => el("th", {}, it)));
  return el("table", {}, el("thead", {}, head), el("tbody", {}, rows));
}

function fieldTable(schema) {
  const rows = fields(schema).map(({ place, property, required }) =>
    el("tr", {}, el("td", {}, el("code", {}, place)), el("td", {}, type(property), bounds(property)),
      el("td", {}, required ? "" : "optional. ", inline(resolve(property).description))));
  return rows.length ? table(["Field", "Type", ""], rows) : null;
}

function examples(content) {
  const many = Object.entries(content?.examples ?? {}).map(([name, it]) => [it.summary ?? name, it.value]);
  if (content?.example !== undefined) many.push(["Example", content.example]);
  return many.map(([name, value]) => el("details", {}, el("summary", {}, inline(name)),
    el("pre", {}, el("code", {}, JSON.stringify(value, null, 2)))));
}

function body(title, content) {
  const json = content?.["application/json"];
  return json ? [el("h4", {}, title), fieldTable(json.schema), examples(json)] : [];
}

function parameters(operation) {
  const rows = (operation.parameters ?? []).map(resolve).map((it) =>
    el("tr", {}, el("td", {}, el("code", {}, it.name)), el("td", {}, it.in),
      el("td", {}, type(it.schema), bounds(it.schema)),
      el("td", {}, it.required ? "" : "optional. ", inline(it.description))));
  return rows.length ? [el("h4", {}, "Parameters"), table(["Name", "In", "Type", ""], rows)] : [];
}

function responses(operation) {
  const rows = Object.entries(operation.responses).map(([status, response]) => {
    const it = resolve(response);
    const json = it.content?.["application/json"];
    const good = status.startsWith("2");
    const codes = (resolve(json?.schema).oneOf ?? []).map(resolve).filter((choice) => choice.properties?.code);
    const codeRows = codes.map((choice) => el("tr", {},
      el("td", {}, el("code", {}, choice.properties.code.enum[0])), el("td", {}, inline(choice.description)),
      el("td", {}, fields(choice.properties.details).map(({ place, property }) =>
        el("div", {}, el("code", {}, `details.${place}`), ` ${type(property)}`)))));
    const headers = Object.keys(it.headers ?? {}).map((name) => el("code", {}, name)).flatMap((name) => [name, " "]);
    return el("details", good ? { open: "" } : {},
      el("summary", {}, el("strong", {}, status), " ", inline(it.description)),
      headers.length ? el("p", { class: "quiet" }, "Headers: ", headers) : null,
      codes.length ? table(["Code", "When", "Details"], codeRows) : null,
      good && json ? fieldTable(json.schema) : null, json ? examples(json) : null);
  });
  return [el("h4", {}, "Answers"), rows];
}

/** How the call is made in each language: a part of a program that has every call. */
function samples(operation) {
  const shown = (operation["x-codeSamples"] ?? []).map(({ lang, label, source }) =>
    el("details", {}, el("summary", {}, label), el("pre", {}, el("code", {}, source)),
      el("p", { class: "quiet" }, "What calls have in common is in ", el("a", { href: PROGRAMS[lang] }, "the whole program"), ".")));
  return shown.length ? [el("h4", {}, "Call it from"), shown] : [];
}

function operation(id, title, it) {
  const scopes = (it.security ?? []).flatMap((need) => Object.values(need).flat());
  return el("section", { id }, el("h3", {}, title), prose(it.summary), prose(it.description),
    scopes.length ? el("p", {}, "Scope: ", scopes.map((scope) => el("code", {}, scope))) : null,
    samples(it), parameters(it), body("Body", it.requestBody?.content), responses(it));
}

const contents = document.getElementById("contents");
const main = document.getElementById("reference");
main.replaceChildren(el("h1", {}, doc.info.title), el("p", { class: "quiet" }, `Version ${doc.info.version}. `,
  el("a", { href: "/v1/openapi.json" }, "The document itself")), ...prose(doc.info.description));

const operations = [];
for (const [path, item] of Object.entries(doc.paths)) {
  for (const method of METHODS) {
    if (item[method]) operations.push({ method: method.toUpperCase(), path, it: item[method] });
  }
}
for (const [event, item] of Object.entries(doc.webhooks)) operations.push({ method: "", path: event, it: item.post });

for (const tag of doc.tags) {
  contents.append(el("h2", {}, tag.name));
  main.append(el("h2", {}, tag.name), ...prose(tag.description));
  for (const { method, path, it } of operations.filter(({ it }) => it.tags?.includes(tag.name))) {
    const title = () => [method ? el("span", { class: "method" }, `${method} `) : null, path].filter(Boolean);
    contents.append(el("a", { href: `#${it.operationId}` }, title()));
    main.append(operation(it.operationId, title(), it));
  }
}
