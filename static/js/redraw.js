// Drawing a place again without taking anything away from who is reading there: what is the same stays, and where it is not, tables that
// were opened stay open, what was scrolled stays scrolled, and the keyboard stays where it was.

const OPEN = "details";
const SCROLLED = ".scroll, .strip, pre";
const CONTAINERS = ["DIV", "SECTION"]; // carry nothing but their children, so they are kept whatever is in them

const all = (node, what) => (node.nodeType === Node.ELEMENT_NODE ? [...(node.matches(what) ? [node] : []), ...node.querySelectorAll(what)] : []);
const inPairs = (a, b, what, take) => {
  const others = all(b, what);
  all(a, what).forEach((node, i) => others[i] && take(node, others[i]));
};
/** What something focusable is called from one drawing to the next. */
const called = (node) => node.dataset.focus || node.id || node.getAttribute("href") || `${node.tagName} ${node.textContent}`;

function replace(old, fresh) {
  const focused = old.contains(document.activeElement) ? called(document.activeElement) : null;
  const left = all(old, SCROLLED).map((node) => [node.scrollLeft, node.scrollTop]);
  old.replaceWith(fresh);
  all(fresh, SCROLLED).forEach((node, i) => left[i] && ([node.scrollLeft, node.scrollTop] = left[i]));
  if (focused !== null) all(fresh, "a, button, input, select, summary, [tabindex]").find((node) => called(node) === focused)?.focus({ preventScroll: true });
}

function renew(old, fresh) {
  if (old === fresh) return;
  inPairs(old, fresh, OPEN, (was, is) => (is.open = was.open));
  if (old.isEqualNode(fresh)) return;
  if (CONTAINERS.includes(old.nodeName) && old.cloneNode(false).isEqualNode(fresh.cloneNode(false))) return redraw(old, ...fresh.childNodes);
  replace(old, fresh);
}

/** Like place.replaceChildren(...nodes). */
export function redraw(place, ...nodes) {
  const fresh = nodes.map((node) => (node instanceof Node ? node : document.createTextNode(node)));
  const old = [...place.childNodes];
  fresh.forEach((node, i) => (old[i] ? renew(old[i], node) : place.append(node)));
  old.slice(fresh.length).forEach((node) => node.remove());
}
