// The jobs as the Fair Scheduler's page has them, sorted by any column and filtered; and one job with its tasks,
// attempts and counters, failures first.

import { html, link, table, wide } from "./markup.mjs";
import { nodeName, openJobs, within } from "./entities.mjs";
import { quantiles, ran } from "./history.mjs";
import { bytes, kindName, localPart, located, many, percent, taskName, time, why } from "./words.mjs";
import { priorities } from "./steer.mjs";

const maxRows = 100; // of jobs and of attempts: the layout of 500 takes a slow machine a second each time

/** Reports whether a pool serves its jobs first in, first out. */
export function firstComes(s, pool) {
  const { Pools: list, PoolMode } = s.policy?.Pools ?? {};
  return (list?.find((q) => q.Name === pool)?.Mode || PoolMode) === 2;
}

/** Returns a job's fair share in slots. It has none after its end, in a pool that is first in, first out, and under a
 * policy that divides no slots among jobs. */
function share(s, j, k) {
  if (j.finished >= 0) return "–";
  const divides = ["pools", "fair"].includes(s.policy?.Order) && !firstComes(s, j.pool);
  return j.shares || (j.told && divides) ? (j.shares || [0, 0])[k].toFixed(1) : "NA";
}

/** Says what a job does at the moment: it runs, waits and why, or has ended. */
function stateOf(j) {
  const wait = j.skips.find(Boolean);
  if (j.finished >= 0) return `${j.state}, ${time(j.finished - j.submitted)}`;
  return wait ? why(wait.reason) : j.first < 0 ? "waits" : j.state;
}

/** Draws how many tasks of a job are done, as a bar and numbers. */
function done(j, k) {
  const label = `${k ? "reduces" : "maps"} of job ${j.id} that are done`, all = j.tasks[k];
  const bar = all > 0 && html`<progress max="${all}" value="${j.done[k]}" aria-label="${label}"></progress> `;
  return html`${bar}${j.done[k]}/${all}`;
}

/** The columns: what each is called, what it is sorted by and what its cells have if that is not the same; name is
 * their class, and group stands above it.
 * @type {{id: string, text: string, group?: string, name?: string, by: (j) => any, cell?: (j, s) => any}[]} */
const columns = [
  { id: "job", text: "Job", by: (j) => j.id, cell: (j) => link("job", j.id, j.id) },
  { id: "state", text: "State", name: "state", by: (j) => (j.finished < 0 ? -1 : j.finished - j.submitted),
    cell: (j) => html`<b class="dot" aria-hidden="true"></b>${stateOf(j)}` },
  ...["name", "user", "pool"].map((id) => (
    { id, text: id[0].toUpperCase() + id.slice(1), name: "name", by: (j) => j[id] })),
  { id: "priority", text: "Priority", by: (j) => priorities.indexOf(j.priority.toLowerCase()),
    cell: (j) => j.priority.toLowerCase().replace("_", " ") },
  { id: "submitted", text: "Submitted", by: (j) => j.submitted, cell: (j) => time(j.submitted) },
  { id: "local", text: "Node-local", by: (j) => j.near.N / Math.max(1, located(j.near)),
    cell: (j) => localPart(j.near) },
  ...["Maps", "Reduces"].flatMap((group, k) => [
    { id: `done${k}`, group, text: "finished", by: (j) => j.done[k] / Math.max(1, j.tasks[k]),
      cell: (j) => done(j, k) },
    { id: `running${k}`, group, text: "running", by: (j) => j.running[k] },
    { id: `share${k}`, group, text: "fair share", by: (j) => (j.finished < 0 && j.shares ? j.shares[k] : -1),
      cell: (j, s) => share(s, j, k) },
  ]),
];

/** Returns how the table is sorted and filtered at first. */
export const newTable = () => ({ sort: "", down: false, filter: "", state: "" });
/** Sorts a view by a column, or the other way round if it is sorted by that. */
export const sortBy = (view, id) => Object.assign(view, { sort: id, down: view.sort === id && !view.down });

/** Returns the jobs of a table in its order; unsorted, running jobs come first, then those that ended last. */
export function tableRows(s, view) {
  const words = view.filter.toLowerCase().split(/\s+/);
  const right = (j) => !view.state || (view.state === "running" ? j.finished < 0 : j.state === view.state);
  const has = (j) => words.every((w) => `${j.id} ${j.name} ${j.user} ${j.pool}`.toLowerCase().includes(w));
  const list = [...s.jobs.values()].filter((j) => right(j) && has(j)), way = view.down ? -1 : 1;
  const by = columns.find((c) => c.id === view.sort)?.by;
  if (!by) return [...list.filter((j) => j.finished < 0), ...list.filter((j) => j.finished >= 0).reverse()];
  return list.sort((a, b) => way * (by(a) < by(b) ? -1 : by(a) > by(b) ? 1 : a.id - b.id));
}

/** Says how many jobs there are, and how many the table shows. */
export function countsOf(s, view) {
  const all = s.jobs.size, shown = tableRows(s, view).length;
  return `${many(all, "job")}, ${openJobs(s).length} run or wait${shown < all ? `; ${shown} shown` : ""}`;
}

export function jobsMarkup(s, view = newTable()) {
  if (!s.jobs.size) return html`<p class="empty">No job yet.</p>`;
  const order = tableRows(s, view), shown = order.slice(0, maxRows), left = order.length - shown.length;
  const cells = columns.map((c) => ({ ...c, cell: (j) => (c.cell || c.by)(j, s) }));
  const list = table("", cells, shown, { name: "dense", key: (j) => j.id, look: (j) => j.state, sort: view });
  return html`${wide("Jobs", list)}${left > 0 && html`<p>${left} more are left out here; the CSV has all.</p>`}`;
}

function tasksTable(j, now) {
  const of = (k, end) => j.attempts.filter((a) => a.kind === k && a.end === end);
  return table("Tasks", ["kind", "tasks", "running", "complete", "failed", "killed",
    "least", "25 %", "median", "75 %", "most"], [0, 1].map((k) => {
    const ends = of(k, "succeeded"), { least, low, median, high, most } = quantiles(ends.map((a) => ran(a, now)));
    return [kindName(k), j.tasks[k], of(k, "").length, ends.length, of(k, "failed").length, of(k, "killed").length,
      ...[least, low, median, high, most].map((t) => (ends.length ? time(t) : "–"))];
  }));
}

/** Draws a job's counters: its own after its end, before that the sums of its attempts'. */
function countersTable(j) {
  const sums = new Map(), row = ({ group, name }) => (
    within(sums, `${group}\n${name}`, () => ({ group, name, of: [0, 0], total: 0 })));
  for (const a of j.attempts.filter((a) => a.end === "succeeded")) {
    for (const c of a.counters || []) {
      row(c).of[a.kind] += c.value;
      row(c).total += c.value;
    }
  }
  for (const c of j.counters || []) row(c).total = c.value;
  const list = [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, r]) => [r.group, r.name, ...r.of, r.total]);
  const caption = `Counters${j.counters ? "" : ", of the attempts that are done"}`;
  return list.length > 0 && table(caption, ["group", "counter", "maps", "reduces", "total"], list, { head: 1 });
}

/** Returns attempts as they were at a time, without those that began later. */
export function attemptsAt(list, now) {
  return list.filter((a) => a.start <= now).map((a) => {
    if (a.end && a.over <= now) return a;
    const begun = a.segments.filter(([from]) => from <= now);
    const segments = begun.map(([from, to, slot]) => [from, to > now ? -1 : to, slot]);
    return { ...a, segments, end: "", err: "", why: null, suspended: segments.at(-1)[1] >= 0, counters: null };
  });
}

function attemptsTable(h, j, now) {
  const rank = { failed: 0, killed: 1, "": 2, succeeded: 3 };
  const all = [...j.attempts].sort((a, b) => rank[a.end] - rank[b.end] || a.start - b.start);
  const left = all.length > maxRows ? `; ${all.length - maxRows} are left out here` : "";
  const state = (a) => a.end || (a.suspended ? "suspended" : "runs");
  const ended = (a) => [state(a), a.err || why(a.why)].filter(Boolean).join(": ");
  return table(`Attempts, failures first${left}`, [
    ["attempt", (a) => link("attempt", a.id, taskName(a))],
    ["node", (a) => nodeName(h, a.node)],
    ["near", (a) => a.locality],
    ["began", (a) => time(a.start)],
    ["ran", (a) => time(ran(a, now))],
    ["end", ended],
    ["why there", (a) => why(a.reason, a.placed)],
  ], all.slice(0, maxRows), { name: "attempts", key: (a) => a.id });
}

/** Draws one job as it is in a state s, or in the history h if the state has forgotten it. */
export function jobMarkup(h, id, s = h.state) {
  const found = h.jobs.get(id), { now } = s;
  if (!found) return html`<p>Choose a job in the table.</p>`;
  if (found.submitted > now) return html`<h2>Job ${id}</h2><p>It comes at ${time(found.submitted)}.</p>`;
  const j = { ...(s.jobs.get(id) ?? found), attempts: attemptsAt(found.attempts, now) };
  const { near, submitted, first, finished } = j, part = (n) => percent(n, located(near));
  const bad = j.attempts.find((a) => a.end === "failed");
  const failure = bad && `First failure: ${taskName(bad)} on ${nodeName(h, bad.node)}: ${bad.err}`;
  const began = first >= 0 ? `, first slot after ${time(first - submitted)}` : "";
  const ended = finished >= 0 ? `, done after ${time(finished - submitted)}` : "";
  const line = [j.state, j.user || "?", j.pool || "no pool", j.bytes && `${bytes(j.bytes)} of input`,
    `submitted at ${time(submitted)}${began}${ended}`,
    `maps ${localPart(near)} node-local, ${part(near.R)} rack-local, ${part(near.O)} off-rack`];
  return html`<h2>Job ${id} “${j.name}”</h2>
    ${[j.err, failure].filter(Boolean).map((text) => html`<p class="bad">${text}</p>`)}
    <p>${line.filter(Boolean).join(" · ")}</p>${tasksTable(j, now)}${attemptsTable(h, j, now)}${countersTable(j)}`;
}
