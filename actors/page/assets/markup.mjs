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
  if (v === null || v === undefined || v === false) return "";
  return escapeText(v);
}

/** Markup from a template; what is put in is escaped, unless it is markup. */
export function html(strings, ...values) {
  let text = strings[0];
  values.forEach((v, i) => { text += piece(v) + strings[i + 1]; });
  return new Markup(text);
}

/** What may be chosen in a list, each a value or a pair of it and its name; one is chosen. */
export function options(list, chosen) {
  const option = (value, name = value) => html`<option value="${value}"${value === chosen ? html` selected` : ""}>${name}</option>`;
  return list.map((one) => option(...[one].flat()));
}

/** A table: what it shows, the heads of its columns, and its rows. */
export function table(caption, heads, rows, name = "") {
  return html`<table class="${name}"><caption>${caption}</caption><thead><tr>${heads.map((text) => (text ? html`<th scope="col">${text}</th>` : html`<td></td>`))}</tr></thead><tbody>${rows}</tbody></table>`;
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
  const coming = new Set();
  for (const node of from.children) coming.add(keyOf(node));
  let old = to.firstChild;
  for (let next = from.firstChild, after; next; next = after) {
    after = next.nextSibling;
    while (old && keyOf(old) && !coming.has(keyOf(old))) old = removed(old);
    if (old && old.nodeName === next.nodeName && keyOf(old) === keyOf(next)) {
      if (old.nodeType !== Node.ELEMENT_NODE) {
        if (old.nodeValue !== next.nodeValue) old.nodeValue = next.nodeValue;
      } else if (!old.isEqualNode(next)) {
        attributes(old, next);
        become(old, next);
      }
      old = old.nextSibling;
    } else {
      to.insertBefore(next, old);
      if (old && !keyOf(old)) old = removed(old);
    }
  }
  while (old) old = removed(old);
}

const removed = (node) => { const next = node.nextSibling; node.remove(); return next; };

function attributes(to, from) {
  for (const { name } of [...to.attributes]) if (!from.hasAttribute(name)) to.removeAttribute(name);
  for (const { name, value } of from.attributes) if (to.getAttribute(name) !== value) to.setAttribute(name, value);
  if (to.nodeName === "OPTION" && to.selected !== from.hasAttribute("selected") && from.closest("select").querySelector("[selected]")) to.selected = from.hasAttribute("selected");
}

/** Shows a list in an element, one child a key; only children whose markup has changed are touched.
 * @param {any} element
 * @param {{key: any, markup: () => object, name: string, of?: object, version?: string}[]} items name is the
 *   class of the child; where of and version are as they were, markup is not asked for */
export function showList(element, items) {
  const there = element.children_ || (element.children_ = new Map());
  let before = element.firstElementChild;
  const keys = new Set(items.map((item) => item.key));
  for (const item of items) {
    let child = there.get(item.key);
    if (!child) {
      child = document.createElement("div");
      child.dataset.key = String(item.key);
      there.set(item.key, child);
    }
    if (child === before) before = child.nextElementSibling;
    else element.insertBefore(child, before);
    if (child.of && child.of === item.of && child.version === item.version) continue;
    Object.assign(child, { of: item.of, version: item.version, className: item.name });
    show(child, item.markup());
  }
  for (const [key, child] of there) if (!keys.has(key)) { child.remove(); there.delete(key); }
}
