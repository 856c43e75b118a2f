// The policy that a run had, as its events report it. Authorized users of a server change it in steer.mjs.

import { html, table } from "./markup.mjs";
import { time } from "./words.mjs";

/** The settings of a policy by their paths, those that are not zero. */
export function settingsOf(policy, above = "") {
  return Object.entries(policy).flatMap(([key, value]) => {
    const name = above ? `${above}.${key}` : key;
    if (!value || (Array.isArray(value) && value.every((v) => !v))) return [];
    if (Array.isArray(value)) return value.some((v) => v && typeof v === "object") ? value.flatMap((v, i) => settingsOf(v, `${name}.${v.Name || i}`)) : [[name, value.map((v) => text(name, v)).join(" / ")]];
    return typeof value === "object" ? settingsOf(value, name) : [[name, text(name, value)]];
  });
}

/** The values that are numbers in events and words in a policy file. */
const words = { "Locality.Rule": ["greedy", "skips", "wait"], "Reduce.Rule": ["any", "cogrs", "larts"], "Preemption.Mode": ["off", "log", "on"], "HFSP.Reclaim": ["suspend", "wait", "kill"] };

/** The value of a setting for people. */
function text(name, value) {
  if (words[name]) return words[name][value] || String(value);
  return typeof value === "number" && /Wait|Timeout|Interval|Expiry|Forgive/.test(name) ? time(value) : String(value);
}

/** The screen. */
export function settingsMarkup(s) {
  const list = s.policy ? settingsOf(s.policy) : [];
  if (!list.length) return html`<p class="empty">The run does not tell its policy.</p>`;
  return table(`The policy ${s.name}, as the run had it at this time; what is not here has its default`, ["Setting", "Value"], list.map(([key, value]) => html`<tr><th scope="row">${key}</th><td>${value}</td></tr>`));
}
