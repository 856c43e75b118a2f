// Two runs side by side: how long jobs took, how near maps were, how fair it was over time.

import { html } from "./markup.mjs";
import { axes, frame, path, picture } from "./chart.mjs";
import { sample, quantiles } from "./history.mjs";
import { percent, time } from "./words.mjs";

const width = 960, height = 240, columns = 120;

/** The numbers of a run. */
export function figures(h) {
  const done = [...h.jobs.values()].filter((j) => j.state === "succeeded" && j.finished >= 0);
  const times = done.map((j) => j.finished - j.submitted).sort((a, b) => a - b);
  const near = { N: 0, R: 0, O: 0 };
  for (const j of h.jobs.values()) for (const k of ["N", "R", "O"]) near[k] += j.near[k];
  return { times, near, maps: near.N + near.R + near.O, quantiles: quantiles(times), mean: times.reduce((a, b) => a + b, 0) / (times.length || 1), end: h.end };
}

/** Jain's index of what the pools with work hold, over time: 1 is all alike, 1/n one has all. */
export function fairness(h) {
  const from = h.from, to = Math.max(from + 1, h.end);
  const pools = [...h.pools.keys()].map((name) => {
    const m = sample(h.series.get(`0 ${name}`), from, to, columns), r = sample(h.series.get(`1 ${name}`), from, to, columns);
    return m.map((v, i) => v + r[i]);
  });
  return Array.from({ length: columns }, (_, i) => {
    const held = pools.map((p) => p[i]).filter((v) => v > 0);
    const sum = held.reduce((a, b) => a + b, 0), squares = held.reduce((a, b) => a + b * b, 0);
    return held.length ? (sum * sum) / (held.length * squares) : 1;
  });
}

function cdf(a, b, names) {
  const most = Math.max(1, ...a.times.slice(-1), ...b.times.slice(-1));
  const f = frame(width, height, 0, most, 1);
  const line = (x, name) => html`<path class="line ${name}" d="${path([[f.x(0), f.y(0)], ...x.times.flatMap((t, i) => [[f.x(t), f.y(i / x.times.length)], [f.x(t), f.y((i + 1) / x.times.length)]])])}"/>`;
  return picture(width, height, `part of the jobs that took no longer than so long: ${names[0]} in blue, ${names[1]} in orange and dashed`, html`${axes(f, "part of jobs")}${line(a, "first")}${line(b, "second")}`);
}

function fair(h, other, names) {
  const f = frame(width, height, 0, Math.max(h.end - h.from, other.end - other.from, 1), 1);
  const line = (x, name) => html`<path class="line ${name}" d="${path(fairness(x).map((v, i) => [f.x(((i + 0.5) * (x.end - x.from)) / columns), f.y(v)]))}"/>`;
  return picture(width, height, `Jain's index of the slots that pools hold, over time: ${names[0]} in blue, ${names[1]} in orange and dashed`, html`${axes(f, "fairness")}${line(h, "first")}${line(other, "second")}`);
}

/** The screen; without another run it asks for one. */
export function compareMarkup(h, name, other, otherName) {
  const ask = html`<p><label>Another run to compare with (its .jsonl, or gzipped): <input type="file" id="other-run" accept=".jsonl,.gz"></label></p>`;
  if (!other) return ask;
  const a = figures(h), b = figures(other), names = [name, otherName];
  const rows = [
    ["jobs done", a.times.length, b.times.length], ["mean time", time(a.mean), time(b.mean)], ["median", time(a.quantiles.median), time(b.quantiles.median)],
    ["longest", time(a.quantiles.most), time(b.quantiles.most)], ["makespan", time(a.end), time(b.end)],
    ...[["N", "node-local"], ["R", "rack-local"], ["O", "off-rack"]].map(([k, text]) => [text, percent(a.near[k], a.maps), percent(b.near[k], b.maps)]),
  ];
  return html`${ask}<table><thead><tr><th scope="col"></th><th scope="col">${name} (this run)</th><th scope="col">${otherName}</th></tr></thead><tbody>${rows.map((r) => html`<tr><th scope="row">${r[0]}</th><td>${r[1]}</td><td>${r[2]}</td></tr>`)}</tbody></table>
<h2>How long jobs took</h2>${cdf(a, b, names)}<h2>Fairness over time</h2>${fair(h, other, names)}`;
}
