// Slots over time, stacked by pool (by user where there are no pools) or by job, with the fair share, minimum, maximum
// and demand of one of them as lines.

import { html } from "./markup.mjs";
import { axes, cursor, frame, hues, key, path, picture } from "./chart.mjs";
import { ofJob, sample } from "./history.mjs";
import { kindName, time } from "./words.mjs";

const width = 960, columns = 240, maxPools = 7, tall = 260, strip = 34;
const nameOf = (j) => `job ${j.id}`;
/** Returns the begin and end of a run. */
const whole = (h) => ({ from: h.from, to: Math.max(h.end, h.from + 1) });
/** Returns the time in the middle of a column. */
const middle = ({ from, to }, i) => from + ((i + 0.5) * (to - from)) / columns;

/** Returns the pools or jobs that held slots, each with the steps of its series. */
function holders(h, kind, by) {
  const list = by === "job" ? [...h.jobs.values()].map((j) => [nameOf(j), ofJob(kind, j.id)])
    : [...h.pools].map((name) => [name, `${kind} ${name}`]);
  return list.map(([name, key]) => ({ name, steps: h.series.get(key) })).filter((one) => one.steps || by !== "job");
}

/** Adds lists of samples, element by element. */
function total(list) {
  const sum = new Float64Array(columns);
  for (const values of list) values.forEach((v, i) => { sum[i] += v; });
  return sum;
}

/** Returns the samples of the pools or jobs, largest first; the smallest are one entry "others". */
export function stacks(h, kind, from, to, by = "") {
  const stack = (name, values) => (
    { name, label: name || "(none)", values, sum: values.reduce((a, b) => a + b, 0) });
  const all = holders(h, kind, by).map(({ name, steps }) => stack(name, sample(steps, from, to, columns)))
    .sort((a, b) => b.sum - a.sum || (a.name < b.name ? -1 : 1));
  const shown = all.slice(0, maxPools), rest = all.slice(maxPools);
  if (rest.length) shown.push(stack(`${rest.length} others`, total(rest.map((p) => p.values))));
  return shown.filter((p) => p.sum > 0 || shown.length === 1);
}

/** The limits drawn as lines: field, name, style in words, dashes, width. */
const lines = [["fair", "fair share", "dashed", "7 4", 2], ["min", "minimum", "dotted", "2 3", 2],
  ["max", "maximum", "drawn through", "none", 2], ["demand", "demand", "thin", "none", 0.8]];

/** Draws a limit line along the SVG path d, in the picture and in the legend. */
const drawn = ([field, , , dashes, thick], d) => html`
  <path class="limit ${field}" d="${d}" fill="none" stroke-dasharray="${dashes}" stroke-width="${thick}"/>`;

/** Draws one limit of a pool over time, as steps between the events that changed it. */
function limitLine(f, list, kind, line) {
  const x = (at) => f.x(Math.max(f.from, Math.min(at, f.to))), y = (l) => f.y(Math.min(l[line[0]][kind], f.most));
  const points = list.flatMap((l, i) => [[x(l.at), y(l)], [x(list[i + 1]?.at ?? f.to), y(l)]]);
  return drawn(line, path(points));
}

/** The picture and its legend. Kind is 0 for maps, 1 for reduces; chosen is the pool, or job, whose lines are drawn; a
 * line says that the page stands at now; by is "job", or otherwise by pool.
 * @param {{from?: number, to?: number, width?: number, height?: number}} part from when to when, and how large */
export function sharesMarkup(h, kind, chosen, now, by = "", part = {}) {
  if (!h.jobs.size) return html`<p class="empty">No job has come yet.</p>`;
  const { svg, legend } = sharesPicture(h, kind, chosen, now, by, part);
  return html`${svg}${legend}`;
}

/** The picture as a file that stands alone. */
export function sharesSVG(h, kind, chosen, now, by = "") {
  return sharesPicture(h, kind, chosen, now, by, {}, true).svg.toString();
}

/** Draws the slots held over the whole run as a strip, and marks the part that the picture above shows. */
export function brushMarkup(h, now, [from, to]) {
  const run = whole(h), f = frame(width, strip, run.from, run.to, Math.max(1, h.most[0]), [0, 0, 0, 0]);
  const sum = total(holders(h, 0, "").map(({ steps }) => sample(steps, run.from, run.to, columns)));
  const points = Array.from(sum, (v, i) => [f.x(middle(run, i)), f.y(v)]), x = (t) => f.x(t).toFixed(1);
  return html`<svg viewBox="0 0 ${width} ${strip}" preserveAspectRatio="none" aria-hidden="true">
    <path class="all" d="${path([[0, strip], ...points, [width, strip]])}Z"/>
    <rect class="part" x="${x(from)}" width="${Math.max(2, f.x(to) - f.x(from)).toFixed(1)}" height="${strip}"/>
    <line class="cursor" x1="${x(now)}" x2="${x(now)}" y1="0" y2="${strip}"/></svg>`;
}

/** Returns the pool or job whose limits are drawn, and these: the chosen one, or the first with any limits. */
function lined(h, list, wish, by) {
  const of = by === "job" ? new Map() : h.limits;
  if (by === "job") for (const j of h.jobs.values()) if (j.levels.length) of.set(nameOf(j), j.levels);
  const chosen = of.has(wish) ? wish : list.find((p) => of.has(p.name))?.name ?? "";
  return { chosen, limits: of.get(chosen) || [] };
}

/** The style of a picture in a file of its own, without the page's style sheet. */
const alone = html`<style>text{font:11px sans-serif}.axes line{stroke:#b6c0ca;stroke-width:.5}
  .limit{stroke:#16202a}.area{stroke:#fff;stroke-width:.5}.cursor{stroke:none}</style>`;

/** Draws the legend below the picture, in a file. */
const fileLegend = (list, chosen, told, y) => html`${list.map((p, n) => html`
  <rect x="${60 + 125 * n}" y="${y + 4}" width="10" height="10" fill="${hues[n]}"/>
  <text x="${74 + 125 * n}" y="${y + 13}">${p.label}</text>`)}${told.length > 0 && html`<text x="60" y="${y + 29}">
    ${chosen}: ${told.map(([, name, how]) => `${name} ${how}`).join(", ")}</text>`}`;

const pageLegend = (list, chosen, told) => html`<p class="legend">${list.map((p, n) => html`
  <button class="pool" data-pool="${p.name}" aria-pressed="${String(p.name === chosen)}">
    ${key(html`<rect width="10" height="10" fill="${hues[n]}"/>`)} ${p.label}</button> `)}
  ${told.length > 0 && html`<span class="lines">
    ${chosen}: ${told.map((line) => html`<span>${key(drawn(line, "M-8 5L18 5"))} ${line[1]}</span> `)}</span>`}</p>`;

/** Draws the stacked areas, one for each pool or job. */
function areasOf(f, list) {
  const sums = (n) => total(list.slice(0, n).map((p) => p.values));
  const edge = (n) => Array.from(sums(n), (v, i) => [f.x(middle(f, i)), f.y(v)]);
  return list.map((p, n) => html`<path fill="${hues[n]}" class="area" data-pool="${p.name}"
    d="${path([...edge(n + 1), ...edge(n).reverse()])}Z"><title>${p.label}</title></path>`);
}

function sharesPicture(h, kind, wish, now, by, part, file = false) {
  const { from, to, width: wide, height } = { ...whole(h), width, height: tall, ...part };
  const list = stacks(h, kind, from, to, by), { chosen, limits } = lined(h, list, wish, by);
  const f = frame(wide, height, from, to, Math.max(1, h.most[kind], ...total(list.map((p) => p.values))));
  const told = lines.filter(([field]) => limits.some((l) => l[field][kind] > 0)), all = height + (file ? 36 : 0);
  const words = list.map((p) => `${p.label}: ${(p.sum / columns).toFixed(1)} in the mean`).join("; ");
  const label = `${kindName(kind)} slots held over ${time(to - from)} by ${by || "pool"}. ${words}`;
  const svg = picture(wide, all, label, html`
    ${file && html`${alone}<rect width="${wide}" height="${all}" fill="#fff"/>`}${axes(f, "slots")}${areasOf(f, list)}
    ${told.map((line) => limitLine(f, limits, kind, line))}${cursor(f, now)}
    ${file && fileLegend(list, chosen, told, height)}`);
  return { svg, legend: pageLegend(list, chosen, told) };
}

/** Returns the picture's numbers as rows of cells for CSV, the heads first. */
export function sharesTable(h, kind, by = "") {
  const run = whole(h), list = stacks(h, kind, run.from, run.to, by);
  const row = (_, i) => [(middle(run, i) / 1e9).toFixed(3), ...list.map((p) => p.values[i].toFixed(3))];
  return [["seconds", ...list.map((p) => p.label)], ...Array.from({ length: columns }, row)];
}
