// What two policies did differently, and what a recorded run would have been: words and numbers.

import { html, table } from "./markup.mjs";
import { seconds } from "./steer.mjs";
import { bytes, parseAttempt, taskName, time } from "./words.mjs";

/** What a policy is called: its preset, and what is set over it; of a file what it is called there. */
export function nameOf(s, told) {
  const set = (s.set || []).filter((one) => !/auto=false/.test(one)).map((one) => one.replace("locality.skips", "D").replace("reduce.rule", "reduces").replace(/^(locality|reduce)\./, ""));
  return [/\n/.test(s.policy) ? (/^scheduler: *(\S+)/m.exec(s.policy) || ["", told.replace(/ \((first|second)\)$/, "")])[1] : s.policy, ...set].join(" ");
}

/** @type {[string, (f: any) => string][]} */
const figures = [
  ["mean sojourn", (f) => `${f.sojourn_s.mean.toFixed(2)} s`], ["p95 of sojourn", (f) => `${f.sojourn_s.p95.toFixed(2)} s`], ["makespan", (f) => `${f.makespan_s.toFixed(2)} s`],
  ["maps on their data", ({ maps: m }) => `${(100 * m.node_local / Math.max(1, m.node_local + m.rack_local + m.off_rack)).toFixed(1)} %`],
  ["shuffled from other racks", (f) => bytes(f.shuffle_bytes.off_rack)],
];

/** A table: what it shows, what heads its columns, and lines of a name and what stands in each column. */
const linesOf = (caption, heads, lines) => table(caption, ["", ...heads], lines.map(([name, cells]) => html`<tr><th scope="row">${name}</th>${cells.map((text) => html`<td>${text}</td>`)}</tr>`));

/** What two policies, of these names, did differently, in words and numbers. */
export function divergenceMarkup(a, names) {
  const reports = [a.report, a.against], sides = a.divergence ? a.divergence.sides : [];
  const plain = (text) => sides.reduce((t, s, i) => t.replace(` ${s.policy} `, ` ${names[i]} `), text)
    .replace(/job_\d+_[mr]_\d+_\d+/g, (id) => taskName(parseAttempt(id))).replace(/job_0*(\d+)/g, "job $1").replace(/\b(\d+h)?(\d+m)?[\d.]+(ms|s)\b/g, (t) => time(1e9 * seconds(t)));
  const diverged = a.divergence ? html`<p>${plain(a.divergence.words)} <button type="button" id="diverged">Show that moment</button></p>` : html`<p>They never part ways: every decision is the same.</p>`;
  const why = a.divergence ? [["then it", "did"], ["because", "why"], ["and not as the other, because", "instead"]].map(([name, of]) => [name, sides.map((s) => plain(s[of] || ""))]) : [];
  const lines = [...why, ...figures.map(([name, of]) => [name, reports.map(of)]), ["fairness of jobs (Jain)", reports.map((r) => r.fairness_jain.toFixed(3))]];
  return html`<h2>Where they part</h2>${diverged}${linesOf("Both runs", names, lines)}`;
}

/** What a recorded run would have been under the form's policy; the error of the method stands first. */
export function whatIfMarkup(w, policy) {
  const off = 100 * (w.again.sojourn_s.mean / w.recorded.sojourn_s.mean - 1), lines = figures.map(([name, of]) => [name, [w.recorded, w.again, w.asked].map(of)]);
  return html`<h2>What if</h2><p>The recorded policy again, simulated: mean sojourn ${off >= 0 ? "+" : ""}${off.toFixed(2)} %. Smaller differences say nothing.${(w.warnings || []).map((t) => ` ${t}.`).join("")}</p>
${linesOf("The three runs", ["recorded", "again", policy], lines)}`;
}
