// Markup as values: html`…` escapes whatever is put in, so that names of jobs and nodes, which
// anybody may choose, are never more than text. Only what html`…` has made is put in as it is.

class Markup {
  constructor(text) { this.text = text; }
  toString() { return this.text; }
}

const entities = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
/** Escapes a text for elements and quoted attributes. */
export const escapeText = (s) => String(s).replace(/[&<>"']/g, (c) => entities[c]);

/** Returns the element with an id.
 * @type {(id: string) => any} */
export const $ = (id) => document.getElementById(id);

function piece(v) {
  if (v instanceof Markup) return v.text;
  if (Array.isArray(v)) return v.map(piece).join("");
  return v === null || v === undefined || v === false ? "" : escapeText(v);
}

const layouts = new WeakMap();

/** Returns the texts between the values of a template. A line break with its indent is dropped beside a tag;
 * elsewhere it becomes a space. */
function textsOf(strings) {
  const fold = (text) => text.replace(/(>?)\n\s*(<?)/g, (_, end, begin) => end + begin || " ");
  if (!layouts.has(strings)) layouts.set(strings, strings.map(fold));
  return layouts.get(strings);
}

/** Makes markup from a template. Values are escaped unless they are markup; null and false add nothing. */
export function html(strings, ...values) {
  const texts = textsOf(strings);
  return new Markup(values.reduce((text, v, i) => text + piece(v) + texts[i + 1], texts[0]));
}

/** Returns the options of a select element; each is a value, or a pair of value and text. */
export const options = (list, chosen) => list.map((one) => [one].flat()).map(([value, name = value]) => (
  html`<option value="${value}"${value === chosen && html` selected`}>${name}</option>`));

/** Returns a button that chooses a job, an attempt or a group. */
export function link(what, id, text, title = "") {
  return html`<button class="job" data-${what}="${id}"${title && html` title="${title}"`}>${text}</button>`;
}

export const jobLink = (id, title) => link("job", id, `job ${id}`, title);

/** A table: what it shows, its columns, and what has a row each. A column is its head, with a function from
 * what has a row to the cell; without one rows are lists of cells. As an object it may also have a class, a group that
 * stands above several, and an id by which it is sorted. head is the column of the rows' heads, sort how it is sorted.
 * @param {any} caption
 * @param {(string | [string, (of: any) => any] | Record<string, any>)[]} columns
 * @param {any[]} list
 * @param {{name?: string, key?: (of: any) => any, look?: (of: any) => string, head?: number, sort?: any}} [more] */
export function table(caption, columns, list, { name = "", key, look, head = 0, sort } = {}) {
  /** @type {any[]} */
  const all = columns.map((c, i) => (typeof c === "string" ? { text: c, cell: (of) => of[i] }
    : Array.isArray(c) ? { text: c[0], cell: c[1] } : c));
  const grouped = all.filter((c) => c.group), two = grouped.length > 0;
  const sorted = html` aria-sort="${sort?.down ? "descending" : "ascending"}"`;
  const button = (id, text) => html`<button class="sort" data-sort="${id}">${text}</button>`;
  const title = ({ id, text, group }) => (text ? html`<th scope="col"${!group && two && html` rowspan="2"`}${
    id && id === sort?.sort && sorted}>${id ? button(id, text) : text}</th>` : html`<td></td>`);
  const above = ({ group }, i) => group !== all[i - 1].group && html`
    <th scope="colgroup" colspan="${grouped.filter((c) => c.group === group).length}">${group}</th>`;
  const cell = ({ cell: is, name: of }, row, i) => (i === head ? html`<th scope="row">${is(row)}</th>`
    : html`<td${of && html` class="${of}"`}>${is(row)}</td>`);
  return html`<table class="${name}">${caption && html`<caption>${caption}</caption>`}
    <thead><tr>${all.map((c, i) => (c.group ? above(c, i) : title(c)))}</tr>
      ${two && html`<tr>${grouped.map(title)}</tr>`}</thead>
    <tbody>${list.map((of) => html`
      <tr${look && html` class="${look(of)}"`}${key && html` data-key="${key(of)}"`}>
      ${all.map((c, i) => cell(c, of, i))}</tr>`)}</tbody></table>`;
}

/** Wraps wide content in a box that scrolls by itself. */
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

/** Changes the children of an element into those of another one; rows are matched by their data-key. */
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
