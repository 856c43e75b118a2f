// What can be changed while a cluster works: the scheduler's settings, jobs and nodes. Markup and
// the bodies of calls; steerview.mjs puts them into the document. All values are the server's.

import { html } from "./markup.mjs";

/** The value of a setting, "" if the server has none of that name. */
export function setting(policy, key) {
  const found = policy.settings.find((x) => x.key === key);
  return found ? found.value : "";
}

/** Seconds of a time as the server writes it, such as 1m2.5s; NaN of what is none. */
export function seconds(text) {
  const units = { h: 3600, m: 60, s: 1, ms: 1e-3, "µs": 1e-6, us: 1e-6, ns: 1e-9 };
  const parts = [...text.matchAll(/([\d.]+)(h|ms|µs|us|ns|m|s)/g)];
  if (!parts.length || parts.map((m) => m[0]).join("") !== text) return NaN;
  return parts.reduce((sum, [, n, unit]) => sum + n * units[unit], 0);
}

const most = { wait: 30, skips: 200 };

/**
 * The rows of the screen: each with a label and what it is set to. Sliders have their range.
 * @returns {{id: string, part: string, label: string, kind: string, value: any, choices?: string[], unit?: string, least?: number, most?: number, step?: number}[]}
 */
export function rows(policy) {
  const rule = setting(policy, "locality.rule");
  const list = (key) => setting(policy, key).split(/[/,]/).filter(Boolean);
  const waits = list("locality.waits").map(seconds), skips = list("locality.skips").map(Number);
  const at = (values, i) => (Number.isFinite(values[i]) ? values[i] : Number.isFinite(values[0]) ? values[0] : 0);
  /** @type {ReturnType<typeof rows>} */
  const out = [{ id: "rule", part: "Waiting for data", label: "A map without its data near", kind: "choice", choices: ["greedy", "skips", "wait"], value: rule }];
  if (rule === "wait") {
    out.push({ id: "w1", part: "Waiting for data", label: "W1, wait for a node with the data", kind: "slider", unit: "s", least: 0, most: most.wait, step: 0.1, value: at(waits, 0) });
    out.push({ id: "w2", part: "Waiting for data", label: "W2, then for its rack", kind: "slider", unit: "s", least: 0, most: most.wait, step: 0.1, value: at(waits, 1) });
  }
  if (rule === "skips") {
    out.push({ id: "d1", part: "Waiting for data", label: "D, offers refused for a node with the data", kind: "slider", unit: "", least: 0, most: most.skips, step: 1, value: at(skips, 0) });
    out.push({ id: "d2", part: "Waiting for data", label: "D2, then for its rack", kind: "slider", unit: "", least: 0, most: most.skips, step: 1, value: skips.length > 1 ? skips[1] : 0 });
  }
  for (const p of policy.pools || []) {
    if (p.weight) out.push({ id: `weight ${p.name}`, part: "Weights of pools", label: p.name, kind: "slider", unit: "", least: 0.1, most: Math.max(10, p.weight), step: 0.1, value: p.weight });
  }
  out.push({ id: "preemption", part: "Preemption", label: "Pools take slots back", kind: "choice", choices: ["off", "log", "on"], value: setting(policy, "preemption.mode") });
  return out;
}

/** The change of a policy that a row asks for, all rows having the values that are given. */
export function change(id, values) {
  if (id.startsWith("weight ")) return { weights: { [id.slice(7)]: +values[id] } };
  switch (id) {
    case "rule": {
      const set = { "locality.rule": values.rule };
      if (values.rule === "wait") Object.assign(set, { "locality.waits": "5s/10s", "locality.auto": "false" });
      if (values.rule === "skips") Object.assign(set, { "locality.skips": "1", "locality.auto": "false" });
      return { set };
    }
    case "w1": case "w2": return { set: { "locality.waits": `${values.w1}s/${values.w2}s`, "locality.auto": "false" } };
    case "d1": case "d2": return { set: { "locality.skips": +values.d2 > 0 ? `${values.d1}/${values.d2}` : String(values.d1), "locality.auto": "false" } };
    default: return { set: { "preemption.mode": values[id] } };
  }
}

function control(row) {
  const name = `steer-${row.id}`;
  const input = row.kind === "slider"
    ? html`<input type="range" id="${name}" data-row="${row.id}" min="${row.least}" max="${row.most}" step="${row.step}"><output for="${name}"></output>`
    : html`<select id="${name}" data-row="${row.id}">${row.choices.map((c) => html`<option>${c}</option>`)}</select>`;
  return html`<div class="steer-row" data-key="${row.id}"><label for="${name}">${row.label}</label>${input}</div>`;
}

/** The screen without its values, so that it stays as it is while these change. */
export function steerMarkup(policy, list) {
  const parts = [...new Set(list.map((r) => r.part))];
  return html`<p>What is changed here holds at once, for all jobs, until the next change, a reload of changed files or the end of the server.</p>
${parts.map((part) => html`<fieldset><legend>${part}</legend>${list.filter((r) => r.part === part).map(control)}</fieldset>`)}
<fieldset><legend>Configuration files</legend>${policy.reload
    ? html`<button data-do="reload">Reload now</button>${policy.reload.error ? html`<p class="bad">The old ones stay in force: ${policy.reload.error}</p>` : policy.reload.time ? html`<p>In force since ${policy.reload.time}.</p>` : html`<p>As the server began with them.</p>`}`
    : html`<p>This server has none.</p>`}</fieldset>`;
}

export const priorities = ["very_high", "high", "normal", "low", "very_low"];

/** The controls of a job, as the server describes it; pools are those that it may be moved to. */
export function jobControls(job, pools) {
  if (!job || job.ended || !job.may_change) return html``;
  const names = [...new Set([job.pool || "", ...pools])].filter(Boolean);
  const option = (value, is) => html`<option${value === is ? html` selected` : ""}>${value}</option>`;
  return html`<div class="steer-row"><label for="job-priority">Priority</label><select id="job-priority" data-job-do="priority">${priorities.map((x) => option(x, job.priority))}</select></div>
<div class="steer-row"><label for="job-pool">Pool</label><select id="job-pool" data-job-do="pool">${names.map((x) => option(x, job.pool))}</select></div>
<div class="steer-row"><button data-job-do="kill">Kill job ${job.id}</button></div>`;
}

/** What can be done with a node. */
export function nodeControls(node) {
  if (!node) return html``;
  const can = !node.live ? ["start"] : node.state === "cordoned" ? ["uncordon", "drain", "kill"] : ["cordon", "drain", "kill"];
  return html`<div class="steer-row" data-name="${node.name}">${can.map((x) => html`<button data-node-do="${x}">${x[0].toUpperCase() + x.slice(1)}</button> `)}</div>`;
}
