// The API on the docs page: the OpenAPI document as sections to read. All text goes in as text.
import { get } from "./api.js";
import { byId, el } from "./dom.js";

let root = null;

/** Follows {"$ref": "#/..."}; gives the value and the last name on the way. */
function follow(value) {
  if (!value?.$ref) return { value, name: null };
  const steps = value.$ref.slice(2).split("/").map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  return { value: steps.reduce((at, step) => at?.[step], root), name: steps.at(-1) };
}

/** Paragraphs, with `code` between backticks. */
function prose(text) {
  return (text ?? "").split("\n\n").filter(Boolean).map((paragraph) =>
    el("p", {}, ...paragraph.split("`").map((part, i) => (i % 2 ? el("code", {}, part) : part))));
}

/** A type in a few words; named schemas are links. */
function typeOf(schema) {
  const { value, name } = follow(schema);
  if (name) return [el("a", { href: `#schema-${name}` }, name)];
  if (!value) return ["any"];
  const choices = value.oneOf ?? value.anyOf;
  if (choices) return choices.flatMap((choice, i) => (i ? [" or ", ...typeOf(choice)] : typeOf(choice)));
  if (value.const !== undefined) return [el("code", {}, JSON.stringify(value.const))];
  if (value.enum) return value.enum.flatMap((item, i) => [i ? ", " : "", el("code", {}, JSON.stringify(item))]);
  const types = [value.type ?? "any"].flat();
  const words = types.flatMap((type, i) => [i ? " or " : "", ...(type === "array" ? ["list of ", ...typeOf(value.items)] : [type])]);
  return [...words, boundsOf(value)];
}

function boundsOf(schema) {
  const bounds = [
    schema.minimum !== undefined && `from ${schema.minimum}`,
    schema.maximum !== undefined && `to ${schema.maximum}`,
    schema.minLength && `at least ${schema.minLength} characters`,
    schema.maxLength && `at most ${schema.maxLength} characters`,
    schema.pattern && `as in ${schema.pattern}`,
    schema.default !== undefined && `${JSON.stringify(schema.default)} where absent`,
  ].filter(Boolean);
  return bounds.length ? ` (${bounds.join(", ")})` : "";
}

function row(name, type, words) {
  return el("tr", {}, el("td", {}, el("code", {}, name)), el("td", {}, ...type), el("td", {}, ...prose(words)));
}

function properties(schema) {
  const rows = Object.entries(schema.properties ?? {}).map(([name, member]) =>
    row(schema.required?.includes(name) ? name : `${name}?`, typeOf(member), member.description));
  return rows.length ? [el("table", {}, el("tbody", {}, ...rows))] : [el("p", {}, ...typeOf(schema))];
}

function example(title, value) {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return el("details", {}, el("summary", { class: "soft" }, title), el("pre", { tabindex: "0" }, text));
}

function content(of) {
  return Object.entries(of?.content ?? {}).flatMap(([type, media]) => [
    el("p", {}, el("code", {}, type), ": ", ...typeOf(media.schema)),
    ...(media.example !== undefined ? [example("example", media.example)] : []),
    ...Object.entries(media.examples ?? {}).map(([name, one]) => example(`example: ${name}`, one.value)),
  ]);
}

function needsToken(operation) {
  return operation.security?.length > 0 && operation.security.every((way) => Object.keys(way).length > 0);
}

function parameters(operation) {
  const rows = (operation.parameters ?? []).map((parameter) => {
    const { value } = follow(parameter);
    return row(value.name, [`${value.in}: `, ...typeOf(value.schema)], value.description);
  });
  return rows.length ? [el("h5", {}, "Parameters"), el("table", {}, el("tbody", {}, ...rows))] : [];
}

function responses(operation) {
  return Object.entries(operation.responses).map(([status, response]) => {
    const { value, name } = follow(response);
    const bad = Number(status) >= 400;
    const codes = Object.keys(value.content?.["application/problem+json"]?.examples ?? {});
    return el("tr", {}, el("td", {}, el("code", {}, status)),
      el("td", {}, ...prose(value.description), ...(bad && name
        ? codes.flatMap((code, i) => [i ? ", " : "", el("a", { href: `#error-${code}` }, code)])
        : content(value))));
  });
}

function operationSection(method, path, operation) {
  return el("section", { id: `op-${operation.operationId}` },
    el("h4", { class: "name" }, el("span", { class: "method" }, method.toUpperCase()), path),
    el("p", {}, operation.summary, needsToken(operation) ? el("span", { class: "badge" }, "token") : null),
    ...prose(operation.description), ...parameters(operation),
    ...(operation.requestBody ? [el("h5", {}, "Body"), ...content(operation.requestBody)] : []),
    el("h5", {}, "Answers"), el("table", {}, el("tbody", {}, ...responses(operation))));
}

function operationsOf(tag) {
  return Object.entries(root.paths).flatMap(([path, methods]) =>
    Object.entries(methods).filter(([, operation]) => operation.tags.includes(tag))
      .map(([method, operation]) => ({ method, path, operation })));
}

/** Problems link to #error-CODE. */
function errorSections() {
  const seen = new Map();
  for (const response of Object.values(root.components.responses)) {
    const examples = response.content?.["application/problem+json"]?.examples ?? {};
    for (const [code, one] of Object.entries(examples)) {
      if (!seen.has(code)) seen.set(code, { response, problem: one.value });
    }
  }
  return [...seen].map(([code, { response, problem }]) =>
    el("section", { id: `error-${code}` }, el("h4", { class: "name" }, el("span", { class: "method" }, problem.status), code),
      el("p", {}, `${problem.title}.`), ...prose(response.description), example("example", problem)));
}

function schemaSections() {
  return Object.entries(root.components.schemas).map(([name, schema]) =>
    el("section", { id: `schema-${name}` }, el("h4", { class: "name" }, name), ...prose(schema.description), ...properties(schema)));
}

function index() {
  const link = (href, text) => el("li", {}, el("a", { href }, text));
  return [
    ...root.tags.flatMap(({ name }) => [
      el("a", { href: `#tag-${name}` }, name),
      el("ul", {}, ...operationsOf(name).map(({ operation }) => link(`#op-${operation.operationId}`, operation.summary))),
    ]),
    el("a", { href: "#errors" }, "errors"), el("a", { href: "#schemas" }, "schemas"),
  ];
}

function draw() {
  byId("api-index").replaceChildren(...index());
  byId("docs").replaceChildren(
    ...prose(root.info.description),
    ...root.tags.flatMap(({ name, description }) => [
      el("h3", { class: "tag", id: `tag-${name}` }, name), el("p", { class: "soft" }, description),
      ...operationsOf(name).map(({ method, path, operation }) => operationSection(method, path, operation)),
    ]),
    el("h3", { class: "tag", id: "errors" }, "errors"), ...errorSections(),
    el("h3", { class: "tag", id: "schemas" }, "schemas"), ...schemaSections());
}

/** What the address points at was not there yet when the browser looked for it. */
function goToHash() {
  if (location.hash) location.replace(location.hash);
}

try {
  root = await get("/openapi.json");
  draw();
  goToHash();
} catch (problem) {
  byId("docs").replaceChildren(el("p", { class: "notice bad", role: "alert" }, `The document cannot be shown: ${problem.message}`));
}
