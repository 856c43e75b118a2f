// Two runs side by side: how long jobs took, how near maps were, how fair it was over time.

import { within } from "./entities.mjs";
import { html, table } from "./markup.mjs";
import { axes, frame, path, picture } from "./chart.mjs";
import { ofJob, sample, quantiles } from "./history.mjs";
import { percent, time } from "./words.mjs";

const height = 240, columns = 120;

/** The numbers of a run. */
export function figures(h) {
  const done = [...h.jobs.values()].filter((j) => j.state === "succeeded" && j.finished >= 0);
  const times = done.map((j) => j.finished - j.submitted).sort((a, b) => a - b);
  const { near } = h.state;
  return { times, near, maps: near.N + near.R + near.O, quantiles: quantiles(times), mean: times.reduce((a, b) => a + b, 0) / (times.length || 1), end: h.end };
}

/** Jain's index over time of what users hold as a part of what they could have: of the slots' fair part,
 * which is no more than their jobs have tasks left for. 1: all have the same part of it; 1/n: one has
 * all, and n - 1 that could run something have nothing. Reduces count from a job's first on. */
export function fairness(h) {
  const from = h.from, to = Math.max(from + 1, h.end), users = new Map();
  for (const j of h.jobs.values()) {
    const u = within(users, j.user || j.pool, () => [0, 1].map(() => ({ held: new Float64Array(columns), left: new Float64Array(columns) })));
    for (const k of [0, 1]) tasks(h, j, k, u[k], from, to);
  }
  return Array.from({ length: columns }, (_, i) => {
    const parts = [];
    const fair = [0, 1].map((k) => waterFill([...users.values()].map((u) => Math.max(u[k].left[i], u[k].held[i])), h.most[k]));
    [...users.values()].forEach((u, n) => {
      const could = fair[0][n] + fair[1][n];
      if (could > 0.5) parts.push((u[0].held[i] + u[1].held[i]) / could);
    });
    const sum = parts.reduce((a, b) => a + b, 0), squares = parts.reduce((a, b) => a + b * b, 0);
    return squares ? (sum * sum) / (parts.length * squares) : 1;
  });
}

/** Adds the slots that a job holds and the tasks that it has left to the columns of a time. */
function tasks(h, j, k, out, from, to) {
  const attempts = j.attempts.filter((a) => a.kind === k), begin = k === 0 ? j.submitted : Math.min(...attempts.map((a) => a.segments[0][0]));
  if (!j.tasks[k] || !Number.isFinite(begin)) return;
  const ends = attempts.filter((a) => a.end === "succeeded").map((a) => a.over).sort((a, b) => a - b);
  const left = [[begin, j.tasks[k]], ...ends.map((at, i) => [at, Math.max(0, j.tasks[k] - i - 1)]), ...(j.finished >= 0 ? [[j.finished, 0]] : [])];
  sample(h.series.get(ofJob(k, j.id)), from, to, columns).forEach((v, i) => { out.held[i] += v; });
  sample(/** @type {[number, number][]} */ (left), from, to, columns).forEach((v, i) => { out.left[i] += v; });
}

/** Divides slots into equal parts, none larger than what its holder wants. */
export function waterFill(wants, slots) {
  const out = wants.map(() => 0);
  const open = wants.map((w, n) => ({ w, n })).sort((a, b) => a.w - b.w);
  let rest = slots;
  open.forEach(({ w, n }, i) => {
    out[n] = Math.min(w, rest / (open.length - i));
    rest -= out[n];
  });
  return out;
}

/** Two lines in a picture: the points of each run, in times and parts of 1. */
function twoLines(width, most, unit, label, names, points) {
  const f = frame(width, height, 0, Math.max(1, most), 1);
  const line = (of, name) => html`<path class="line ${name}" d="${path(of.map(([x, y]) => [f.x(x), f.y(y)]))}"/>`;
  const keys = names.map((name, i) => html`<span><svg class="key" viewBox="0 0 10 10" aria-hidden="true"><path class="line ${i ? "second" : "first"}" d="M0 5L10 5"/></svg> ${name}</span> `);
  return html`${picture(width, height, `${label}: ${names[0]} in blue, ${names[1]} in orange and dashed`, html`${axes(f, unit)}${line(points[0], "first")}${line(points[1], "second")}`)}<p class="legend">${keys}</p>`;
}

const cdf = (x) => [[0, 0], ...x.times.flatMap((t, i) => [[t, i / x.times.length], [t, (i + 1) / x.times.length]])];
const fair = (h) => fairness(h).map((v, i) => [((i + 0.5) * (h.end - h.from)) / columns, v]);

/** The figures of two runs, whole. */
export function compareMarkup(h, name, other, otherName, width = 960) {
  const a = figures(h), b = figures(other), names = [name, otherName];
  const rows = [
    ["jobs done", a.times.length, b.times.length], ["mean time", time(a.mean), time(b.mean)], ["median", time(a.quantiles.median), time(b.quantiles.median)],
    ["longest", time(a.quantiles.most), time(b.quantiles.most)], ["makespan", time(a.end), time(b.end)],
    ...[["N", "node-local"], ["R", "rack-local"], ["O", "off-rack"]].map(([k, text]) => [text, percent(a.near[k], a.maps), percent(b.near[k], b.maps)]),
  ];
  return html`${table("The whole runs", ["", name, otherName], rows.map((r) => html`<tr><th scope="row">${r[0]}</th><td>${r[1]}</td><td>${r[2]}</td></tr>`))}
<h2>How long jobs took</h2>${twoLines(width, Math.max(a.quantiles.most, b.quantiles.most), "part of jobs", "part of the jobs that took at most a time", names, [cdf(a), cdf(b)])}${
    new Set([...h.jobs.values()].map((j) => j.user || j.pool)).size < 2 ? "" : html`<h2>Fairness among users over time</h2><p>Jain’s index of the slots that users hold, each as a part of their fair part of the cluster: 1, all alike; 1/n, one of n has everything.</p>${twoLines(width, Math.max(h.end - h.from, other.end - other.from), "fairness", "Jain's index of what users hold of what they could have, over time", names, [fair(h), fair(other)])}`}`;
}
