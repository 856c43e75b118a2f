// What the page writes as files: tables of jobs and shares, pictures, and a Chrome trace.

import { $ } from "./markup.mjs";
import { ganttSVG } from "./gantt.mjs";
import { sharesSVG, sharesTable } from "./shares.mjs";

const csv = (rows) => rows.map((row) => `${row.map(cell).join(",")}\n`).join("");

/** Quotes a cell of a CSV file, so that no spreadsheet takes it for a formula. */
export function cell(v) {
  let s = String(v);
  if (typeof v === "string" && /^[=+\-@\t]/.test(s)) s = `'${s}`;
  return /[",\n\r]/.test(s) ? `"${s.replace(/"/g, '""')}"` : s;
}

export function jobsCSV(h) {
  const s = (ns) => (ns < 0 ? "" : (ns / 1e9).toFixed(3));
  return csv([["job", "name", "user", "pool", "state", "submitted_s", "first_s", "finished_s", "maps", "reduces",
    "node_local", "rack_local", "off_rack"], ...[...h.jobs.values()].map((j) => [j.id, j.name, j.user, j.pool, j.state,
    s(j.submitted), s(j.first), s(j.finished), ...j.tasks, j.near.N, j.near.R, j.near.O])]);
}

export const sharesCSV = (h, kind, by = "") => csv(sharesTable(h, kind, by));

/** Returns a history as a Chrome trace: nodes are processes, slots are threads, the times of attempts are bars. */
export function chromeTrace(h) {
  const names = [...h.nodes.values()].map((n) => (
    { name: "process_name", ph: "M", ts: 0, pid: n.id, tid: 0, args: { name: n.name } }));
  const bars = h.attempts.flatMap((a) => a.segments.map(([from, to, slot]) => ({
    name: a.id, ph: "X", ts: from / 1000, dur: ((to < 0 ? h.end : to) - from) / 1000, pid: a.node,
    tid: (a.kind ? h.nodes.get(a.node)?.slots[0] ?? 0 : 0) + (slot || 1) - 1,
    args: { end: a.end || "runs", locality: a.locality || undefined },
  })));
  return JSON.stringify([...names, ...bars]);
}

/** Downloads a text as a file. */
function save(name, text, type) {
  const href = URL.createObjectURL(new Blob([text], { type }));
  Object.assign(document.createElement("a"), { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 1000);
}

/** The files by name: the type of each, and a function from the page to its text. */
const files = {
  "jobs.csv": ["text/csv", jobsCSV],
  "shares.csv": ["text/csv", (h, look) => sharesCSV(h, look.kind, look.by)],
  "shares.svg": ["image/svg+xml", (h, look, now) => sharesSVG(h, look.kind, look.pool, now, look.by)],
  "gantt.svg": ["image/svg+xml", (h) => String(ganttSVG(h))],
  "trace.json": ["application/json", chromeTrace],
};

/** Connects the menu: each button names the file that it saves. */
export function saveMenu(x) {
  $("exports").onclick = (e) => {
    const name = e.target.dataset.save;
    if (!name) return;
    const [type, make] = files[name];
    save(name, make(x.p.history, x.look, x.p.time), type);
    $("exports").parentElement.open = false;
  };
}
