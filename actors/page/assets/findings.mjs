// What is worth a look in a run: one finding a kind, with the jobs that it is true of and the setting
// that may change it. What costs less than a floor is not worth a word.

import { html } from "./markup.mjs";
import { many, percent, taskName, time } from "./words.mjs";
import { quantiles, ran } from "./history.mjs";
import { flows } from "./shuffle.mjs";

/** The least time that a finding about a job must be worth: half a second, and a tenth of the job's. */
const floor = (whole) => Math.max(0.5e9, whole / 10);

/** What each kind of finding is called, for one job and for many, and what may change it. */
const kinds = {
  failed: { one: (j) => `Attempts of job ${j} failed`, more: (n) => `Attempts of ${n} jobs failed`, setting: "the job itself; --max-skips skips bad records" },
  skew: { one: (j) => `Skewed keys in job ${j}`, more: (n) => `Skewed keys in ${n} jobs`, setting: "a combiner, another partition function, or more reduces (--reduces)" },
  straggler: { one: (j) => `A straggler in job ${j}`, more: (n) => `Stragglers in ${n} jobs`, setting: "copies of slow tasks (--set speculation.rule=late)" },
  "slow start": { one: (j) => `Reduces of job ${j} held slots while its maps ran`, more: (n) => `Reduces of ${n} jobs held slots while their maps ran`, setting: "a later slow start (--set slow_start=0.8)" },
  locality: { one: (j) => `Low locality of job ${j}`, more: (n) => `Low locality of ${n} jobs`, setting: "a scheduler that waits (--scheduler hfs or delay), a longer wait (--set locality.waits=), a larger D (--set locality.skips=), or more replicas" },
  waited: { one: (j) => `Job ${j} waited for its first slot`, more: (n) => `${n} jobs waited for their first slot most of their time`, setting: "another order (--scheduler hfs), a minimum share or weight for the pool, or preemption (--set preemption.mode=on)" },
  starved: { one: (p) => `Pool ${p} was starved`, more: (n) => `${n} pools were starved`, setting: "preemption (--set preemption.mode=on) with timeouts, or a minimum share for the pool" },
  lost: { one: (n) => `${n} was lost`, more: (n) => `${n} nodes were lost`, setting: "the nodes; the expiry says how long one may be silent" },
};

/** The findings of a history, the gravest first: {kind, title, text, setting, jobs}. */
export function findings(h, state) {
  const found = [];
  for (const j of h.jobs.values()) {
    const whole = (j.finished < 0 ? h.end : j.finished) - j.submitted;
    found.push(...failures(h, j), ...skew(h, j, whole), ...stragglers(h, j, whole), ...slowStart(h, j, whole), ...locality(j), ...waited(state, j));
  }
  found.push(...starved(h, state), ...lost(h));
  const groups = new Map();
  for (const f of found) groups.set(f.kind, [...(groups.get(f.kind) || []), f]);
  return [...groups].map(([kind, list]) => {
    list.sort((a, b) => b.weight - a.weight);
    const { one, more, setting } = kinds[kind];
    const title = list.length === 1 ? one(list[0].of) : more(list.length);
    return {
      kind, title, setting, weight: list[0].weight + Math.log10(list.length), jobs: list.map((f) => f.job).filter(Boolean),
      text: list.length > 1 ? `The worst: ${list[0].text}` : list[0].text,
    };
  }).sort((a, b) => b.weight - a.weight);
}

/** A finding about a job, the graver the more of the job's time it costs. */
const about = (kind, j, weight, text) => ({ kind, job: j.id, of: j.id, weight, text });

/** When the last map of a job ended that has; a reduce works from then on. */
const mapsOver = (j) => Math.max(-1, ...j.attempts.filter((a) => a.kind === 0 && a.end === "succeeded").map((a) => a.over));

/** How long an attempt ran; of a reduce, after the last map ended. */
function worked(a, h, from) {
  const before = a.kind === 1 ? Math.max(0, from - a.start) : 0;
  return Math.max(0, ran(a, h.end) - before);
}

function skew(h, j, whole) {
  if (j.tasks[1] < 2) return [];
  const totals = new Float64Array(j.tasks[1]), from = mapsOver(j);
  for (const row of flows(h, j).values()) row.forEach((b, r) => { totals[r] += b; });
  const q = quantiles(totals), times = j.attempts.filter((a) => a.kind === 1 && a.end === "succeeded");
  const largest = times.find((a) => totals[a.task] === q.most);
  if (!(q.median > 0) || q.most < 2 * q.median || !largest) return [];
  const cost = worked(largest, h, from) - quantiles(times.map((a) => worked(a, h, from))).median;
  return cost < floor(whole) ? [] : [about("skew", j, 2 + cost / whole, `the largest reduce of job ${j.id} gets ${(q.most / q.median).toFixed(1)} times as much as the median one, and works ${time(cost)} longer.`)];
}

/** Tasks that worked three times as long as the median, and longer by more than the floor. */
function stragglers(h, j, whole) {
  const from = mapsOver(j);
  return [0, 1].flatMap((k) => {
    const ends = j.attempts.filter((a) => a.kind === k && a.end === "succeeded");
    if (ends.length < 5) return [];
    const median = quantiles(ends.map((a) => worked(a, h, from))).median;
    const worst = ends.reduce((a, b) => (worked(a, h, from) > worked(b, h, from) ? a : b));
    const took = worked(worst, h, from), times = took / Math.max(1, median);
    return times < 3 || took - median < floor(whole) ? [] : [about("straggler", j, 1 + (took - median) / whole, `${taskName(worst)} ran ${time(took)}${k ? " after the last map" : ""}, ${times.toFixed(1)} times as long as the median, on ${(h.nodes.get(worst.node) || {}).name}; the job took ${time(whole)}.`)];
  });
}

/** Slots that reduces held while maps of their job still ran. */
function slowStart(h, j, whole) {
  const from = mapsOver(j), early = j.attempts.filter((a) => a.kind === 1 && a.start < from);
  const held = early.reduce((sum, a) => sum + Math.min(from, a.over < 0 ? h.end : a.over) - a.start, 0);
  return !early.length || held / early.length < floor(whole) ? [] : [about("slow start", j, held / early.length / whole, `${many(early.length, "reduce")} of job ${j.id} held a slot for ${time(held / early.length)} each, on average, before its last map ended.`)];
}

function locality(j) {
  const all = j.near.N + j.near.R + j.near.O;
  return all - j.near.N < 10 || j.near.N >= 0.8 * all ? [] : [about("locality", j, 2 * (1 - j.near.N / all), `${percent(j.near.N, all)} of the maps of job ${j.id} ran on a node with their data, ${percent(j.near.O, all)} in another rack.`)];
}

/** Jobs that waited for their first slot for more than half of their time. */
function waited(state, j) {
  const first = (j.first < 0 ? state.now : j.first) - j.submitted, whole = (j.finished < 0 ? state.now : j.finished) - j.submitted;
  return first < 1e9 || first < 0.5 * whole ? [] : [about("waited", j, 1 + first / Math.max(1, whole), `${time(first)} of ${time(whole)} passed before job ${j.id} ran anything.`)];
}

function failures(h, j) {
  const bad = j.attempts.filter((a) => a.end === "failed");
  return !bad.length ? [] : [about("failed", j, 4 + bad.length / 10, `${many(bad.length, "attempt")} of job ${j.id}, first ${taskName(bad[0])} on ${(h.nodes.get(bad[0].node) || {}).name}: ${bad[0].err || "no reason given"}`)];
}

/** Pools that were below half of their fair share for long. */
function starved(h, state) {
  const found = [];
  if (state.policy && state.policy.Order !== "pools") return found; // a queue has its capacity whatever it asks for
  for (const [pool, limits] of h.limits) {
    for (const k of [0, 1]) {
      const short = below(h.series.get(`${k} ${pool}`) || [], limits, k, h.end);
      if (short < 0.2 * (h.end - h.from) || short < 5e9) continue;
      found.push({ kind: "starved", of: pool, weight: 3 * (short / (h.end - h.from)), text: `for ${time(short)} pool ${pool} held less than half of its fair share of ${k ? "reduce" : "map"} slots.` });
    }
  }
  return found;
}

/** How long a pool held less than half of its fair share. */
export function below(steps, limits, kind, end) {
  const edges = [...new Set([...steps.map((s) => s[0]), ...limits.map((l) => l.at), end])].sort((a, b) => a - b);
  let i = -1, n = -1, short = 0;
  for (let e = 0; e + 1 < edges.length; e++) {
    while (i + 1 < steps.length && steps[i + 1][0] <= edges[e]) i++;
    while (n + 1 < limits.length && limits[n + 1].at <= edges[e]) n++;
    const fair = n < 0 ? 0 : limits[n].fair[kind], held = i < 0 ? 0 : steps[i][1];
    if (fair >= 1 && held < fair / 2) short += edges[e + 1] - edges[e];
  }
  return short;
}

function lost(h) {
  return h.problems.filter((e) => e.type === "lost").map((e) => ({ kind: "lost", of: e.node_name, weight: 3, text: `${e.node_name} was lost at ${time(e.at)}.` }));
}

/** The screen. */
export function findingsMarkup(h, state) {
  const list = findings(h, state);
  if (!list.length) return html`<p class="empty">Nothing stands out: no skew, no straggler, no low locality, no starved pool, no failure.</p>`;
  return html`<ul class="findings">${list.map((f) => html`<li data-key="${f.kind}"><h2>${f.title}</h2><p>${f.text[0].toUpperCase()}${f.text.slice(1)}</p><p><b>To change it:</b> ${f.setting}.</p>${
    f.jobs.length ? html`<p>${f.jobs.slice(0, 12).map((j) => html`<button class="job" data-job="${j}">job ${j}</button> `)}${f.jobs.length > 12 ? ` and ${f.jobs.length - 12} more` : ""}</p>` : ""}</li>`)}</ul>`;
}
