// What two policies did differently, and what a recorded run would have been: words and numbers.

import { html, table } from "./markup.mjs";
import { seconds } from "./steer.mjs";
import { bytes, links, parseAttempt, taskName, time } from "./words.mjs";

function shortly(setting) {
  return setting.replace("locality.skips", "D").replace("reduce.rule", "reduces").replace(/^(locality|reduce)\./, "");
}

/** Returns the name of a policy: its preset or the name in its file, and the settings that override it. */
export function nameOf({ policy, set = [] }, told) {
  const own = /^scheduler: *(\S+)/m.exec(policy)?.[1] || told.replace(/ \((first|second)\)$/, "");
  const last = new Map(set.map((one) => [one.split("=")[0], one])); // of two values the second holds
  const settings = [...last.values()].filter((one) => !/auto=false/.test(one)).map(shortly);
  return [/\n/.test(policy) ? own : policy, ...settings].join(" ");
}

/** @type {[string, (f: any) => string][]} */
const figures = [
  ["mean sojourn", (f) => `${f.sojourn_s.mean.toFixed(2)} s`],
  ["p95 of sojourn", (f) => `${f.sojourn_s.p95.toFixed(2)} s`],
  ["makespan", (f) => `${f.makespan_s.toFixed(2)} s`],
  ["maps on their data", ({ maps: m }) => (
    `${((100 * m.node_local) / Math.max(1, m.node_local + m.rack_local + m.off_rack)).toFixed(1)} %`)],
  ["shuffled from other racks", (f) => bytes(f.shuffle_bytes.off_rack)],
  ["WTND of the shuffle", ({ shuffle_bytes: b }) => links(2 * b.rack_local + 4 * b.off_rack)],
];

const linesOf = (runs) => figures.map(([name, of]) => [name, ...runs.map(of)]);

/** Translates a sentence of the module into the page's words for policies, tasks, jobs and times. */
const plainly = (text, sides, names) => sides.reduce((t, s, i) => t.replace(` ${s.policy} `, ` ${names[i]} `), text)
  .replace(/job_\d+_[mr]_\d+_\d+/g, (id) => taskName(parseAttempt(id))).replace(/job_0*(\d+)/g, "job $1")
  .replace(/\b(\d+h)?(\d+m)?[\d.]+(ms|s)\b/g, (t) => time(1e9 * seconds(t)));

/** Draws where two policies part, and their figures side by side. */
export function divergenceMarkup({ report, against, divergence }, names) {
  const sides = divergence?.sides ?? [], reports = [report, against], plain = (text) => plainly(text, sides, names);
  const why = [["then it", "did"], ["because", "why"], ["why not as the other", "instead"]]
    .map(([name, of]) => [name, ...sides.map((s) => plain(s[of] || ""))]);
  const fair = ["fairness of jobs (Jain)", ...reports.map((r) => r.fairness_jain.toFixed(3))];
  return html`<h2>Where they part</h2>${divergence
    ? html`<p>${plain(divergence.words)} <button type="button" id="diverged"
      data-diverged="${divergence.at}">Show that moment</button></p>`
    : html`<p>They never part ways: every decision is the same.</p>`}
    ${table("Both runs", ["", ...names], [...(divergence ? why : []), ...linesOf(reports), fair])}`;
}

/** Draws what a recorded run would have been under the form's policy, after the error of the method. */
export function whatIfMarkup({ recorded, again, asked, warnings = [] }, policy) {
  const off = 100 * (again.sojourn_s.mean / recorded.sojourn_s.mean - 1);
  return html`<h2>What if</h2><p>The recorded policy again, simulated: mean sojourn ${off >= 0 && "+"}${off.toFixed(2)}
    %. Smaller differences say nothing.${warnings.map((t) => ` ${t}.`)}</p>
    ${table("The three runs", ["", "recorded", "again", policy], linesOf([recorded, again, asked]))}`;
}
