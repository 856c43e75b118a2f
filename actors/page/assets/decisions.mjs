// Groups of decisions: sixteen equal decisions for one reason are one line.

import { html } from "./markup.mjs";
import { kindName, many, parseAttempt, sentence, time, why } from "./words.mjs";

/** What tells a decision from others. */
export function keyOf(e) { return [e.at, e.type, e.job || 0, e.attempt || "", e.kind || 0, e.node].join(" "); }

/** What decisions have in common that stand in one group. */
function groupOf(e) {
  const near = e.type === "launched" ? e.locality || "" : e.type === "skipped" ? e.level || "" : "";
  return [e.type, e.job || 0, e.kind || 0, near, (e.reason && e.reason.cause) || ""].join("|");
}

/** Groups of decisions, that of the newest first; each has its events in order. No group spans more than `span` nanoseconds. */
export function grouped(list, span = 30e9) {
  const open = new Map(), out = [];
  for (let i = list.length - 1; i >= 0; i--) {
    const e = list[i], key = groupOf(e);
    let g = open.get(key);
    if (!g || g.last.at - e.at > span) {
      g = { key, last: e, events: [] };
      open.set(key, g);
      out.push(g);
    }
    g.events.unshift(e);
  }
  return out;
}

/** How much a decision matters to a reader: what takes slots away first, then waits and what came of them, then the rest. */
export function weight(e) {
  const cause = (e.reason && e.reason.cause) || "";
  if (["killed", "suspended", "resumed", "victim"].includes(e.type)) return /superseded|job is over/.test(cause) ? 1 : 4;
  if (/^waited|no node nearer/.test(cause)) return 3;
  if (/^waiting|first fit|running maps counted/.test(cause)) return 2.5;
  if (e.type === "skipped") return cause === "no slot is free" ? 0 : 2;
  return 1;
}

/** The `most` groups of the last decisions that matter most, the newest first. */
export function mattering(list, most = 3) {
  const all = grouped(list).map((g, i) => ({ g, worth: weight(g.last) - i / 8 + Math.log10(g.events.length) }));
  const best = all.sort((a, b) => b.worth - a.worth).slice(0, most).map((x) => x.g);
  return best.sort((a, b) => b.last.at - a.last.at);
}

const goes = { "node-local": "on nodes with their data", "rack-local": "in a rack with their data", "off-rack": "far from their data", "any-place": "anywhere, having no place" };

/** A group in a sentence. */
export function groupSentence(g) {
  const e = g.last, n = g.events.length, cause = (e.reason && e.reason.cause) || "";
  if (n === 1) return sentence(e);
  const a = parseAttempt(e.attempt), kind = kindName(a ? a.kind : e.kind);
  const tasks = a ? `${many(new Set(g.events.map((x) => x.attempt)).size, kind)} of job ${a.job}` : `the ${kind}s of job ${e.job}`;
  if (e.type === "launched") {
    if (a.kind === 0 && cause === "waited for locality") return `${tasks} waited, now go ${e.locality === "rack-local" ? "to a rack with their data" : "anywhere"}`;
    if (a.kind === 0) return `${tasks} start ${goes[e.locality] || ""}${cause === "first fit" ? ": first fit" : ""}`;
    return `${tasks} start: ${why({ cause })}`;
  }
  if (e.type === "skipped") {
    const left = e.until > e.at ? `, ${time(e.until - e.at)} more at most` : "";
    if (/^waiting for/.test(cause)) return `job ${e.job} let ${many(g.events.reduce((sum, x, i) => sum + (i ? Math.max(1, (x.count || 1) - (g.events[i - 1].count || 1)) : 1), 0), `${kind} slot`)} pass: ${why({ cause })}${left}`;
    return `${tasks} wait: ${why(e.reason)}`;
  }
  return `${tasks} ${{ killed: "are killed", suspended: "are suspended", resumed: "go on", victim: "would be killed by preemption" }[e.type]}: ${why({ cause })}`;
}

/** A list of groups: a click on one explains its last decision, of which the drawer says more. */
export function groupsMarkup(groups) {
  if (!groups.length) return html`<p class="empty">No decision yet.</p>`;
  return html`<ol class="decisions">${groups.map((g) => html`<li data-key="${g.key} ${g.events[0].at}"><button data-decision="${keyOf(g.last)}"><time>${time(g.last.at)}</time> ${groupSentence(g)}</button></li>`)}</ol>`;
}
