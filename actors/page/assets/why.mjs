// Decisions in groups, sixteen equal ones for one reason in a line; and the explanation beside every screen: what was
// clicked on, and the last decisions about it.

import { html, jobLink, table } from "./markup.mjs";
import { becomes, causeOf, isLarts, isWait, kindName, letter, links, localPart, located, many, mayGo, meaning,
  meaningOf, pair, parseAttempt, sentence, taskName, time, why, worse } from "./words.mjs";
import { slotLabel } from "./cluster.mjs";
import { awaited, nodeName, nodeNames, openJobs, placesOf } from "./entities.mjs";
import { kept } from "./state.mjs";
import { forkButton } from "./fork.mjs";
import { ran } from "./history.mjs";
import { barLabel } from "./gantt.mjs";

/** Returns the key of a decision: no two have the same. */
const keyOf = (e) => [e.at, e.type, e.job || 0, e.attempt || "", e.kind || 0, e.node].join(" ");

/** Groups decisions of the same type, job, kind, locality and cause that are no more than `span` nanoseconds apart.
 * The newest group comes first; the events in a group are in order. */
export function grouped(list, span = 30e9) {
  const open = new Map(), out = [];
  for (const e of list.toReversed()) {
    const near = { launched: e.locality, skipped: e.level }[e.type] || "";
    const key = [e.type, e.job || 0, e.kind || 0, near, causeOf(e)].join("|"), g = open.get(key);
    if (g && g.last.at - e.at <= span) g.events.unshift(e);
    else out.push(open.set(key, { key, last: e, events: [e] }).get(key));
  }
  return out;
}

/** Returns how much a decision matters to a reader: most if it takes slots away, then waits and their ends. */
function weight(e) {
  const cause = causeOf(e);
  if (e.type in becomes) return /superseded|job is over/.test(cause) ? 1 : 4;
  if (/^waited|no node nearer/.test(cause)) return 3;
  if (/^waiting|first fit|running maps counted/.test(cause)) return 2.5;
  if (e.type === "skipped") return cause === "no slot is free" ? 0 : 2;
  return 1;
}

/** Returns the `most` groups of recent decisions that matter most, the newest first. */
export function mattering(list, most = 3) {
  const worth = (g, i) => weight(g.last) - i / 8 + Math.log10(g.events.length);
  const all = grouped(list).map((g, i) => ({ g, worth: worth(g, i) })).sort((a, b) => b.worth - a.worth);
  return all.slice(0, most).map((x) => x.g).sort((a, b) => b.last.at - a.last.at);
}

const goes = {
  "node-local": "on nodes with their data", "rack-local": "in a rack with their data",
  "off-rack": "far from their data", "any-place": "anywhere, having no place",
};

/** Returns how many slots the skips among events let pass; one event may count several. */
const passed = (events) => events.reduce((sum, e, i) => (
  sum + (i ? Math.max(1, (e.count || 1) - (events[i - 1].count || 1)) : 1)), 0);

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

/** Draws a list of groups; a click on one explains its last decision in the drawer. */
export function groupsMarkup(groups) {
  if (!groups.length) return html`<p class="empty">No decision yet.</p>`;
  return html`<ol class="decisions">${groups.map((g) => html`<li data-key="${g.key} ${g.events[0].at}">
    <button data-decision="${keyOf(g.last)}"><time>${time(g.last.at)}</time> ${groupSentence(g)}</button></li>`)}</ol>`;
}

/** Draws the last decisions about something in groups, the newest first. */
const decisions = (what, list) => html`<h3>The last decisions about ${what}</h3>${groupsMarkup(grouped(list))}`;
const isOf = (name) => (j) => (j.pool || j.user) === name || j.pool === name;

/** Returns the last decisions about the jobs of a pool, or of a user without pools. */
function ofGroup(s, name) {
  const all = [...s.jobs.values()].filter(isOf(name)).flatMap((j) => j.decisions);
  return all.sort((a, b) => a.at - b.at).slice(-kept);
}

/** Returns the decisions that the drawer lists for what is chosen. */
function listed(s, chosen) {
  if (!chosen || chosen.all) return s.recent;
  if (chosen.group !== undefined) return ofGroup(s, chosen.group);
  const job = chosen.job || jobAt(s, chosen);
  return job ? s.jobs.get(job)?.decisions ?? [] : s.nodes.get(chosen.node)?.decisions ?? s.recent;
}

/** Returns the decision with a key, among those listed or recent. */
export const decisionOf = (s, chosen, key) => [...listed(s, chosen), ...s.recent].find((e) => keyOf(e) === key) || null;

/** Returns the job in a chosen slot, or the one that leaves it free; 0 if none. */
function jobAt(s, { node, kind, slot }) {
  const n = slot === undefined ? null : s.nodes.get(node);
  return (n?.cells[kind][slot] || n?.waits[kind])?.job || 0;
}

const back = (what, text) => html`<p><button data-${what}="">${text}</button></p>`;
const bad = (text) => text && html`<p class="bad">${text}</p>`;
const leftOf = (s, wait) => wait.until > s.now && `, ${time(wait.until - s.now)} left`;

/** Says how the node of a reduce was chosen: its cost, the best and the mean, and the candidates, cheapest first. */
function costs(placed, here) {
  if (!placed?.center) return "";
  const { larts, center, best = 0, mean, candidates = [] } = placed, more = worse(placed);
  const rows = candidates.map((c) => [`${c.node}${c.node === here ? " (chosen)" : ""}`, links(c.cost)]);
  return html`<p>${larts ? "The node that holds most" : "Center of gravity"}: ${center}, weighted distance
      ${links(placed.at_center)}; on ${here} ${links(placed.here)}${more && ` (${more})`}${
      mean > 0 && `; the best node ${links(best)}, the mean of all ${links(mean)}`}.</p>
    ${rows.length > 0 && table("Candidates", ["node", "cost"], rows)}`;
}

/** Says where the data of an attempt's map lies, or how the node of its reduce was chosen. */
function places(s, { kind, job, task, placed }, here) {
  const ids = kind ? [] : placesOf(s.jobs.get(job), task);
  return kind ? costs(placed, here) : ids.length > 0 && html`<p>Its data lies on ${nodeNames(s, ids)}.</p>`;
}

/** Says why an attempt is where it is and what that means; a button asks what if it had not waited. */
const whyThere = (s, a, here, says) => (
  html`<p>${says}: ${why(a.reason, a.placed) || "not told"}. ${meaning(causeOf(a), a.placed)}</p>
    ${places(s, a, here)}${forkButton(a.job, a.kind, a.waited)}`);

/** Explains one decision: what, when, why, and what that means. */
function explainDecision(s, e, h) {
  const [launched, skipped] = ["launched", "skipped"].map((type) => e.type === type), cause = causeOf(e);
  const id = parseAttempt(e.attempt), a = id && { ...id, placed: e.placed, locality: e.locality };
  const l = a && letter(a);
  const open = skipped && !e.kind ? awaited(s, { job: e.job, kind: 0 }) : [];
  const first = skipped && isWait(cause) ? e : launched && h?.attempts.find((x) => x.id === e.attempt)?.waited;
  const says = [`At ${time(e.at)}: ${sentence(e)}.`, meaning(cause, launched ? e.placed : null),
    launched && a && `${l}: ${meaningOf(l, e.larts)}, in slot ${e.slot || "?"}.`,
    e.count > 1 && `${many(e.count, "time")} so far for this reason, since the job last launched something.`];
  return html`<h2>This decision</h2>${says.filter(Boolean).map((text) => html`<p>${text}</p>`)}
    ${a?.kind === 0 && places(s, a)}
    ${open.length > 0 && html`<p>Data of its maps that wait lies on ${nodeNames(s, open)}.</p>`}
    ${costs(e.placed, e.node_name)}${forkButton(e.job, (a || e).kind || 0, first)}
    ${e.job > 0 && html`<p>${jobLink(e.job)} ${e.node >= 0 && html`<button data-node="${e.node}">
      ${e.node_name || `node ${e.node}`}</button>`}</p>`}${back("list", "Back to the list")}`;
}

/** Explains for what the maps or reduces of a job wait. */
function explainWait(s, j, w) {
  const on = nodeNames(s, awaited(s, w, 12)), says = meaning(w.reason.cause);
  const whose = !w.kind ? "Its data lies on" : w.larts ? "The node that holds most is" : "Its center is";
  const level = w.level && `; it may go ${mayGo(w.kind, w.level, w.larts)}`;
  return html`<p>Its ${kindName(w.kind)}s wait: ${why(w.reason)}${level}${leftOf(s, w)}${
    w.count > 1 && `; ${w.count} times so far`}.${on && ` ${whose} ${on}.`}${says && ` ${says}`}</p>
    ${forkButton(j.id, w.kind, w.first)}`;
}

function explainJob(s, id) {
  const j = s.jobs.get(id);
  if (!j) return html`<p>Job ${id} has not come yet.</p>`;
  const fair = j.finished < 0 && j.shares?.map((x) => x.toFixed(1));
  return html`<h2>Job ${j.id} “${j.name}”</h2>
    <p>${j.state}, of ${j.user || "?"} in ${j.pool || "no pool"}, ${j.priority}. ${pair(j.done)} of ${pair(j.tasks)}
      tasks done, ${pair(j.running)} run${j.suspended > 0 && `, suspended ${j.suspended} times`}${
      located(j.near) > 0 && `, ${localPart(j.near)} node-local`}${fair && `; fair share ${pair(fair)}`}.</p>
    ${bad(j.err)}${j.skips.map((w) => w && explainWait(s, j, w))}${decisions("it", j.decisions)}`;
}

function explainNode(s, id) {
  const n = s.nodes.get(id);
  if (!n) return html`<p>No such node.</p>`;
  const held = n.held.length > 0 && ` ${n.held.length} suspended: ${n.held.map(taskName).join(", ")}.`;
  const wait = (w) => `Job ${w.job} leaves a ${kindName(w.kind)} slot free: ${why(w.reason)}`;
  return html`<h2>${n.name}</h2><p>Rack ${n.rack}, ${pair(n.slots)} slots, ${n.live ? n.state : "down"}.${held}</p>
    ${n.waits.map((w) => w && html`<p>${wait(w)}${leftOf(s, w)}.</p>`)}${decisions("it", n.decisions)}`;
}

/** Explains an attempt from the history of a run. */
function explainAttempt(s, h, id) {
  const a = h.attempts.find((x) => x.id === id);
  if (!a) return html`<p>No such attempt.</p>`;
  const [from, to, slot] = a.segments[0], l = letter(a), bar = { attempt: a, from, to: a.end ? a.over : h.end };
  // It may have ended while it was suspended.
  const times = a.segments.length - (a.over > a.segments.at(-1)[1] ? 0 : 1);
  const suspended = (a.segments.length > 1 || (to >= 0 && a.over > to)) && `, suspended ${times} times`;
  return html`<h2>${taskName(a)}</h2>
    <p>${barLabel(h, bar)}. It held slot ${slot || "?"} for ${time(ran(a, h.end))}${suspended}.</p>
    ${whyThere(s, a, nodeName(h, a.node), `${l}: ${meaningOf(l, isLarts(s.policy))}. Why there`)}
    ${bad(a.err)}${a.why && html`<p>Killed: ${why(a.why)}.</p>`}`;
}

/** Explains what a pool or queue holds, should have and wants. */
export function explainGroup(s, name) {
  const g = s.groups.get(name), jobs = openJobs(s).filter(isOf(name));
  const most = (m) => (m === 0 ? "none" : m < 0 ? 0 : m);
  const held = [0, 1].map((k) => jobs.reduce((sum, j) => sum + j.running[k], 0));
  const share = g?.told ? html`Fair share ${pair(g.shares.map((x) => x.toFixed(1)))}, minimum ${pair(g.min)}, maximum
    ${pair(g.max.map(most))}; when that was told its jobs could have used ${pair(g.demand)}.`
    : "This scheduler tells no share of it.";
  return html`<h2>${name || "(no pool)"}</h2>
    <p>${many(jobs.length, "job")}, ${pair(held)} slots held, maps + reduces. ${share}${
      g && (g.need[0] || g.need[1]) > 0 && ` Preemption may take ${pair(g.need)} slots for it.`}</p>
    <p>${jobs.slice(0, 30).map((j) => html`${jobLink(j.id)} `)}</p>${decisions("its jobs", ofGroup(s, name))}`;
}

/** Explains a slot: what runs in it or which job left it free, and that job. */
function explainSlot(s, n, chosen) {
  const a = n.cells[chosen.kind][chosen.slot], job = jobAt(s, chosen), done = a?.progress > 0;
  const runs = a && html`<p>${taskName(a)} has run on ${n.name} for ${time(s.now - a.start)}${
    done && `, ${Math.round(100 * a.progress)} % done`}.</p>${whyThere(s, a, n.name, "Why here")}`;
  return html`${runs || html`<p>${slotLabel(s, n, chosen.kind, chosen.slot)}.</p>`}
    ${job ? explainJob(s, job) : explainNode(s, n.id)}`;
}

function explainChosen(s, chosen, h) {
  const n = s.nodes.get(chosen.node);
  if (n && chosen.slot !== undefined) return explainSlot(s, n, chosen);
  if (chosen.attempt && h) return html`${explainAttempt(s, h, chosen.attempt)}${explainJob(s, chosen.job)}`;
  if (chosen.job) return explainJob(s, chosen.job);
  return chosen.group === undefined ? explainNode(s, chosen.node) : explainGroup(s, chosen.group);
}

/** Explains what is chosen: {job}, {job, attempt}, {group}, {node} or {node, kind, slot}, each perhaps with a
 * decision about it; without a choice, the cluster. */
export function explain(s, chosen, h) {
  if (chosen?.decision) return explainDecision(s, chosen.decision, h);
  if (chosen && !chosen.all) return html`${explainChosen(s, chosen, h)}${back("all", "All decisions")}`;
  return html`<h2>Decisions</h2><p>The last ${s.recent.length}, alike ones together. Choose a slot, a node, a job or a
    pool, and it is explained here.</p>${groupsMarkup(grouped(s.recent))}`;
}
