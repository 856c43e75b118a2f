// Slots over time, stacked by pool (by user where there are no pools), with fair, minimum and maximum lines of one pool.

import { html } from "./markup.mjs";
import { axes, frame, hues, path, picture } from "./chart.mjs";
import { sample } from "./history.mjs";
import { time } from "./words.mjs";

const width = 960, height = 260, columns = 240, mostPools = 7;

/** The pools by how much they held, the smallest together as "others". */
export function stacks(h, kind, from, to) {
  const all = [...h.pools.keys()].map((name) => ({ name, values: sample(h.series.get(`${kind} ${name}`), from, to, columns), sum: 0 }));
  for (const p of all) p.sum = p.values.reduce((a, b) => a + b, 0);
  all.sort((a, b) => b.sum - a.sum || (a.name < b.name ? -1 : 1));
  const shown = all.slice(0, mostPools);
  if (all.length > mostPools) {
    const rest = { name: `${all.length - mostPools} others`, values: new Float64Array(columns), sum: 0 };
    for (const p of all.slice(mostPools)) p.values.forEach((v, i) => { rest.values[i] += v; });
    shown.push(rest);
  }
  return shown.filter((p) => p.sum > 0 || shown.length === 1);
}

/** A line of what a pool should have: steps between the times at which it was told. */
function limitLine(f, list, kind, field, to) {
  const points = [];
  list.forEach((l, i) => {
    const v = l[field][kind];
    const next = i + 1 < list.length ? list[i + 1].at : to;
    points.push([f.x(Math.max(f.from, Math.min(l.at, to))), f.y(Math.min(v, f.most))], [f.x(Math.max(f.from, Math.min(next, to))), f.y(Math.min(v, f.most))]);
  });
  return list.some((l) => l[field][kind] > 0) ? html`<path class="limit ${field}" d="${path(points)}"/>` : "";
}

/**
 * The picture and its legend.
 * @param {object} h the history
 * @param {number} kind 0 maps, 1 reduces
 * @param {string} chosen the pool whose lines are drawn
 * @param {number} now where a line says that the page stands
 */
export function sharesMarkup(h, kind, chosen, now) {
  const { svg, legend } = sharesPicture(h, kind, chosen, now);
  return html`${svg}${legend}`;
}

/** The picture as a file that stands alone. */
export function sharesSVG(h, kind, chosen, now) {
  return sharesPicture(h, kind, chosen, now, true).svg.toString();
}

/** The pool whose lines are drawn: the one chosen, else the first that has been told what it should have. */
function lined(h, list, chosen) {
  if (h.limits.has(chosen)) return chosen;
  const first = list.find((p) => h.limits.has(p.name));
  return first ? first.name : "";
}

/** What a file has to say for itself, which the page's style sheet says here. */
const alone = html`<style>text{font:11px sans-serif}.axes line{stroke:#b6c0ca;stroke-width:.5}.limit{fill:none;stroke:#16202a;stroke-width:1.8}.fair{stroke-dasharray:7 4}.min{stroke-dasharray:2 3}.area{stroke:#fff;stroke-width:.5}.cursor{stroke:none}</style>`;

function sharesPicture(h, kind, wish, now, file = false) {
  const from = h.from, to = Math.max(h.end, from + 1);
  const list = stacks(h, kind, from, to);
  const most = Math.max(h.most[kind], ...Array.from({ length: columns }, (_, i) => list.reduce((sum, p) => sum + p.values[i], 0)), 1);
  const f = frame(width, height, from, to, most);
  const below = new Float64Array(columns);
  const areas = list.map((p, n) => {
    const t = (i) => from + ((i + 0.5) * (to - from)) / columns;
    const bottom = Array.from(below, (v, i) => [f.x(t(i)), f.y(v)]);
    p.values.forEach((v, i) => { below[i] += v; });
    const top = Array.from(below, (v, i) => [f.x(t(i)), f.y(v)]);
    return html`<path fill="${hues[n]}" class="area" data-pool="${p.name}" d="${path([...top, ...bottom.reverse()])}Z"><title>${p.name || "(none)"}</title></path>`;
  });
  const chosen = lined(h, list, wish), limits = h.limits.get(chosen) || [];
  const keys = file ? list.map((p, n) => html`<rect x="${60 + 125 * n}" y="${height + 4}" width="10" height="10" fill="${hues[n]}"/><text x="${74 + 125 * n}" y="${height + 13}">${p.name || "(none)"}</text>`) : "";
  const said = file && limits.length ? html`<text x="60" y="${height + 29}">${chosen}: fair share dashed, minimum dotted, maximum drawn through</text>` : "";
  const words = list.map((p) => `${p.name || "(none)"}: ${(p.sum / columns).toFixed(1)} in the mean`).join("; ");
  const svg = html`${picture(width, file ? height + 36 : height, `${kind ? "reduce" : "map"} slots held over ${time(to - from)} by pool. ${words}`, html`${file ? html`${alone}<rect width="${width}" height="${height + 36}" fill="#fff"/>` : ""}${axes(f, "slots")}${areas}
${["fair", "min", "max"].map((field) => limitLine(f, limits, kind, field, to))}<line class="cursor" x1="${f.x(Math.max(from, now))}" x2="${f.x(Math.max(from, now))}" y1="20" y2="${height - 24}"/>${keys}${said}`)}`;
  const legend = html`<p class="legend">${list.map((p, n) => html`<button class="pool${p.name === chosen ? " chosen" : ""}" data-pool="${p.name}" aria-pressed="${p.name === chosen}"><svg class="key" viewBox="0 0 10 10" aria-hidden="true"><rect width="10" height="10" fill="${hues[n]}"/></svg> ${p.name || "(none)"}</button> `)}
${limits.length ? html`<span class="lines">${chosen}: <span class="l-fair">fair share</span> <span class="l-min">minimum</span> <span class="l-max">maximum</span></span>` : html`<span>This scheduler tells no fair, minimum or maximum share of these.</span>`}</p>`;
  return { svg, legend };
}

/** The numbers of the picture as CSV. */
export function sharesCSV(h, kind) {
  const from = h.from, to = Math.max(h.end, from + 1);
  const list = stacks(h, kind, from, to);
  const lines = [["seconds", ...list.map((p) => p.name || "(none)")].map(cell).join(",")];
  for (let i = 0; i < columns; i++) lines.push([((from + ((i + 0.5) * (to - from)) / columns) / 1e9).toFixed(3), ...list.map((p) => p.values[i].toFixed(3))].join(","));
  return lines.join("\n") + "\n";
}

/** A cell of a CSV file. One that a spreadsheet would take for a formula is text. */
export function cell(v) {
  let s = String(v);
  if (typeof v === "string" && /^[=+\-@\t]/.test(s)) s = `'${s}`;
  return /[",\n\r]/.test(s) ? `"${s.replace(/"/g, '""')}"` : s;
}
