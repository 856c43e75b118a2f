// What is worth a look in a run, each with the setting that may change it.

import { html } from "./markup.mjs";
import { many, percent, taskName, time } from "./words.mjs";
import { quantiles, ran } from "./history.mjs";
import { flows } from "./shuffle.mjs";

/** The findings of a history, the gravest first: {weight, job, title, text, setting}. */
export function findings(h, state) {
  const list = [];
  for (const j of h.jobs.values()) {
    list.push(...skew(h, j), ...stragglers(h, j), ...locality(j, state), ...failures(h, j));
  }
  list.push(...waited(h, state), ...starved(h, state), ...lost(h));
  return list.sort((a, b) => b.weight - a.weight).slice(0, 100);
}

function skew(h, j) {
  if (j.tasks[1] < 2) return [];
  const totals = new Float64Array(j.tasks[1]);
  for (const row of flows(h, j).values()) row.forEach((b, r) => { totals[r] += b; });
  const q = quantiles(totals);
  if (!(q.median > 0) || q.most < 2 * q.median) return [];
  return [{
    weight: 2 + Math.log2(q.most / q.median), job: j.id, title: `Skewed keys in job ${j.id}`,
    text: `The largest reduce gets ${(q.most / q.median).toFixed(1)} times as much as the median one.`,
    setting: "another Partition function, a Combine, or more reduces (--reduces)",
  }];
}

/** Tasks that took three times as long as the median and more than a tenth of the job's time longer. */
function stragglers(h, j) {
  const found = [], whole = (j.finished < 0 ? h.end : j.finished) - j.submitted;
  for (const k of [0, 1]) {
    const ends = j.attempts.filter((a) => a.kind === k && a.end === "succeeded");
    if (ends.length < 5) continue;
    const median = quantiles(ends.map((a) => ran(a, h.end))).median;
    const worst = ends.reduce((a, b) => (ran(a, h.end) > ran(b, h.end) ? a : b));
    const took = ran(worst, h.end), times = took / Math.max(1, median);
    if (times < 3 || took - median < whole / 10) continue;
    found.push({
      weight: 1 + Math.log2(times), job: j.id, title: `A straggler in job ${j.id}`,
      text: `${taskName(worst)} ran ${time(took)}, ${times.toFixed(1)} times as long as the median, on ${(h.nodes.get(worst.node) || {}).name}; the job took ${time(whole)}.`,
      setting: "copies of slow tasks (--set speculation.rule=late)",
    });
  }
  return found;
}

function locality(j, state) {
  const all = j.near.N + j.near.R + j.near.O;
  if (all < 10 || j.near.N >= 0.8 * all) return [];
  const rule = state.policy && state.policy.Locality ? state.policy.Locality.Rule : -1;
  return [{
    weight: 2 * (1 - j.near.N / all), job: j.id, title: `Low locality of job ${j.id}`,
    text: `${percent(j.near.N, all)} of its maps ran on a node with their data, ${percent(j.near.O, all)} in another rack.`,
    setting: rule === 0 ? "a scheduler that waits: --scheduler hfs or delay" : "a longer wait (--wait) or a larger D (--set locality.skips=), or more replicas",
  }];
}

/** Jobs that waited for their first slot for more than half of their time. */
function waited(h, state) {
  const list = [...h.jobs.values()].map((j) => ({
    job: j, first: (j.first < 0 ? state.now : j.first) - j.submitted, whole: (j.finished < 0 ? state.now : j.finished) - j.submitted,
  })).filter((w) => w.first > 1e9 && w.first > 0.5 * w.whole).sort((a, b) => b.first - a.first);
  if (!list.length) return [];
  const w = list[0];
  return [{
    weight: 1 + w.first / Math.max(1, w.whole) + Math.log10(list.length), job: w.job.id,
    title: list.length === 1 ? `Job ${w.job.id} waited for its first slot` : `${list.length} jobs waited for their first slot most of their time`,
    text: `${list.length > 1 ? `Of job ${w.job.id} ` : ""}${time(w.first)} of ${time(w.whole)} passed before it ran anything.`,
    setting: "another order (--scheduler hfs), a minimum share or more weight for its pool, or preemption (--set preemption.mode=on)",
  }];
}

function failures(h, j) {
  const bad = j.attempts.filter((a) => a.end === "failed");
  if (!bad.length) return [];
  return [{
    weight: 4 + bad.length / 10, job: j.id, title: `${many(bad.length, "attempt")} of job ${j.id} failed`,
    text: `The first: ${taskName(bad[0])} on ${(h.nodes.get(bad[0].node) || {}).name}: ${bad[0].err || "no reason given"}`,
    setting: "see the job; --max-skips leaves bad records out",
  }];
}

/** Pools that were below half of their fair share for long. */
function starved(h, state) {
  const found = [];
  if (state.policy && state.policy.Order !== "pools") return found; // a queue has its capacity whatever it asks for
  for (const [pool, limits] of h.limits) {
    for (const k of [0, 1]) {
      const short = below(h.series.get(`${k} ${pool}`) || [], limits, k, h.end);
      if (short < 0.2 * (h.end - h.from) || short < 5e9) continue;
      found.push({
        weight: 3 * (short / (h.end - h.from)), job: 0, title: `Pool ${pool} was starved`,
        text: `For ${time(short)} it held less than half of its fair share of ${k ? "reduce" : "map"} slots.`,
        setting: "preemption (--set preemption.mode=on) with timeouts, or a minimum share for it",
      });
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
  const gone = h.problems.filter((e) => e.type === "lost");
  if (!gone.length) return [];
  return [{
    weight: 3, job: 0, title: `${many(gone.length, "node")} ${gone.length === 1 ? "was" : "were"} lost`, text: `The first was ${gone[0].node_name} at ${time(gone[0].at)}.`,
    setting: "expiry: how long a node may be silent",
  }];
}

/** The screen. */
export function findingsMarkup(h, state) {
  const list = findings(h, state);
  if (!list.length) return html`<p>Nothing stands out: no skew, no stragglers, no low locality, no starved pool, no failure.</p>`;
  return html`<ul class="findings">${list.map((f) => html`<li><h2>${f.title}</h2><p>${f.text}</p><p>Setting: ${f.setting}</p>${f.job ? html`<p><button class="job" data-job="${f.job}">job ${f.job}</button></p>` : ""}</li>`)}</ul>`;
}
