// What is worth a look in a run: one finding a kind, with the jobs that it is true of and the setting
// that may change it. What costs less than a floor is not worth a word.

import { html, jobLink } from "./markup.mjs";
import { kindName, localPart, located, many, percent, taskName, time } from "./words.mjs";
import { nodeName } from "./entities.mjs";
import { quantiles, ran } from "./history.mjs";
import { flows } from "./shuffle.mjs";

/** Returns the time that a finding must cost a job to be shown: half a second, or a tenth of the job's time. */
const floor = (whole) => Math.max(0.5e9, whole / 10);

/** What each kind of finding is called, for one job and for many (#), and what may change it. */
const kinds = {
  failed: ["Attempts of job # failed", "Attempts of # jobs failed", "the job itself; --max-skips skips bad records"],
  skew: ["Skewed keys in job #", "Skewed keys in # jobs",
    "a combiner, another partition function, or more reduces (--reduces)"],
  straggler: ["A straggler in job #", "Stragglers in # jobs", "copies of slow tasks (--set speculation.rule=late)"],
  "slow start": ["Reduces of job # held slots while its maps ran", "Reduces of # jobs held slots while their maps ran",
    "a later slow start (--set slow_start=0.8)"],
  locality: ["Low locality of job #", "Low locality of # jobs", "a scheduler that waits (--scheduler hfs or delay), " +
    "a longer wait (--set locality.waits=), a larger D (--set locality.skips=), or more replicas"],
  waited: ["Job # waited for its first slot", "# jobs waited for their first slot most of their time",
    "another order (--scheduler hfs), a minimum share or weight for the pool, " +
    "or preemption (--set preemption.mode=on)"],
  starved: ["Pool # was starved", "# pools were starved",
    "preemption (--set preemption.mode=on) with timeouts, or a minimum share for the pool"],
  lost: ["# was lost", "# nodes were lost", "the nodes; the expiry says how long one may be silent"],
};

/** Returns the findings of a history, the gravest first: {kind, title, text, setting, jobs}. */
export function findings(h, state) {
  const found = [...h.jobs.values()].flatMap((j) => aboutJob(h, state, j)).concat(starved(h, state), lost(h));
  return [...Map.groupBy(found.filter(Boolean), (f) => f.kind)].map(([kind, list]) => {
    const [worst] = list.sort((a, b) => b.weight - a.weight), [one, more, setting] = kinds[kind], n = list.length;
    return {
      kind, setting, title: n > 1 ? more.replace("#", String(n)) : one.replace("#", () => worst.of),
      text: n > 1 ? `The worst: ${worst.text}` : worst.text,
      weight: worst.weight + Math.log10(n), jobs: list.map((f) => f.job).filter(Boolean),
    };
  }).sort((a, b) => b.weight - a.weight);
}

/** Returns the findings about a job; an entry that does not apply is null or false.
 * @returns {any[]} */
function aboutJob(h, { now }, j) {
  const whole = (j.finished < 0 ? h.end : j.finished) - j.submitted;
  const ended = (kind) => j.attempts.filter((a) => a.kind === kind && a.end === "succeeded");
  const job = { h, j, whole, ended, mapsOver: Math.max(-1, ...ended(0).map((a) => a.over)) };
  return [failures(job), skew(job), straggler(job, 0), straggler(job, 1), slowStart(job), locality(j), waited(now, j)]
    .map((f) => f && { ...f, job: j.id, of: j.id });
}

/** Returns how long an attempt ran; a reduce counts from the end of its job's last map. */
function worked({ h, mapsOver }, a) {
  return Math.max(0, ran(a, h.end) - (a.kind === 1 ? Math.max(0, mapsOver - a.start) : 0));
}

function failures({ h, j }) {
  const bad = j.attempts.filter((a) => a.end === "failed"), [first] = bad;
  return first && { kind: "failed", weight: 4 + bad.length / 10, text: `${many(bad.length, "attempt")} of job ` +
    `${j.id}, first ${taskName(first)} on ${nodeName(h, first.node)}: ${first.err || "no reason given"}` };
}

function skew(job) {
  const { h, j, whole } = job, totals = new Float64Array(j.tasks[1]), ends = job.ended(1);
  for (const row of flows(h, j).values()) row.forEach((b, r) => { totals[r] += b; });
  const { most, median } = quantiles(totals), largest = ends.find((a) => totals[a.task] === most);
  if (totals.length < 2 || !(median > 0) || most < 2 * median || !largest) return null;
  const cost = worked(job, largest) - quantiles(ends.map((a) => worked(job, a))).median;
  return cost >= floor(whole) && { kind: "skew", weight: 2 + cost / whole, text: `the largest reduce of job ${j.id}` +
    ` gets ${(most / median).toFixed(1)} times as much as the median one, and works ${time(cost)} longer.` };
}

/** Finds a task that worked three times as long as the median, and longer by more than the floor. */
function straggler(job, kind) {
  const { h, whole } = job, ends = job.ended(kind).map((a) => ({ a, took: worked(job, a) }));
  const { median, most } = quantiles(ends.map((e) => e.took)), times = most / Math.max(1, median);
  if (ends.length < 5 || times < 3 || most - median < floor(whole)) return null;
  const { a } = ends.find((e) => e.took === most), after = kind ? " after the last map" : "";
  return { kind: "straggler", weight: 1 + (most - median) / whole, text: `${taskName(a)} ran ${time(most)}${after}, ` +
    `${times.toFixed(1)} times as long as the median, on ${nodeName(h, a.node)}; the job took ${time(whole)}.` };
}

/** Finds time for which reduces held slots while maps of their job still ran. */
function slowStart({ h, j, whole, mapsOver }) {
  const over = (a) => (a.over < 0 ? h.end : a.over), early = j.attempts.filter((a) => a.kind && a.start < mapsOver);
  const held = early.reduce((sum, a) => sum + Math.min(mapsOver, over(a)) - a.start, 0) / early.length;
  return held >= floor(whole) && { kind: "slow start", weight: held / whole, text: `${many(early.length, "reduce")} ` +
    `of job ${j.id} held a slot for ${time(held)} each, on average, before its last map ended.` };
}

function locality({ id, near }) {
  const all = located(near), far = `${percent(near.O, all)} in another rack`;
  return all - near.N >= 10 && near.N < 0.8 * all && { kind: "locality", weight: 2 * (1 - near.N / all),
    text: `${localPart(near)} of the maps of job ${id} ran on a node with their data, ${far}.` };
}

/** Finds a job that waited for its first slot for more than half of its time. */
function waited(now, j) {
  const [first, whole] = [j.first, j.finished].map((at) => (at < 0 ? now : at) - j.submitted);
  return first >= 1e9 && first >= 0.5 * whole && { kind: "waited", weight: 1 + first / Math.max(1, whole),
    text: `${time(first)} of ${time(whole)} passed before job ${j.id} ran anything.` };
}

/** Finds pools that held less than half of their fair share for long. Queues are left out: they have capacities. */
function starved(h, { policy }) {
  if (policy && policy.Order !== "pools") return [];
  return [...h.limits].flatMap(([of, limits]) => [0, 1].map((k) => {
    const short = below(h.series.get(`${k} ${of}`) || [], limits, k, h.end), part = short / (h.end - h.from);
    return part >= 0.2 && short >= 5e9 && { kind: "starved", of, weight: 3 * part,
      text: `for ${time(short)} pool ${of} held less than half of its fair share of ${kindName(k)} slots.` };
  }));
}

/** Returns how long a pool held less than half of its fair share. */
export function below(steps, limits, kind, end) {
  const is = { at: -Infinity, held: 0, fair: 0 }, told = limits.map(({ at, fair }) => ({ at, fair: fair[kind] }));
  const changes = [...steps.map(([at, held]) => ({ at, held })), ...told, { at: end }].sort((a, b) => a.at - b.at);
  return changes.reduce((short, change) => {
    const lasted = is.fair >= 1 && is.held < is.fair / 2 ? change.at - is.at : 0;
    Object.assign(is, change);
    return short + lasted;
  }, 0);
}

const lost = (h) => h.lost.map(({ node_name: of, at }) => (
  { kind: "lost", of, weight: 3, text: `${of} was lost at ${time(at)}.` }));

export function findingsMarkup(h, state) {
  const list = findings(h, state);
  if (!list.length) return html`<p class="empty">Nothing stands out: no skew, no straggler, no low locality, no starved
    pool, no failure.</p>`;
  return html`<ul class="findings">${list.map(({ kind, title, text, setting, jobs }) => html`<li data-key="${kind}">
    <h2>${title}</h2><p>${text[0].toUpperCase()}${text.slice(1)}</p><p><b>To change it:</b> ${setting}.</p>
    ${jobs.length > 0 && html`<p>${jobs.slice(0, 12).map((j) => html`${jobLink(j)} `)}${
      jobs.length > 12 && ` and ${jobs.length - 12} more`}</p>`}</li>`)}</ul>`;
}
