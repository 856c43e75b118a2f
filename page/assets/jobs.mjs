// The jobs as the Fair Scheduler's page has them, and one job with its tasks: failures first.

import { html } from "./markup.mjs";
import { bytes, pair, percent, taskName, time, why } from "./words.mjs";
import { quantiles, ran } from "./history.mjs";
import { cell } from "./shares.mjs";

const mostRows = 500;

/** How far a job is, at the moment of a state. */
function row(s, j) {
  const all = j.near.N + j.near.R + j.near.O;
  const wait = [0, 1].map((k) => j.skips[k]).find(Boolean);
  return html`<tr class="${j.state}"><td>${time(j.submitted)}</td><th scope="row"><button class="job" data-job="${j.id}">job ${j.id}</button></th><td>${j.user}</td><td>${j.name}</td>
<td>${j.pool}</td><td>${j.priority}</td>${[0, 1].map((k) => html`<td>${j.done[k]}/${j.tasks[k]}</td><td>${j.running[k]}</td><td>${j.shares ? j.shares[k].toFixed(1) : "NA"}</td>`)}
<td>${percent(j.near.N, all)}</td><td>${j.finished >= 0 ? `${j.state}, ${time(j.finished - j.submitted)}` : wait ? why(wait.reason) : j.state}</td></tr>`;
}

/** The table of jobs: those that run first, the newest of those that ended after them. */
export function jobsMarkup(s) {
  const list = [...s.jobs.values()];
  const order = [...list.filter((j) => j.finished < 0), ...list.filter((j) => j.finished >= 0).reverse()];
  const shown = order.slice(0, mostRows);
  return html`<table><caption>${list.length} jobs, ${list.filter((j) => j.finished < 0).length} run or wait</caption>
<thead><tr><th scope="col" rowspan="2">Submitted</th><th scope="col" rowspan="2">Job</th><th scope="col" rowspan="2">User</th><th scope="col" rowspan="2">Name</th><th scope="col" rowspan="2">Pool</th><th scope="col" rowspan="2">Priority</th>
<th scope="colgroup" colspan="3">Maps</th><th scope="colgroup" colspan="3">Reduces</th><th scope="col" rowspan="2">Node-local</th><th scope="col" rowspan="2">State</th></tr>
<tr>${[0, 1].map(() => html`<th scope="col">finished</th><th scope="col">running</th><th scope="col">fair share</th>`)}</tr></thead>
<tbody>${shown.map((j) => row(s, j))}</tbody></table>${order.length > shown.length ? html`<p>${order.length - shown.length} older jobs are left out here; the CSV has all.</p>` : ""}`;
}

/** The tasks of a job in numbers. */
function taskRows(j, now) {
  return [0, 1].map((k) => {
    const ends = j.attempts.filter((a) => a.kind === k && a.end === "succeeded");
    const q = quantiles(ends.map((a) => ran(a, now)));
    const count = (end) => j.attempts.filter((a) => a.kind === k && a.end === end).length;
    return html`<tr><th scope="row">${k ? "reduce" : "map"}</th><td>${j.tasks[k]}</td><td>${j.attempts.filter((a) => a.kind === k && !a.end).length}</td><td>${ends.length}</td><td>${count("failed")}</td><td>${count("killed")}</td>
${["least", "low", "median", "high", "most"].map((name) => html`<td>${ends.length ? time(q[name]) : "–"}</td>`)}</tr>`;
  });
}

function counters(c) {
  if (!c) return "";
  const rows = [];
  for (const [group, values] of Object.entries(c)) {
    if (values && typeof values === "object") for (const [name, n] of Object.entries(values)) rows.push([group, name, n]);
    else rows.push(["", group, values]);
  }
  return rows.length ? html`<h3>Counters</h3><table><tbody>${rows.map((r) => html`<tr><td>${r[0]}</td><th scope="row">${r[1]}</th><td>${r[2]}</td></tr>`)}</tbody></table>` : "";
}

/** One job of a history. */
export function jobMarkup(h, id) {
  const j = h.jobs.get(id);
  if (!j) return html`<p>Choose a job in the table.</p>`;
  const all = j.near.N + j.near.R + j.near.O;
  const bad = j.attempts.filter((a) => a.end === "failed");
  const rank = { failed: 0, killed: 1, "": 2, succeeded: 3 };
  const list = [...j.attempts].sort((a, b) => rank[a.end] - rank[b.end] || a.segments[0][0] - b.segments[0][0]).slice(0, mostRows);
  const name = (id) => (h.nodes.get(id) || { name: `node ${id}` }).name;
  return html`<h2>Job ${j.id} “${j.name}”</h2>${j.err ? html`<p class="bad">${j.err}</p>` : ""}
${bad.length ? html`<p class="bad">First failure: ${taskName(bad[0])} on ${name(bad[0].node)}: ${bad[0].err}</p>` : ""}
<p>${j.state} · ${j.user || "?"} · ${j.pool || "no pool"} · ${j.bytes ? `${bytes(j.bytes)} of input · ` : ""}submitted at ${time(j.submitted)}${j.first >= 0 ? `, first slot after ${time(j.first - j.submitted)}` : ""}${
    j.finished >= 0 ? `, done after ${time(j.finished - j.submitted)}` : ""} · maps ${percent(j.near.N, all)} node-local, ${percent(j.near.R, all)} rack-local, ${percent(j.near.O, all)} off-rack</p>
<table><caption>Tasks</caption><thead><tr><th scope="col">kind</th><th scope="col">tasks</th><th scope="col">running</th><th scope="col">complete</th><th scope="col">failed</th><th scope="col">killed</th><th scope="col">least</th><th scope="col">25 %</th><th scope="col">median</th><th scope="col">75 %</th><th scope="col">most</th></tr></thead><tbody>${taskRows(j, h.end)}</tbody></table>
<table><caption>Attempts, failures first${j.attempts.length > list.length ? `; ${j.attempts.length - list.length} are left out here` : ""}</caption><thead><tr><th scope="col">attempt</th><th scope="col">node</th><th scope="col">near</th><th scope="col">began</th><th scope="col">ran</th><th scope="col">end</th><th scope="col">why there</th></tr></thead>
<tbody>${list.map((a) => html`<tr><th scope="row">${taskName(a)}</th><td>${name(a.node)}</td><td>${a.locality}</td><td>${time(a.segments[0][0])}</td><td>${time(ran(a, h.end))}</td><td>${a.end || (a.suspended ? "suspended" : "runs")}${a.err ? `: ${a.err}` : a.why ? `: ${why(a.why)}` : ""}</td><td>${why(a.reason, a.placed)}</td></tr>`)}</tbody></table>${counters(j.counters)}`;
}

/** All jobs as CSV. */
export function jobsCSV(h) {
  const lines = ["job,name,user,pool,state,submitted_s,first_s,finished_s,maps,reduces,node_local,rack_local,off_rack"];
  const s = (ns) => (ns < 0 ? "" : (ns / 1e9).toFixed(3));
  for (const j of h.jobs.values()) {
    lines.push([j.id, j.name, j.user, j.pool, j.state, s(j.submitted), s(j.first), s(j.finished), ...j.tasks, j.near.N, j.near.R, j.near.O].map(cell).join(","));
  }
  return lines.join("\n") + "\n";
}
