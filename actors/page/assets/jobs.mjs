// The jobs as the Fair Scheduler's page has them, sorted by any column and filtered.

import { html, options } from "./markup.mjs";
import { many, percent, time, why } from "./words.mjs";
import { csv } from "./shares.mjs";
import { priorities } from "./steer.mjs";

const maxRows = 500;

/** A job's fair share in slots; none of a policy that divides no slots among jobs, nor in a pool that is first in first out, nor of a job that has ended. */
function share(s, j, k) {
  if (j.finished >= 0) return "–";
  if (!j.shares && !(j.told && s.policy && ["pools", "fair"].includes(s.policy.Order) && !firstComes(s, j.pool))) return "NA";
  return (j.shares || [0, 0])[k].toFixed(1);
}

/** Tells whether a pool is first in first out. */
export function firstComes(s, pool) {
  const all = (s.policy && s.policy.Pools) || {}, one = (all.Pools || []).find((q) => q.Name === pool);
  return ((one && one.Mode) || all.PoolMode) === 2;
}

const local = (j) => j.near.N / Math.max(1, j.near.N + j.near.R + j.near.O);
const done = (j, k) => j.done[k] / Math.max(1, j.tasks[k]);

/** The columns: what each is called, whether above it stands a group, and what it is sorted by.
 * @type {{id: string, text: string, group?: number, by: (j: any) => any}[]} */
const columns = [
  { id: "job", text: "Job", by: (j) => j.id }, { id: "name", text: "Name", by: (j) => j.name }, { id: "user", text: "User", by: (j) => j.user }, { id: "pool", text: "Pool", by: (j) => j.pool },
  { id: "priority", text: "Priority", by: (j) => priorities.indexOf(j.priority.toLowerCase()) }, { id: "submitted", text: "Submitted", by: (j) => j.submitted },
  ...[0, 1].flatMap((k) => [
    { id: `done${k}`, group: k, text: "finished", by: (j) => done(j, k) }, { id: `running${k}`, group: k, text: "running", by: (j) => j.running[k] }, { id: `share${k}`, group: k, text: "fair share", by: (j) => (j.finished < 0 && j.shares ? j.shares[k] : -1) },
  ]),
  { id: "local", text: "Node-local", by: local }, { id: "state", text: "State", by: (j) => (j.finished < 0 ? -1 : j.finished - j.submitted) },
];

/** How the table is shown at first. */
export function newTable() { return { sort: "", down: false, filter: "", state: "" }; }

/** A click on a column's head: it is sorted by that, or the other way round. */
export function sortBy(table, id) { Object.assign(table, { sort: id, down: table.sort === id && !table.down }); }

/** The jobs that a table shows, in its order; in none those that run come first, then those that ended last. */
export function tableRows(s, table) {
  const words = table.filter.toLowerCase().split(/\s+/).filter(Boolean);
  const list = [...s.jobs.values()].filter((j) => (!table.state || (table.state === "running" ? j.finished < 0 : j.state === table.state)) &&
    words.every((w) => `${j.id} ${j.name} ${j.user} ${j.pool}`.toLowerCase().includes(w)));
  const column = columns.find((c) => c.id === table.sort);
  if (!column) return [...list.filter((j) => j.finished < 0), ...list.filter((j) => j.finished >= 0).reverse()];
  const up = (a, b) => { const x = column.by(a), y = column.by(b); return x < y ? -1 : x > y ? 1 : a.id - b.id; };
  return list.sort(table.down ? (a, b) => up(b, a) : up);
}

/** How far a job is, at the moment of a state. */
function row(s, j) {
  const wait = [0, 1].map((k) => j.skips[k]).find(Boolean);
  const bar = (k) => html`<td>${j.tasks[k] ? html`<progress max="${j.tasks[k]}" value="${j.done[k]}" aria-label="${k ? "reduces" : "maps"} of job ${j.id} that are done"></progress> ` : ""}${j.done[k]}/${j.tasks[k]}</td>`;
  const text = j.finished >= 0 ? `${j.state}, ${time(j.finished - j.submitted)}` : wait ? why(wait.reason) : j.first < 0 ? "waits" : j.state;
  return html`<tr class="${j.state}" data-key="${j.id}"><th scope="row"><button class="job" data-job="${j.id}">${j.id}</button></th><td class="name">${j.name}</td><td class="name">${j.user}</td>
<td class="name">${j.pool}</td><td>${j.priority.toLowerCase().replace("_", " ")}</td><td>${time(j.submitted)}</td>${[0, 1].map((k) => html`${bar(k)}<td>${j.running[k]}</td><td>${share(s, j, k)}</td>`)}
<td>${percent(j.near.N, j.near.N + j.near.R + j.near.O)}</td><td class="state"><b class="dot" aria-hidden="true"></b>${text}</td></tr>`;
}

/** The table of jobs. */
export function jobsMarkup(s, table = newTable()) {
  if (!s.jobs.size) return html`<p class="empty">No job yet.</p>`;
  const order = tableRows(s, table), shown = order.slice(0, maxRows), all = [...s.jobs.values()];
  const head = (c, rows) => html`<th scope="col"${rows > 1 ? html` rowspan="2"` : ""}${c.id === table.sort ? html` aria-sort="${table.down ? "descending" : "ascending"}"` : ""}><button class="sort" data-sort="${c.id}">${c.text}</button></th>`;
  const first = columns.findIndex((c) => c.group === 0);
  return html`<p class="bar"><label>Filter <input type="search" id="job-filter" value="${table.filter}" placeholder="number, name, user or pool"></label>
<label>State <select id="job-state">${options([["", "all"], ["running", "run or wait"], "succeeded", "failed", "killed"], table.state)}</select></label>
<span>${many(all.length, "job")}, ${all.filter((j) => j.finished < 0).length} run or wait${order.length < all.length ? `; ${order.length} shown` : ""}</span></p>
<div class="wide" tabindex="0" role="region" aria-label="Jobs"><table class="dense"><thead><tr>${columns.slice(0, first).map((c) => head(c, 2))}<th scope="colgroup" colspan="3">Maps</th><th scope="colgroup" colspan="3">Reduces</th>${columns.slice(first + 6).map((c) => head(c, 2))}</tr>
<tr>${columns.filter((c) => c.group !== undefined).map((c) => head(c, 1))}</tr></thead>
<tbody>${shown.map((j) => row(s, j))}</tbody></table></div>${order.length > shown.length ? html`<p>${order.length - shown.length} more are left out here; the CSV has all.</p>` : ""}`;
}

/** All jobs as CSV. */
export function jobsCSV(h) {
  const heads = ["job", "name", "user", "pool", "state", "submitted_s", "first_s", "finished_s", "maps", "reduces", "node_local", "rack_local", "off_rack"];
  const s = (ns) => (ns < 0 ? "" : (ns / 1e9).toFixed(3));
  return csv([heads, ...[...h.jobs.values()].map((j) => [j.id, j.name, j.user, j.pool, j.state, s(j.submitted), s(j.first), s(j.finished), ...j.tasks, j.near.N, j.near.R, j.near.O])]);
}
