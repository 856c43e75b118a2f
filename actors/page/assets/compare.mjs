// Two policies on the same work, under one clock: two clusters, the slots by which one gains glowing, and the means so
// far. And the figures of the whole runs: how long jobs took, how near maps were, how fair it was over time.

import { hasSucceeded, openJobs, within } from "./entities.mjs";
import { html, show, table } from "./markup.mjs";
import { drawCluster, legend } from "./cluster.mjs";
import { key, path, plot } from "./chart.mjs";
import { fileText, firstRun, parseLines } from "./events.mjs";
import { ofJob, quantiles, sample } from "./history.mjs";
import { seek } from "./player.mjs";
import { letter, located, many, percent, time } from "./words.mjs";

const columns = 120;
const sum = (list) => list.reduce((a, b) => a + b, 0);
const mean = (list) => sum(list) / Math.max(1, list.length);
const sojourn = (j) => j.finished - j.submitted;

/** Returns the figures of a whole run that the tables and pictures compare. */
export function figures(h) {
  const times = [...h.jobs.values()].filter(hasSucceeded).map(sojourn).sort((a, b) => a - b);
  return { times, near: h.state.near, ...quantiles(times), mean: mean(times), end: h.end };
}

/** Jain's index over time of what users hold as a part of what they could have: of the slots' fair part,
 * which is no more than their jobs have tasks left for. 1: all have the same part of it; 1/n: one has
 * all, and n - 1 that could run something have nothing. Reduces count from a job's first on. */
export function fairness(h) {
  const byUser = new Map(), column = () => ({ held: new Float64Array(columns), left: new Float64Array(columns) });
  for (const j of h.jobs.values()) {
    const u = within(byUser, j.user || j.pool, () => [column(), column()]);
    for (const k of [0, 1]) addTasks(h, j, k, u[k]);
  }
  const users = [...byUser.values()];
  return Array.from({ length: columns }, (_, i) => {
    const fair = [0, 1].map((k) => waterFill(users.map((u) => Math.max(u[k].left[i], u[k].held[i])), h.most[k]));
    const could = users.map((_, n) => fair[0][n] + fair[1][n]);
    const parts = users.map((u, n) => (u[0].held[i] + u[1].held[i]) / could[n]).filter((_, n) => could[n] > 0.5);
    const squares = sum(parts.map((x) => x * x));
    return squares ? sum(parts) ** 2 / (parts.length * squares) : 1;
  });
}

/** Adds the slots that job j holds, and the tasks of kind k that it has left, to the samples over time in out. */
function addTasks(h, j, k, out) {
  const attempts = j.attempts.filter((a) => a.kind === k), to = Math.max(h.from + 1, h.end);
  const begin = k === 0 ? j.submitted : Math.min(...attempts.map((a) => a.start));
  if (!j.tasks[k] || !Number.isFinite(begin)) return;
  const ends = attempts.filter((a) => a.end === "succeeded").map((a) => a.over).sort((a, b) => a - b);
  const left = [begin, ...ends].map((at, i) => [at, Math.max(0, j.tasks[k] - i)]);
  if (j.finished >= 0) left.push([j.finished, 0]);
  const add = (steps, sums) => sample(steps, h.from, to, columns).forEach((v, i) => { sums[i] += v; });
  add(h.series.get(ofJob(k, j.id)), out.held);
  add(left, out.left);
}

/** Divides slots into equal parts, none larger than what its holder wants. */
export function waterFill(wants, slots) {
  const out = [...wants];
  let rest = slots;
  [...wants.keys()].sort((a, b) => wants[a] - wants[b]).forEach((n, i) => {
    rest -= out[n] = Math.min(wants[n], rest / (wants.length - i));
  });
  return out;
}

/** Draws two lines with their legend; each point is a time and a fraction from 0 to 1. */
function twoLines(names, points, of) {
  const label = `${of.label}: ${names[0]} in blue, ${names[1]} in orange and dashed`;
  const line = (d, i) => html`<path class="line ${i ? "second" : "first"}" d="${d}"/>`;
  const scaled = (f) => points.map((list) => path(list.map(([x, y]) => [f.x(x), f.y(y)])));
  return html`${plot({ from: 0, most: 1, ...of, label }, (f) => scaled(f).map(line))}
    <p class="legend">${names.map((name, i) => html`<span>${key(line("M0 5L10 5", i))} ${name}</span> `)}</p>`;
}

/** Returns the points of the fraction of jobs that took at most a time. */
function cdf({ times }) {
  const n = times.length;
  return [[0, 0], ...times.flatMap((t, i) => [[t, i / n], [t, (i + 1) / n]])];
}

export function compareMarkup(h, name, other, otherName, width = 960) {
  const both = [h, other], all = both.map(figures), names = [name, otherName];
  const part = (letter) => ({ near }) => percent(near[letter], located(near));
  /** @type {[string, (a: any) => any][]} */
  const rows = [["jobs done", (a) => a.times.length], ["mean time", (a) => time(a.mean)],
    ["median", (a) => time(a.median)], ["longest", (a) => time(a.most)], ["makespan", (a) => time(a.end)],
    ["node-local", part("N")], ["rack-local", part("R")], ["off-rack", part("O")]];
  const span = (x) => x.end - x.from, fair = (x) => fairness(x).map((v, i) => [((i + 0.5) * span(x)) / columns, v]);
  const alone = new Set([...h.jobs.values()].map((j) => j.user || j.pool)).size < 2;
  return html`${table("The whole runs", ["", ...names], rows.map(([text, of]) => [text, ...all.map(of)]))}
    <h2>How long jobs took</h2>${twoLines(names, all.map(cdf), { width, to: Math.max(...all.map((a) => a.most)),
      unit: "part of jobs", label: "part of the jobs that took at most a time" })}
    ${!alone && html`<h2>Fairness among users over time</h2>
      <p>Jain’s index of the slots that users hold, each as a part of their fair part of the cluster: 1, all alike;
        1/n, one of n has everything.</p>${twoLines(names, both.map(fair), { width, to: Math.max(...both.map(span)),
        unit: "fairness", label: "Jain's index of what users hold of what they could have, over time" })}`}`;
}

/** Returns the means so far: of the time of jobs that both runs have done, and of maps on their data. */
export function soFar(s, other) {
  const done = [...s.jobs.values()].filter(hasSucceeded), maps = located(s.near);
  const both = done.filter((j) => hasSucceeded(other.jobs.get(j.id) ?? {})), open = openJobs(s).length;
  return { done: done.length, both: both.length, open, sojourn: mean(both.map(sojourn)), local: s.near.N, maps };
}

/** Orders the letters of attempts by the distance from what they read. */
const rank = { N: 0, R: 1, O: 2, A: 2, G: 0, r: 1 };

/** Reports whether the job of an attempt still waits for its first slot of that kind in the other run. */
function ahead(a, other) {
  const job = a && other.jobs.get(a.job);
  return !!job && job.finished < 0 && !job.running[a.kind] && !job.done[a.kind];
}

/** Returns the slots of a node, as "kind number", that glow: their task is nearer to its data than the other run's in
 * that slot, or its job still waits for its first slot there. */
export function gaining(s, node, other) {
  const there = other.nodes.get(node.id)?.cells ?? [[], []];
  const nearer = (a, b) => a && b && rank[letter(a)] < rank[letter(b)] && !ahead(b, s);
  return new Set([0, 1].flatMap((k) => node.cells[k].map((a, i) => (
    nearer(a, there[k][i]) || ahead(a, other) ? `${k} ${i}` : ""))).filter(Boolean));
}

/** Draws the head of a cluster: its policy, the means so far, and how these differ from the other run's. */
function aboveMarkup(name, mine, theirs) {
  const by = mine.both > 2 && theirs.sojourn ? mine.sojourn / theirs.sojourn - 1 : 0;
  const [look, sign] = by < 0 ? ["good", "−"] : ["bad", "+"], less = `${sign}${Math.abs(100 * by).toFixed(0)} %`;
  const change = Math.abs(by) > 0.005 && html` <small class="${look}">${less}</small>`;
  const took = html`${mine.both ? time(mine.sojourn) : "–"}${change}`;
  const numbers = [[`mean sojourn of the ${many(mine.both, "job")} done in both`, took],
    ["maps on their data so far", percent(mine.local, mine.maps)], ["jobs done", mine.done],
    ["jobs that run or wait", mine.open]];
  return html`<h2>${name}</h2><dl>${numbers.map(([dt, dd]) => html`<div><dt>${dt}</dt><dd>${dd}</dd></div>`)}</dl>`;
}

const gains = html` <span><b class="slot gains"></b> gains: its task is nearer to its data than the one in this
  slot of the other run, or its job has no slot yet there</span>`;

async function readOther(x, file, says) {
  try {
    x.setOther(firstRun(parseLines(await fileText(file))), file.name);
    x.changed();
  } catch (err) {
    says.textContent = `${file.name} cannot be read: ${err.message}`;
  }
}

export function compareScreen(to, x) {
  const [ask, twin, below, whole] = to.children, { runs, names } = x;
  twin.hidden = below.hidden = whole.hidden = !runs[1];
  ask.hidden = !!document.body.dataset.play;
  ask.onchange = (e) => e.target.files[0] && readOther(x, e.target.files[0], ask.lastElementChild);
  if (!runs[1]) return;
  seek(runs[1 - x.side], x.p.time);
  const states = runs.map((p) => p.state), means = states.map((s, i) => soFar(s, states[1 - i]));
  [...twin.children].forEach((side, i) => {
    const [above, racks] = side.children;
    side.setAttribute("aria-label", names[i]);
    show(above, aboveMarkup(names[i], means[i], means[1 - i]));
    drawCluster(racks, states[i], (node) => gaining(states[i], node, states[1 - i]));
  });
  show(below, legend(x.p.history.state, gains));
  if (x.p.playing && whole.firstChild) return; // the figures are of whole runs
  const [a, b] = runs.map((p) => p.history);
  show(whole, compareMarkup(a, names[0], b, names[1], Math.max(280, whole.clientWidth)));
}
