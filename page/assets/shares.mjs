// Slots over time, stacked by pool, with fair, minimum and maximum lines of one pool.

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
  const from = h.from, to = Math.max(h.end, from + 1);
  const list = stacks(h, kind, from, to);
  const most = Math.max(h.slots[kind], ...Array.from({ length: columns }, (_, i) => list.reduce((sum, p) => sum + p.values[i], 0)), 1);
  const f = frame(width, height, from, to, most);
  const below = new Float64Array(columns);
  const areas = list.map((p, n) => {
    const t = (i) => from + ((i + 0.5) * (to - from)) / columns;
    const bottom = Array.from(below, (v, i) => [f.x(t(i)), f.y(v)]);
    p.values.forEach((v, i) => { below[i] += v; });
    const top = Array.from(below, (v, i) => [f.x(t(i)), f.y(v)]);
    return html`<path fill="${hues[n]}" class="area" data-pool="${p.name}" d="${path([...top, ...bottom.reverse()])}Z"><title>${p.name || "(none)"}</title></path>`;
  });
  const limits = h.limits.get(chosen) || [];
  const words = list.map((p) => `${p.name || "(none)"}: ${(p.sum / columns).toFixed(1)} in the mean`).join("; ");
  return html`${picture(width, height, `${kind ? "reduce" : "map"} slots held over ${time(to - from)} by pool. ${words}`, html`${axes(f, "slots")}${areas}
${["fair", "min", "max"].map((field) => limitLine(f, limits, kind, field, to))}<line class="cursor" x1="${f.x(Math.max(from, now))}" x2="${f.x(Math.max(from, now))}" y1="8" y2="${height - 24}"/>`)}
<p class="legend">${list.map((p, n) => html`<button class="pool${p.name === chosen ? " chosen" : ""}" data-pool="${p.name}" aria-pressed="${p.name === chosen}"><svg class="key" viewBox="0 0 10 10" aria-hidden="true"><rect width="10" height="10" fill="${hues[n]}"/></svg> ${p.name || "(none)"}</button> `)}
${limits.length ? html`<span class="lines">${chosen}: <span class="l-fair">fair share</span> <span class="l-min">minimum</span> <span class="l-max">maximum</span></span>` : html`<span>Choose a pool for its fair, minimum and maximum share.</span>`}</p>`;
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
