// What can be changed while a cluster works: the scheduler's settings, jobs and nodes. Markup and
// the bodies of calls; steerview.mjs puts them into the document. All values are the server's.

import { html, options } from "./markup.mjs";
import { many, time } from "./words.mjs";

/** The value of a setting, "" if the server has none of that name. */
export const setting = (policy, key) => (policy.settings.find((x) => x.key === key) || { value: "" }).value;

/** Seconds of a time as the server writes it, such as 1m2.5s; NaN of what is none. */
export function seconds(text) {
  const units = { h: 3600, m: 60, s: 1, ms: 1e-3, "µs": 1e-6, us: 1e-6, ns: 1e-9 };
  const parts = [...text.matchAll(/([\d.]+)(h|ms|µs|us|ns|m|s)/g)];
  if (!parts.length || parts.map((m) => m[0]).join("") !== text) return NaN;
  return parts.reduce((sum, [, n, unit]) => sum + n * units[unit], 0);
}

const most = { wait: 30, skips: 200 };

const waiting = "Waiting for data";

/** Whether the server works the waits out itself. */
const automatic = (policy) => setting(policy, "locality.auto") === "true";

/** The numbers or times that a setting lists. */
const list = (policy, key) => setting(policy, key).split(/[/,]/).filter(Boolean);

/** The current waits of maps for their data, in words. */
export function inForce(policy) {
  const rule = setting(policy, "locality.rule"), waits = list(policy, "locality.waits"), skips = list(policy, "locality.skips");
  if (rule === "wait" && automatic(policy)) return `Now: automatic waits, ${time(policy.auto_wait_seconds * 1e9)} for a node and as long again for a rack.`;
  if (rule === "wait") return `Now: ${waits.join(" for a node, then ") || "no wait"}${waits.length > 1 ? " for a rack" : " for a node and for a rack"}.`;
  if (rule === "skips" && automatic(policy) && !skips.length) return "Now: automatic D, as many offers as make 95 % of each job’s maps local.";
  if (rule === "skips") return `Now: D = ${skips.join(" for a node, then ") || 0}${skips.length > 1 ? " for a rack" : " for a node"}.`;
  return "Now: no wait; maps go to the first free slot.";
}

/** The rows of the screen: each with a label and what it is set to. Sliders have their range.
 * @returns {{id: string, part: string, label: string, kind: string, value: any, choices?: string[], unit?: string, least?: number, most?: number, step?: number}[]} */
export function rows(policy) {
  const rule = setting(policy, "locality.rule");
  const waits = automatic(policy) ? [policy.auto_wait_seconds] : list(policy, "locality.waits").map(seconds), skips = list(policy, "locality.skips").map(Number);
  const at = (values, i) => (Number.isFinite(values[i]) ? values[i] : Number.isFinite(values[0]) ? values[0] : 0);
  const slider = (id, label, unit, top, step, value) => ({ id, part: waiting, label, kind: "slider", unit, least: 0, most: Math.max(top, value), step, value });
  /** @type {ReturnType<typeof rows>} */
  const out = [{ id: "rule", part: waiting, label: "A map without its data near", kind: "choice", choices: ["greedy", "skips", "wait"], value: rule }];
  if (rule === "wait") {
    out.push({ id: "auto", part: waiting, label: "The waits are", kind: "choice", choices: ["automatic", "set here"], value: automatic(policy) ? "automatic" : "set here" });
    out.push(slider("w1", "W1, wait for a node with the data", "s", most.wait, 0.1, at(waits, 0)), slider("w2", "W2, then for its rack", "s", most.wait, 0.1, at(waits, 1)));
  }
  if (rule === "skips") {
    out.push(slider("d1", "D, offers refused for a node with the data", "", most.skips, 1, at(skips, 0)), slider("d2", "D2, then for its rack", "", most.skips, 1, skips.length > 1 ? skips[1] : 0));
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
    case "auto":
      if (values.auto === "automatic") return { set: { "locality.auto": "true" } };
      // falls through
    case "w1": case "w2": return { set: { "locality.waits": `${values.w1}s/${values.w2}s`, "locality.auto": "false" } };
    case "d1": case "d2": return { set: { "locality.skips": +values.d2 > 0 ? `${values.d1}/${values.d2}` : String(values.d1), "locality.auto": "false" } };
    default: return { set: { "preemption.mode": values[id] } };
  }
}

/** What differs between two policies, setting by setting and weight by weight; "" if nothing does. */
export function differences(before, after) {
  const was = new Map(before.settings.map((x) => [x.key, x.value])), weights = new Map((before.pools || []).map((p) => [p.name, p.weight]));
  const out = after.settings.filter((x) => was.get(x.key) !== x.value).map((x) => `${x.key}: ${was.get(x.key) || "none"} → ${x.value || "none"}`);
  if (before.name !== after.name) out.unshift(`policy: ${before.name} → ${after.name}`);
  for (const p of after.pools || []) if (weights.has(p.name) && weights.get(p.name) !== p.weight) out.push(`weight of ${p.name}: ${weights.get(p.name)} → ${p.weight}`);
  return out.join(", ");
}

/** What came of something that was done: a reload or a change (the policies before and after), a kill (the job after it, and its running attempts before) or an action on a node. */
export function told(what, a, b) {
  switch (what) {
    case "reload": return `Reloaded: ${differences(a, b) || "nothing has changed"}.`;
    case "change": return `Changed: ${differences(a, b) || "nothing, it was so already"}.`;
    case "kill": return a.state === "killed" ? `Job ${a.id} is killed; ${b === 1 ? "1 of its attempts was" : `${b} of its attempts were`} running.` : `Job ${a.id} was not killed: it has ${a.state}.`;
    default: return `${a.name} is ${a.state}${a.state === "down" && b ? `; ${many(b, "attempt")} that it ran ${b === 1 ? "is lost, and runs" : "are lost, and run"} again` : ""}.`;
  }
}

function control(row) {
  const name = `steer-${row.id}`;
  const input = row.kind === "slider"
    ? html`<input type="range" id="${name}" data-row="${row.id}" min="${row.least}" max="${row.most}" step="${row.step}"><output for="${name}"></output>`
    : html`<select id="${name}" data-row="${row.id}">${options(row.choices)}</select>`;
  return html`<div class="steer-row" data-key="${row.id}"><label for="${name}">${row.label}</label>${input}</div>`;
}

/** The screen without its values, so that it stays as it is while these change. */
export function steerMarkup(policy, list) {
  const parts = [...new Set(list.map((r) => r.part))];
  return html`<p>What is changed here holds at once, for all jobs, until the next change, a reload of changed files or the end of the server.</p>
${parts.map((part) => html`<fieldset><legend>${part}</legend>${part === waiting ? html`<p>${inForce(policy)}</p>` : ""}${list.filter((r) => r.part === part).map(control)}</fieldset>`)}
<fieldset><legend>Configuration files</legend>${policy.reload
    ? html`<button data-do="reload">Reload now</button>${policy.reload.error ? html`<p class="bad">The old ones still apply: ${policy.reload.error}</p>` : policy.reload.time ? html`<p>Applied at ${policy.reload.time}.</p>` : html`<p>As the server began with them.</p>`}`
    : html`<p>This server has none.</p>`}</fieldset>`;
}

export const priorities = ["very_high", "high", "normal", "low", "very_low"];

/** The controls of a job, as the server describes it; pools are those that it may be moved to. A kill is asked for once more. */
export function jobControls(job, pools, asked = false) {
  if (!job || job.ended || !job.may_change) return html``;
  const names = [...new Set([job.pool || "", ...pools])].filter(Boolean);
  return html`<div class="steer-row"><label for="job-priority">Priority</label><select id="job-priority" data-job-do="priority">${options(priorities, job.priority)}</select></div>
<div class="steer-row"><label for="job-pool">Pool</label><select id="job-pool" data-job-do="pool">${options(names, job.pool)}</select></div>
<div class="steer-row">${asked ? html`<span>Kill job ${job.id}? Its output is lost.</span> <button class="danger" data-job-do="kill">Kill it</button> <button data-ask="">Keep it</button>` : html`<button data-ask="kill">Kill job ${job.id}…</button>`}</div>`;
}

/** What can be done with a node. A kill is asked for once more. */
export function nodeControls(node, asked = false) {
  if (!node) return html``;
  const can = !node.live ? ["start"] : node.state === "cordoned" ? ["uncordon", "drain"] : ["cordon", "drain"];
  const kill = asked ? html`<span>Kill ${node.name}? What it runs starts again elsewhere.</span> <button class="danger" data-node-do="kill">Kill it</button> <button data-ask="">Keep it</button>` : html`<button data-ask="kill">Kill…</button>`;
  return html`<div class="steer-row" data-name="${node.name}">${can.map((x) => html`<button data-node-do="${x}">${x[0].toUpperCase() + x.slice(1)}</button> `)}${node.live ? kill : ""}</div>`;
}
