// What two policies did differently, and what a recorded run would have been: words and numbers.

import { html } from "./markup.mjs";

/** What a policy is called: its preset, and what is set over it; of a file what it is called there. */
export function nameOf(s, told) {
  const set = (s.set || []).filter((one) => !/auto=false/.test(one)).map((one) => one.replace(/^(locality|reduce)\./, ""));
  return [/\n/.test(s.policy) ? told.replace(/ \((first|second)\)$/, "") : s.policy, ...set].join(" ");
}

/** @type {[string, (f: any) => string][]} */
const figures = [
  ["mean sojourn", (f) => `${f.sojourn_mean_s.toFixed(2)} s`], ["p95 of sojourn", (f) => `${f.sojourn_p95_s.toFixed(2)} s`], ["makespan", (f) => `${f.makespan_s.toFixed(2)} s`],
  ["maps on their data", (f) => `${(100 * f.node_local_share).toFixed(1)} %`], ["shuffled from other racks", (f) => `${f.off_rack_shuffle_gb.toFixed(2)} GB`],
];

/** A table: what heads its columns, and lines of a name and what stands in each column. */
const linesOf = (heads, lines) => html`<table><thead><tr><td></td>${heads.map((text) => html`<th scope="col">${text}</th>`)}</tr></thead><tbody>${
  lines.map(([name, cells]) => html`<tr><th scope="row">${name}</th>${cells.map((text) => html`<td>${text}</td>`)}</tr>`)}</tbody></table>`;

/** The figures of a simulation's report, as those of a recorded run are called. */
const figuresOf = (r) => ({
  sojourn_mean_s: r.sojourn_s.mean, sojourn_p95_s: r.sojourn_s.p95, makespan_s: r.makespan_s, off_rack_shuffle_gb: r.shuffle_bytes.off_rack / 1e9,
  node_local_share: r.maps.node_local / Math.max(1, r.maps.node_local + r.maps.rack_local + r.maps.off_rack),
});

/** What two policies did differently, in words and numbers. */
export function partingMarkup(a) {
  const reports = [a.report, a.against], sides = a.parting ? a.parting.sides : [{ policy: "first" }, { policy: "second" }];
  const parted = a.parting ? html`<p>${a.parting.words} <button type="button" id="parted">Show that moment</button></p>` : html`<p>They never part ways: every decision is the same.</p>`;
  const why = a.parting ? [["it", "did"], ["because", "why"], ["and not as the other", "instead"]].map(([name, of]) => [name, sides.map((s) => s[of] || "")]) : [];
  const lines = [...why, ...figures.map(([name, of]) => [name, reports.map((r) => of(figuresOf(r)))]), ["fairness (Jain)", reports.map((r) => r.fairness_jain.toFixed(3))]];
  return html`<h2>Where they part</h2>${parted}${linesOf(sides.map((s) => s.policy), lines)}`;
}

/** What a recorded run would have been under the form's policy; the error of the method stands first. */
export function whatIfMarkup(w, policy) {
  const off = 100 * (w.again.sojourn_mean_s / w.recorded.sojourn_mean_s - 1), lines = figures.map(([name, of]) => [name, [w.recorded, w.again, w.asked].map(of)]);
  return html`<h2>What if</h2><p>The recorded policy again, simulated: mean sojourn ${off >= 0 ? "+" : ""}${off.toFixed(2)} %. Smaller differences say nothing.${(w.warnings || []).map((t) => ` ${t}.`).join("")}</p>
${linesOf(["recorded", "again", policy], lines)}`;
}
