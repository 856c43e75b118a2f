// The scheduler's settings as a run's events report them, and what authorized users of a server can change while a
// cluster works: the settings, jobs and nodes. Markup and the bodies of calls; steerview.mjs makes the calls.

import { html, options, table } from "./markup.mjs";
import { many, time } from "./words.mjs";

/** The names of settings in a policy file and for --set, where they are not those of the events' in other letters. */
const renamed = {
  "reduce.waits.0": "reduce.node_wait", "reduce.waits.1": "reduce.rack_wait", "pools.pools": "pools.list",
  "pools.pool_mode": "pools.mode", "pools.pool_per_user": "pools.per_user",
  "speculation.except.0": "speculation.no_maps", "speculation.except.1": "speculation.no_reduces",
};

/** Returns the name of a setting in policy files, such as locality.waits for Waits below locality. */
function nameOf(above, key) {
  const name = above + key.replace("HFSP", "Hfsp").replace(/\B[A-Z]/g, "_$&").toLowerCase();
  return renamed[name] || name;
}

/** Returns the settings of a policy that are not zero, as pairs of name and value. */
export const settingsOf = (policy, above = "") => Object.entries(policy).flatMap(([key, value]) => {
  const name = nameOf(above, key), list = [value].flat(), many = Array.isArray(value) && !renamed[`${name}.0`];
  if (!list.some(Boolean)) return [];
  const plain = typeof list[0] !== "object" && (many || list[0] === value);
  if (plain) return [[name, list.map((v) => text(name, v)).join(" / ")]];
  return many ? list.flatMap((v, i) => settingsOf(v, `${name}.${v.Name || i}.`)) : settingsOf(value, `${name}.`);
});

/** The values that are numbers in events and words in a policy file. */
const words = {
  "locality.rule": ["greedy", "skips", "wait"], "reduce.rule": ["any", "cogrs", "larts"],
  "preemption.mode": ["off", "log", "on"], "hfsp.reclaim": ["suspend", "wait", "kill"],
};

function text(name, value) {
  const isTime = typeof value === "number" && /wait|timeout|interval|expiry|forgive/.test(name);
  return isTime ? time(value) : words[name]?.[value] || String(value);
}

/** Draws the settings of a run that nobody can change. */
export function settingsMarkup(s) {
  const list = s.policy ? settingsOf(s.policy) : [];
  if (!list.length) return html`<p class="empty">The run does not tell its policy.</p>`;
  const caption = `The policy ${s.name}, as the run had it at this time; what is not here has its default`;
  return table(caption, ["Setting", "Value"], list);
}

/** Returns the value of a setting, "" if the server has none of that name. */
const setting = (policy, key) => policy.settings.find((x) => x.key === key)?.value ?? "";
const units = { h: 3600, m: 60, s: 1, ms: 1e-3, "µs": 1e-6, us: 1e-6, ns: 1e-9 };

/** Converts a duration as the server writes it, such as 1m2.5s, to seconds; NaN if it is none. */
export function seconds(text) {
  const parts = [...text.matchAll(/([\d.]+)(h|ms|µs|us|ns|m|s)/g)];
  if (!parts.length || parts.map((m) => m[0]).join("") !== text) return NaN;
  return parts.reduce((sum, [, n, unit]) => sum + +n * units[unit], 0);
}

/** Returns the rule of locality in force, whether it is automatic, and its waits or skips by level. */
function localityOf(policy) {
  const of = (key) => setting(policy, `locality.${key}`), list = (key) => of(key).split(/[/,]/).filter(Boolean);
  return { rule: of("rule"), auto: of("auto") === "true", waits: list("waits"), skips: list("skips") };
}

/** Returns a sentence: how long jobs wait now before they launch maps far from their data. */
export function inForce(policy) {
  const { rule, auto, waits, skips } = localityOf(policy), levels = (list) => list.join(" for a node, then ");
  const each = time(policy.auto_wait_seconds * 1e9), both = waits.length > 1 ? "" : " for a node and";
  if (rule === "wait" && auto) return `Now: automatic waits, ${each} for a node and as long again for a rack.`;
  if (rule === "wait") return `Now: ${levels(waits) || "no wait"}${both} for a rack.`;
  if (rule !== "skips") return "Now: no wait; maps go to the first free slot.";
  if (auto && !skips.length) return "Now: automatic D, as many offers as make 95 % of each job’s maps local.";
  return `Now: D = ${levels(skips) || 0} for a ${skips.length > 1 ? "rack" : "node"}.`;
}

const waiting = "Waiting for data";

/** The rows of the screen: each with a label and what it is set to. Sliders have their range.
 * @returns {{id: string, part: string, label: string, value: any, choices?: string[], unit?: string, least?: number,
 *   most?: number, step?: number}[]} */
export function rows(policy) {
  const { rule, auto, waits, skips } = localityOf(policy), mode = setting(policy, "preemption.mode");
  const times = auto ? [policy.auto_wait_seconds] : waits.map(seconds);
  const at = (list, i) => [list[i], list[0], 0].find(Number.isFinite);
  const choice = (id, part, label, choices, value) => ({ id, part, label, choices, value });
  const slider = (id, label, value, most, step, { part = waiting, least = 0, unit = "" } = {}) => (
    { id, part, label, value, least, most: Math.max(most, value), step, unit });
  const byRule = {
    wait: () => [
      choice("auto", waiting, "The waits are", ["automatic", "set here"], auto ? "automatic" : "set here"),
      slider("w1", "W1, wait for a node with the data", at(times, 0), 30, 0.1, { unit: "s" }),
      slider("w2", "W2, then for its rack", at(times, 1), 30, 0.1, { unit: "s" }),
    ],
    skips: () => [
      slider("d1", "D, offers refused for a node with the data", at(skips.map(Number), 0), 200, 1),
      slider("d2", "D2, then for its rack", +skips[1] || 0, 200, 1),
    ],
  };
  const weights = (policy.pools || []).filter((p) => p.weight).map(({ name, weight }) => (
    slider(`weight ${name}`, name, weight, 10, 0.1, { part: "Weights of pools", least: 0.1 })));
  return [
    choice("rule", waiting, "A map without its data near", ["greedy", "skips", "wait"], rule),
    ...(byRule[rule]?.() ?? []), ...weights,
    choice("preemption", "Preemption", "Pools take slots back", ["off", "log", "on"], mode),
  ];
}

/** Returns the change of the policy that a row asks for; values has the values of all rows. */
export function change(id, values) {
  const fixed = (key, value) => ({ [`locality.${key}`]: value, "locality.auto": "false" });
  const { d1, d2, w1, w2, rule, auto, preemption } = values;
  if (id.startsWith("weight ")) return { weights: { [id.slice(7)]: +values[id] } };
  if (id === "preemption") return { set: { "preemption.mode": preemption } };
  if (id === "auto" && auto === "automatic") return { set: { "locality.auto": "true" } };
  if (/^d/.test(id)) return { set: fixed("skips", +d2 > 0 ? `${d1}/${d2}` : String(d1)) };
  if (id !== "rule") return { set: fixed("waits", `${w1}s/${w2}s`) };
  const first = { wait: fixed("waits", "5s/10s"), skips: fixed("skips", "1") };
  return { set: { "locality.rule": rule, ...first[rule] } };
}

/** Says which settings and weights differ between two policies; "" if none does. */
export function differences(before, after) {
  const all = ({ name, settings, pools }) => [["policy", name], ...settings.map((x) => [x.key, x.value]),
    ...(pools || []).map((p) => [`weight of ${p.name}`, p.weight])];
  const was = new Map(all(before)), here = all(after).filter(([key]) => was.has(key) || !/^weight of/.test(key));
  return here.filter(([key, is]) => was.get(key) !== is)
    .map(([key, is]) => `${key}: ${was.get(key) || "none"} → ${is || "none"}`).join(", ");
}

/** What came of something that was done: a reload or a change (the policies before and after), a kill (the job after
 * it, and its running attempts before) or an action on a node. */
export function told(what, a, b) {
  if (what === "reload") return `Reloaded: ${differences(a, b) || "nothing has changed"}.`;
  if (what === "change") return `Changed: ${differences(a, b) || "nothing, it was so already"}.`;
  if (what === "kill" && a.state !== "killed") return `Job ${a.id} was not killed: it has ${a.state}.`;
  if (what === "kill") return `Job ${a.id} is killed; ${b} of its attempts ${b === 1 ? "was" : "were"} running.`;
  const lost = `${many(b, "attempt")} that it ran ${b === 1 ? "is lost, and runs" : "are lost, and run"} again`;
  return `${a.name} is ${a.state}${a.state === "down" && b ? `; ${lost}` : ""}.`;
}

function control({ id, label, choices, least, most, step, unit }) {
  const name = `steer-${id}`, slider = () => html`<input type="range" id="${name}" data-row="${id}" min="${least}"
    max="${most}" step="${step}"><output for="${name}" data-unit="${unit}"></output>`;
  return html`<div class="steer-row" data-key="${id}"><label for="${name}">${label}</label>
    ${choices ? html`<select id="${name}" data-row="${id}">${options(choices)}</select>` : slider()}</div>`;
}

/** The screen without its values, so that it stays as it is while these change. */
export function steerMarkup(policy, list) {
  const parts = [...Map.groupBy(list, (r) => r.part)].map(([part, of]) => html`<fieldset>
    <legend>${part}</legend>${part === waiting && html`<p>${inForce(policy)}</p>`}${of.map(control)}</fieldset>`);
  const { error, time: at } = policy.reload ?? {};
  const applied = at ? `Applied at ${at}.` : "As the server began with them.";
  const files = policy.reload ? html`<button data-do="reload">Reload now</button>
    <p${error && html` class="bad"`}>${error ? `The old ones still apply: ${error}` : applied}</p>`
    : html`<p>This server has none.</p>`;
  return html`<p>What is changed here holds at once, for all jobs, until the next change, a reload of changed files or
    the end of the server.</p>${parts}<fieldset><legend>Configuration files</legend>${files}</fieldset>`;
}

export const priorities = ["very_high", "high", "normal", "low", "very_low"];

/** Returns a button that asks before it kills. */
const killButton = (name, ask, question) => html`<button popovertarget="${name}">${ask}…</button>
  <div id="${name}" popover><p>${question}</p>
    <button class="danger" data-act="kill" popovertarget="${name}">Kill it</button>${" "}
    <button popovertarget="${name}">Keep it</button></div>`;

/** Draws the controls of a job that the server allows; pools are those to which it may move. */
export function jobControls(job, pools) {
  if (!job || job.ended || !job.may_change) return html``;
  const names = [...new Set([job.pool || "", ...pools])].filter(Boolean), kill = `Kill job ${job.id}`;
  const choice = (what, text, list) => html`<div class="steer-row"><label for="job-${what}">${text}</label>
    <select id="job-${what}" data-act="${what}">${options(list, job[what])}</select></div>`;
  return html`${choice("priority", "Priority", priorities)}${choice("pool", "Pool", names)}
    <div class="steer-row">${killButton(`kill-job-${job.id}`, kill, `${kill}? Its output is lost.`)}</div>`;
}

export function nodeControls(node) {
  if (!node) return html``;
  const can = !node.live ? ["start"] : [node.state === "cordoned" ? "uncordon" : "cordon", "drain"];
  const question = `Kill ${node.name}? What it runs starts again elsewhere.`;
  const kill = node.live && killButton(`kill-node-${node.id}`, "Kill", question);
  const button = (what) => html`<button data-act="${what}">${what[0].toUpperCase()}${what.slice(1)}</button> `;
  return html`<div class="steer-row">${can.map(button)}${kill}</div>`;
}
