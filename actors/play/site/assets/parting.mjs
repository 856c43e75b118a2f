// What two policies did differently, and what a recorded run would have been: words and numbers.

import { html } from "./markup.mjs";

/** What a policy is called: its preset, and what is set over it; of a file what it is called there. */
export function nameOf(s, told) {
  const set = (s.set || []).filter((one) => !/auto=false/.test(one)).map((one) => one.replace(/^(locality|reduce)\./, ""));
  return [/\n/.test(s.policy) ? told.replace(/ \((first|second)\)$/, "") : s.policy, ...set].join(" ");
}

/** What two policies did differently, in words and numbers. */
export function partingMarkup(a) {
  /** @type {[string, (r: any) => string][]} */
  const rows = [
    ["mean sojourn", (r) => `${r.sojourn_s.mean.toFixed(1)} s`], ["p95 of sojourn", (r) => `${r.sojourn_s.p95.toFixed(1)} s`], ["makespan", (r) => `${r.makespan_s.toFixed(1)} s`],
    ["maps on their data", (r) => `${(100 * r.maps.node_local / Math.max(1, r.maps.node_local + r.maps.rack_local + r.maps.off_rack)).toFixed(1)} %`],
    ["shuffled from other racks", (r) => `${(r.shuffle_bytes.off_rack / 1e9).toFixed(2)} GB`], ["fairness (Jain)", (r) => r.fairness_jain.toFixed(3)],
  ];
  const sides = a.parting ? a.parting.sides : [{ policy: "first" }, { policy: "second" }];
  const line = (name, of) => html`<tr><th scope="row">${name}</th><td>${of(0)}</td><td>${of(1)}</td></tr>`;
  const parted = a.parting ? html`<p>${a.parting.words} <button type="button" id="parted">Show that moment</button></p>` : html`<p>They never part ways: every decision is the same.</p>`;
  const why = a.parting ? [line("it", (i) => sides[i].did), line("because", (i) => sides[i].why || ""), line("and not as the other", (i) => sides[i].instead || "")] : [];
  return html`<h2>Where they part</h2>${parted}<table><thead><tr><td></td><th scope="col">${sides[0].policy}</th><th scope="col">${sides[1].policy}</th></tr></thead><tbody>${why}${rows.map(([name, of]) => line(name, (i) => of(i ? a.against : a.report)))}</tbody></table>`;
}

/** What a recorded run would have been under the form's policy; the error of the method stands first. */
export function whatIfMarkup(w, policy) {
  /** @type {[string, (f: any) => string][]} */
  const rows = [
    ["mean sojourn", (f) => `${f.sojourn_mean_s.toFixed(2)} s`], ["p95 of sojourn", (f) => `${f.sojourn_p95_s.toFixed(2)} s`], ["makespan", (f) => `${f.makespan_s.toFixed(2)} s`],
    ["maps on their data", (f) => `${(100 * f.node_local_share).toFixed(1)} %`], ["shuffled from other racks", (f) => `${f.off_rack_shuffle_gb.toFixed(2)} GB`],
  ];
  const off = 100 * (w.again.sojourn_mean_s / w.recorded.sojourn_mean_s - 1);
  return html`<h2>What if</h2><p>The recorded policy again, simulated: mean sojourn ${off >= 0 ? "+" : ""}${off.toFixed(2)} %. Smaller differences say nothing.${(w.warnings || []).map((t) => ` ${t}.`).join("")}</p>
<table><thead><tr><td></td><th scope="col">recorded</th><th scope="col">again</th><th scope="col">${policy}</th></tr></thead><tbody>${rows.map(([name, of]) => html`<tr><th scope="row">${name}</th><td>${of(w.recorded)}</td><td>${of(w.again)}</td><td>${of(w.asked)}</td></tr>`)}</tbody></table>`;
}
