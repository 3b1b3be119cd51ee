// Building elements without innerHTML: text from the API never becomes markup.

/** el("a", {href, class}, "text", childElement...) */
export function el(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** The same in the SVG namespace. */
export function svg(name, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function fill(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null && value !== false) node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

export const byId = (id) => document.getElementById(id);
export const number = (value, digits = 0) =>
  value === null || value === undefined ? "-" : value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** A name, or what stands for one that shows nothing: spaces, marks upon no letter, letters without width. */
export const visible = (name, otherwise) => (/[^\p{Z}\p{C}\p{M}\u115F\u1160\u2800\u3164\uFFA0]/u.test(name ?? "") ? name : otherwise);

/** A name within a sentence that is no markup (a title, a label): what it does to the direction of writing ends with it. */
export const isolated = (name) => (/^[ -~]*$/.test(name) ? name : `\u2068${name}\u2069`);
/** With its sign, as differences are read: +1,234, -5, 0. */
export const signed = (value, digits = 0) => (value === null || value === undefined ? "-" : (value > 0 ? "+" : value < 0 ? "\u2212" : "") + number(Math.abs(value), digits));
/** A time of the API in the reader's own words, with the exact one behind it. */
export const when = (text) => (text ? el("time", { datetime: text, title: text }, new Date(text).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" })) : "-");
/** A span of time as people say it, from milliseconds. */
export const duration = (ms) => (ms >= 1000 ? `${short(ms / 1000)} s` : ms >= 1 ? `${short(ms)} ms` : `${+(ms * 1000).toFixed(0)} \u00b5s`);
/** 12 345 as 12k: for axes. */
export const short = (value) => (Math.abs(value) >= 1e6 ? `${+(value / 1e6).toFixed(1)}M` : Math.abs(value) >= 1e3 ? `${+(value / 1e3).toFixed(1)}k` : String(+value.toFixed(2)));
