// Slots over time, stacked by pool (by user where there are no pools) or by job, with the fair share, minimum, maximum and
// demand of one of them as lines.

import { html } from "./markup.mjs";
import { axes, frame, hues, path, picture } from "./chart.mjs";
import { ofJob, sample } from "./history.mjs";
import { time } from "./words.mjs";

const width = 960, columns = 240, maxPools = 7, tall = 260, strip = 34;

/** What may be stacked, each with the steps of its series. */
function holders(h, kind, by) {
  if (by !== "job") return [...h.pools.keys()].map((name) => ({ name, steps: h.series.get(`${kind} ${name}`) }));
  return [...h.jobs.values()].map((j) => ({ name: nameOf(j), steps: h.series.get(ofJob(kind, j.id)) })).filter((j) => j.steps);
}

const nameOf = (j) => `job ${j.id}`;

/** The pools, or jobs, by how much they held, the smallest together as "others". */
export function stacks(h, kind, from, to, by = "") {
  const all = holders(h, kind, by).map(({ name, steps }) => ({ name, values: sample(steps, from, to, columns), sum: 0 }));
  for (const p of all) p.sum = p.values.reduce((a, b) => a + b, 0);
  all.sort((a, b) => b.sum - a.sum || (a.name < b.name ? -1 : 1));
  const shown = all.slice(0, maxPools);
  if (all.length > maxPools) {
    const rest = { name: `${all.length - maxPools} others`, values: new Float64Array(columns), sum: 0 };
    for (const p of all.slice(maxPools)) p.values.forEach((v, i) => { rest.values[i] += v; });
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
  return html`<path class="limit ${field}" d="${path(points)}"/>`;
}

/** The picture and its legend. Kind is 0 for maps, 1 for reduces; chosen is the pool, or job, whose lines are drawn; a
 * line says that the page stands at now; by is "job", or else by pool.
 * @param {{from: number, to: number, width: number, height: number} | null} part from when to when, and how large; all of the run where it is left out */
export function sharesMarkup(h, kind, chosen, now, by = "", part = null) {
  if (!h.jobs.size) return html`<p class="empty">No job has come yet.</p>`;
  const { svg, legend } = sharesPicture(h, kind, chosen, now, by, { part });
  return html`${svg}${legend}`;
}

/** A strip of all slots held over the whole run, with the part that the picture above it shows. */
export function brushMarkup(h, now, [from, to]) {
  const f = { x: (t) => (width * (t - h.from)) / Math.max(1, h.end - h.from), y: (v) => strip * (1 - v / Math.max(1, h.most[0])) };
  const sum = new Float64Array(columns);
  for (const { steps } of holders(h, 0, "")) sample(steps, h.from, Math.max(h.from + 1, h.end), columns).forEach((v, i) => { sum[i] += v; });
  const points = Array.from(sum, (v, i) => [(width * (i + 0.5)) / columns, f.y(v)]);
  return html`<svg viewBox="0 0 ${width} ${strip}" preserveAspectRatio="none" aria-hidden="true"><path class="all" d="${path([[0, strip], ...points, [width, strip]])}Z"/>
<rect class="part" x="${f.x(from).toFixed(1)}" width="${Math.max(2, f.x(to) - f.x(from)).toFixed(1)}" height="${strip}"/><line class="cursor" x1="${f.x(now).toFixed(1)}" x2="${f.x(now).toFixed(1)}" y1="0" y2="${strip}"/></svg>`;
}

/** The picture as a file that stands alone. */
export function sharesSVG(h, kind, chosen, now, by = "") {
  return sharesPicture(h, kind, chosen, now, by, { file: true }).svg.toString();
}

/** The pool, or job, whose lines are drawn, with them: the one chosen, else the first of which anything was told. */
function lined(h, list, wish, by) {
  const of = by === "job" ? new Map([...h.jobs.values()].filter((j) => j.levels.length).map((j) => [nameOf(j), j.levels])) : h.limits;
  const first = of.has(wish) ? wish : (list.find((p) => of.has(p.name)) || { name: "" }).name;
  return { chosen: first, limits: of.get(first) || [] };
}

/** The lines of a picture: what each is called, and what it is in a file. */
const lines = [["fair", "fair share", "dashed"], ["min", "minimum", "dotted"], ["max", "maximum", "drawn through"], ["demand", "demand", "thin"]];

/** What a file has to say for itself, which the page's style sheet says here. */
const alone = html`<style>text{font:11px sans-serif}.axes line{stroke:#b6c0ca;stroke-width:.5}.limit{fill:none;stroke:#16202a;stroke-width:1.8}.fair{stroke-dasharray:7 4}.min{stroke-dasharray:2 3}.demand{stroke-width:.8}.area{stroke:#fff;stroke-width:.5}.cursor{stroke:none}</style>`;

function sharesPicture(h, kind, wish, now, by, { file = false, part = null }) {
  const { from, to, width: wide, height } = part || { from: h.from, to: Math.max(h.end, h.from + 1), width, height: tall };
  const list = stacks(h, kind, from, to, by);
  const most = Math.max(h.most[kind], ...Array.from({ length: columns }, (_, i) => list.reduce((sum, p) => sum + p.values[i], 0)), 1);
  const f = frame(wide, height, from, to, most);
  const below = new Float64Array(columns);
  const areas = list.map((p, n) => {
    const t = (i) => from + ((i + 0.5) * (to - from)) / columns;
    const bottom = Array.from(below, (v, i) => [f.x(t(i)), f.y(v)]);
    p.values.forEach((v, i) => { below[i] += v; });
    const top = Array.from(below, (v, i) => [f.x(t(i)), f.y(v)]);
    return html`<path fill="${hues[n]}" class="area" data-pool="${p.name}" d="${path([...top, ...bottom.reverse()])}Z"><title>${p.name || "(none)"}</title></path>`;
  });
  const { chosen, limits } = lined(h, list, wish, by);
  const told = lines.filter(([field]) => limits.some((l) => l[field][kind] > 0));
  const keys = file ? list.map((p, n) => html`<rect x="${60 + 125 * n}" y="${height + 4}" width="10" height="10" fill="${hues[n]}"/><text x="${74 + 125 * n}" y="${height + 13}">${p.name || "(none)"}</text>`) : "";
  const said = file && told.length ? html`<text x="60" y="${height + 29}">${chosen}: ${told.map(([, name, how]) => `${name} ${how}`).join(", ")}</text>` : "";
  const words = list.map((p) => `${p.name || "(none)"}: ${(p.sum / columns).toFixed(1)} in the mean`).join("; ");
  const svg = html`${picture(wide, file ? height + 36 : height, `${kind ? "reduce" : "map"} slots held over ${time(to - from)} by ${by || "pool"}. ${words}`, html`${file ? html`${alone}<rect width="${wide}" height="${height + 36}" fill="#fff"/>` : ""}${axes(f, "slots")}${areas}
${told.map(([field]) => limitLine(f, limits, kind, field, to))}<line class="cursor" x1="${f.x(Math.max(from, now))}" x2="${f.x(Math.max(from, now))}" y1="20" y2="${height - 24}"/>${keys}${said}`)}`;
  const legend = html`<p class="legend">${list.map((p, n) => html`<button class="pool${p.name === chosen ? " chosen" : ""}" data-pool="${p.name}" aria-pressed="${p.name === chosen}"><svg class="key" viewBox="0 0 10 10" aria-hidden="true"><rect width="10" height="10" fill="${hues[n]}"/></svg> ${p.name || "(none)"}</button> `)}
${told.length ? html`<span class="lines">${chosen}: ${told.map(([field, name]) => html`<span class="l-${field}">${name}</span> `)}</span>` : ""}</p>`;
  return { svg, legend };
}

/** The numbers of the picture as CSV. */
export function sharesCSV(h, kind, by = "") {
  const from = h.from, to = Math.max(h.end, from + 1);
  const list = stacks(h, kind, from, to, by);
  const rows = [["seconds", ...list.map((p) => p.name || "(none)")]];
  for (let i = 0; i < columns; i++) rows.push([((from + ((i + 0.5) * (to - from)) / columns) / 1e9).toFixed(3), ...list.map((p) => p.values[i].toFixed(3))]);
  return csv(rows);
}

/** A CSV file of rows. */
export const csv = (rows) => rows.map((row) => row.map(cell).join(",") + "\n").join("");

/** A cell of a CSV file. One that a spreadsheet would take for a formula is text. */
export function cell(v) {
  let s = String(v);
  if (typeof v === "string" && /^[=+\-@\t]/.test(s)) s = `'${s}`;
  return /[",\n\r]/.test(s) ? `"${s.replace(/"/g, '""')}"` : s;
}
