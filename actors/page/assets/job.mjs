// One job with its tasks, attempts and counters: failures first.

import { nodeName } from "./entities.mjs";
import { html, table } from "./markup.mjs";
import { bytes, letter, percent, taskName, time, why } from "./words.mjs";
import { quantiles, ran } from "./history.mjs";

const maxRows = 500;

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

/** Counters by kind: those of the job, which has them at its end, else the sums of its attempts'. */
function counters(j) {
  const sums = new Map();
  const sum = (list, kind) => {
    for (const c of list || []) {
      const key = `${c.group}\n${c.name}`, row = sums.get(key) || { group: c.group, name: c.name, of: [0, 0], total: 0 };
      if (kind === undefined) row.total = c.value;
      else row.of[kind] += c.value;
      sums.set(key, row);
    }
  };
  for (const a of j.attempts) if (a.end === "succeeded") sum(a.counters, a.kind);
  for (const row of sums.values()) row.total = row.of[0] + row.of[1];
  sum(j.counters, undefined);
  if (!sums.size) return "";
  return table(`Counters${j.counters ? "" : ", of the attempts that are done"}`, ["group", "counter", "maps", "reduces", "total"],
    [...sums.values()].sort((a, b) => (a.group < b.group ? -1 : a.group > b.group ? 1 : a.name < b.name ? -1 : 1))
      .map((r) => html`<tr><td>${r.group}</td><th scope="row">${r.name}</th><td>${r.of[0]}</td><td>${r.of[1]}</td><td>${r.total}</td></tr>`));
}

/** A job as it stood at a time: what had not begun is left out, what had not ended runs. */
export function jobAt(j, now) {
  if (j.finished >= 0 && j.finished <= now) return j;
  const attempts = [];
  for (const a of j.attempts) {
    if (a.segments[0][0] > now) continue;
    if (a.end !== "" && a.over <= now) {
      attempts.push(a);
      continue;
    }
    const segments = a.segments.filter((s) => s[0] <= now).map((s) => [s[0], s[1] > now ? -1 : s[1], s[2]]);
    attempts.push({ ...a, segments, end: "", err: "", why: null, suspended: segments[segments.length - 1][1] >= 0, counters: null });
  }
  const near = { N: 0, R: 0, O: 0, A: 0 };
  for (const a of attempts) if (a.kind === 0) near[letter(a)]++;
  return { ...j, attempts, near, first: j.first > now ? -1 : j.first, finished: -1, state: "running", err: "", counters: null };
}

/** One job of a history, as it stood at a time. */
export function jobMarkup(h, id, now = h.end) {
  const found = h.jobs.get(id);
  if (!found) return html`<p>Choose a job in the table.</p>`;
  if (found.submitted > now) return html`<h2>Job ${id}</h2><p>It comes at ${time(found.submitted)}.</p>`;
  const j = jobAt(found, now);
  const all = j.near.N + j.near.R + j.near.O;
  const bad = j.attempts.filter((a) => a.end === "failed");
  const rank = { failed: 0, killed: 1, "": 2, succeeded: 3 };
  const list = [...j.attempts].sort((a, b) => rank[a.end] - rank[b.end] || a.segments[0][0] - b.segments[0][0]).slice(0, maxRows);
  return html`<h2>Job ${j.id} “${j.name}”</h2>${j.err ? html`<p class="bad">${j.err}</p>` : ""}
${bad.length ? html`<p class="bad">First failure: ${taskName(bad[0])} on ${nodeName(h, bad[0].node)}: ${bad[0].err}</p>` : ""}
<p>${j.state} · ${j.user || "?"} · ${j.pool || "no pool"} · ${j.bytes ? `${bytes(j.bytes)} of input · ` : ""}submitted at ${time(j.submitted)}${j.first >= 0 ? `, first slot after ${time(j.first - j.submitted)}` : ""}${
    j.finished >= 0 ? `, done after ${time(j.finished - j.submitted)}` : ""} · maps ${percent(j.near.N, all)} node-local, ${percent(j.near.R, all)} rack-local, ${percent(j.near.O, all)} off-rack</p>
${table("Tasks", ["kind", "tasks", "running", "complete", "failed", "killed", "least", "25 %", "median", "75 %", "most"], taskRows(j, now))}
${table(`Attempts, failures first${j.attempts.length > list.length ? `; ${j.attempts.length - list.length} are left out here` : ""}`, ["attempt", "node", "near", "began", "ran", "end", "why there"],
  list.map((a) => html`<tr data-key="${a.id}"><th scope="row"><button class="job" data-attempt="${a.id}">${taskName(a)}</button></th><td>${nodeName(h, a.node)}</td><td>${a.locality}</td><td>${time(a.segments[0][0])}</td><td>${time(ran(a, now))}</td><td>${a.end || (a.suspended ? "suspended" : "runs")}${a.err ? `: ${a.err}` : a.why ? `: ${why(a.why)}` : ""}</td><td>${why(a.reason, a.placed)}</td></tr>`), "attempts")}${counters(j)}`;
}
