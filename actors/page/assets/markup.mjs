// Markup as values: html`…` escapes whatever is put in, so that names of jobs and nodes, which
// anybody may choose, are never more than text. Only what html`…` has made is put in as it is.

class Markup {
  constructor(text) { this.text = text; }
  toString() { return this.text; }
}

const entities = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
/** Text that is safe within elements and quoted attributes. */
export const escapeText = (s) => String(s).replace(/[&<>"']/g, (c) => entities[c]);

/** The element of an identifier, of whatever kind.
 * @type {(id: string) => any} */
export const $ = (id) => document.getElementById(id);

function piece(v) {
  if (v instanceof Markup) return v.text;
  if (Array.isArray(v)) return v.map(piece).join("");
  return v === null || v === undefined || v === false ? "" : escapeText(v);
}

const layouts = new WeakMap();

/** The texts between the values of a template, without the line breaks and indents of its source: one beside
 * a tag is nothing, any other is a space. */
function textsOf(strings) {
  const fold = (text) => text.replace(/(>?)\n\s*(<?)/g, (_, end, begin) => end + begin || " ");
  if (!layouts.has(strings)) layouts.set(strings, strings.map(fold));
  return layouts.get(strings);
}

/** Markup from a template; what is put in is escaped, unless it is markup. null and false are nothing. */
export function html(strings, ...values) {
  const texts = textsOf(strings);
  return new Markup(values.reduce((text, v, i) => text + piece(v) + texts[i + 1], texts[0]));
}

/** What may be chosen in a list, each a value or a pair of it and its name; one is chosen. */
export function options(list, chosen) {
  return list.map((one) => [one].flat()).map(([value, name = value]) => (
    html`<option value="${value}"${value === chosen && html` selected`}>${name}</option>`));
}

/** A button that chooses something: a job, an attempt or a group. */
export function link(what, id, text, title = "") {
  return html`<button class="job" data-${what}="${id}"${title && html` title="${title}"`}>${text}</button>`;
}

export const jobLink = (id, title) => link("job", id, `job ${id}`, title);

/** A table: what it shows, its columns, and what has a row each. A column is its head, with a function from
 * what has a row to the cell; without one rows are lists of cells. One cell is the row's head.
 * @param {any} caption
 * @param {(string | [string, (of: any) => any])[]} columns
 * @param {any[]} list
 * @param {{name?: string, key?: (of: any) => any, head?: number}} [more] class, keys of rows, and the head's column */
export function table(caption, columns, list, { name = "", key, head = 0 } = {}) {
  const text = (c) => (typeof c === "string" ? c : c[0]), is = (c, i, of) => (typeof c === "string" ? of[i] : c[1](of));
  const cell = (text, i) => (i === head ? html`<th scope="row">${text}</th>` : html`<td>${text}</td>`);
  return html`<table class="${name}"><caption>${caption}</caption>
    <thead><tr>${columns.map(text).map((t) => (t ? html`<th scope="col">${t}</th>` : html`<td></td>`))}</tr></thead>
    <tbody>${list.map((of) => html`<tr${key && html` data-key="${key(of)}"`}>
      ${columns.map((c, i) => cell(is(c, i, of), i))}</tr>`)}</tbody></table>`;
}

/** A part of a screen that scrolls by itself. */
export function wide(label, content) {
  return html`<div class="wide" tabindex="0" role="region" aria-label="${label}">${content}</div>`;
}

/** Puts markup into an element, unless it is there already. What is equal stays in the document: a button
 * keeps its focus and a list stays open while the cluster changes. */
export function show(element, markup) {
  const text = piece(markup);
  if (element.shown === text) return;
  element.shown = text;
  const fresh = element.cloneNode(false);
  fresh.innerHTML = text;
  become(element, fresh);
}

const keyOf = (node) => (node.dataset ? node.dataset.key || node.id : "");

/** Makes the children of an element those of another; rows with a data-key are told apart by it. */
function become(to, from) {
  const coming = new Set([...from.children].map(keyOf));
  const removed = (node) => { const next = node.nextSibling; node.remove(); return next; };
  let old = to.firstChild;
  for (const next of [...from.childNodes]) {
    while (old && keyOf(old) && !coming.has(keyOf(old))) old = removed(old);
    if (!old || old.nodeName !== next.nodeName || keyOf(old) !== keyOf(next)) {
      to.insertBefore(next, old);
      if (old && !keyOf(old)) old = removed(old);
      continue;
    }
    if (next.nodeType !== Node.ELEMENT_NODE) {
      if (old.nodeValue !== next.nodeValue) old.nodeValue = next.nodeValue;
    } else if (!old.isEqualNode(next)) {
      attributes(old, next);
      become(old, next);
    }
    old = old.nextSibling;
  }
  while (old) old = removed(old);
}

function attributes(to, from) {
  for (const { name } of [...to.attributes]) if (!from.hasAttribute(name)) to.removeAttribute(name);
  for (const { name, value } of from.attributes) if (to.getAttribute(name) !== value) to.setAttribute(name, value);
  const selected = from.hasAttribute("selected");
  if (to.nodeName === "OPTION" && from.closest("select").querySelector("[selected]")) to.selected = selected;
}

/** Shows a list in an element, one child a key; only children whose markup has changed are touched.
 * @param {any} element
 * @param {{key: any, markup: () => object, name: string, of?: object, version?: string}[]} items name is the
 *   class of the child; where of and version are as they were, markup is not asked for */
export function showList(element, items) {
  const there = element.byKey ||= new Map(), keys = new Set(items.map((item) => item.key));
  let before = element.firstElementChild;
  for (const { key, name, of, version, markup } of items) {
    const child = there.get(key) || document.createElement("div");
    if (child === before) before = child.nextElementSibling;
    else element.insertBefore(child, before);
    there.set(key, child);
    if (child.of && child.of === of && child.version === version) continue;
    child.dataset.key = String(key);
    Object.assign(child, { of, version, className: name });
    show(child, markup());
  }
  for (const [key, child] of there) if (!keys.has(key) && there.delete(key)) child.remove();
}
