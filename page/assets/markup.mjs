// Markup as values: html`…` escapes whatever is put in, so that names of jobs and nodes, which
// anybody may choose, are never more than text. Only what html`…` has made is put in as it is.

class Markup {
  constructor(text) { this.text = text; }
  toString() { return this.text; }
}

const entities = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** Text that is safe within elements and quoted attributes. */
export function escapeText(s) {
  return String(s).replace(/[&<>"']/g, (c) => entities[c]);
}

function piece(v) {
  if (v instanceof Markup) return v.text;
  if (Array.isArray(v)) return v.map(piece).join("");
  if (v === null || v === undefined || v === false) return "";
  return escapeText(v);
}

/** Markup from a template; what is put in is escaped, unless it is markup. */
export function html(strings, ...values) {
  let text = strings[0];
  values.forEach((v, i) => { text += piece(v) + strings[i + 1]; });
  return new Markup(text);
}

/** Puts markup into an element, unless it is there already. */
export function show(element, markup) {
  const text = piece(markup);
  if (element.shown !== text) {
    element.shown = text;
    element.innerHTML = text;
  }
}

/**
 * Shows a list in an element, one child a key; only children whose markup has changed are touched.
 * @param {any} element
 * @param {{key: string, markup: object, name?: string}[]} items name is the class of the child
 */
export function showList(element, items) {
  const there = element.children_ || (element.children_ = new Map());
  let before = element.firstElementChild;
  const keys = new Set();
  for (const item of items) {
    keys.add(item.key);
    let child = there.get(item.key);
    if (!child) {
      child = document.createElement("div");
      child.className = item.name || "";
      there.set(item.key, child);
    }
    if (child === before) before = child.nextElementSibling;
    else element.insertBefore(child, before);
    show(child, item.markup);
  }
  for (const [key, child] of there) {
    if (!keys.has(key)) {
      child.remove();
      there.delete(key);
    }
  }
}
