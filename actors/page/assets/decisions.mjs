// Groups of decisions: sixteen equal decisions for one reason are one line.

import { html } from "./markup.mjs";
import { becomes, causeOf, kindName, many, parseAttempt, sentence, time, why } from "./words.mjs";

/** What tells a decision from others. */
export const keyOf = (e) => [e.at, e.type, e.job || 0, e.attempt || "", e.kind || 0, e.node].join(" ");

/** What decisions have in common that stand in one group. */
function groupOf(e) {
  const near = { launched: e.locality, skipped: e.level }[e.type] || "";
  return [e.type, e.job || 0, e.kind || 0, near, causeOf(e)].join("|");
}

/** Groups of decisions, that of the newest first; each has its events in order, which are no more than `span`
 * nanoseconds apart. */
export function grouped(list, span = 30e9) {
  const open = new Map(), out = [];
  for (const e of list.toReversed()) {
    const key = groupOf(e);
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

/** How much a decision matters to a reader: what takes slots away first, then waits and what came of them, then the
 * rest. */
export function weight(e) {
  const cause = causeOf(e);
  if (e.type in becomes) return /superseded|job is over/.test(cause) ? 1 : 4;
  if (/^waited|no node nearer/.test(cause)) return 3;
  if (/^waiting|first fit|running maps counted/.test(cause)) return 2.5;
  if (e.type === "skipped") return cause === "no slot is free" ? 0 : 2;
  return 1;
}

/** The `most` groups of the last decisions that matter most, the newest first. */
export function mattering(list, most = 3) {
  const worth = (g, i) => weight(g.last) - i / 8 + Math.log10(g.events.length);
  const all = grouped(list).map((g, i) => ({ g, worth: worth(g, i) })).sort((a, b) => b.worth - a.worth);
  return all.slice(0, most).map((x) => x.g).sort((a, b) => b.last.at - a.last.at);
}

const goes = {
  "node-local": "on nodes with their data", "rack-local": "in a rack with their data",
  "off-rack": "far from their data", "any-place": "anywhere, having no place",
};

/** How many slots were let pass by skips, of which each may count several. */
function passed(events) {
  const count = (e) => e?.count || 1;
  return events.reduce((sum, e, i) => sum + (i ? Math.max(1, count(e) - count(events[i - 1])) : 1), 0);
}

export function groupSentence({ last: e, events }) {
  if (events.length === 1) return sentence(e);
  const cause = causeOf(e), a = parseAttempt(e.attempt), kind = kindName((a || e).kind);
  if (e.type === "skipped") {
    if (!/^waiting for/.test(cause)) return `the ${kind}s of job ${e.job} wait: ${why(e.reason)}`;
    const left = e.until > e.at ? `, ${time(e.until - e.at)} more at most` : "";
    return `job ${e.job} let ${many(passed(events), `${kind} slot`)} pass: ${why({ cause })}${left}`;
  }
  const tasks = `${many(new Set(events.map((x) => x.attempt)).size, kind)} of job ${a.job}`;
  if (e.type !== "launched") return `${tasks} ${becomes[e.type][1]}: ${why({ cause })}`;
  if (a.kind) return `${tasks} start: ${why({ cause })}`;
  const fit = cause === "first fit" ? ": first fit" : "";
  if (cause !== "waited for locality") return `${tasks} start ${goes[e.locality] || ""}${fit}`;
  return `${tasks} waited, now go ${e.locality === "rack-local" ? "to a rack with their data" : "anywhere"}`;
}

/** A list of groups: a click on one explains its last decision, of which the drawer says more. */
export function groupsMarkup(groups) {
  if (!groups.length) return html`<p class="empty">No decision yet.</p>`;
  return html`<ol class="decisions">${groups.map((g) => html`<li data-key="${g.key} ${g.events[0].at}">
    <button data-decision="${keyOf(g.last)}"><time>${time(g.last.at)}</time> ${groupSentence(g)}</button></li>`)}</ol>`;
}
