// The explanation beside every screen: what was clicked on, and the last decisions about it.

import { html, table } from "./markup.mjs";
import { grouped, groupsMarkup, keyOf } from "./decisions.mjs";
import { isLarts, letter, links, many, mayGo, meaning, meaningOf, pair, parseAttempt, percent, sentence, taskName, time, why, worse } from "./words.mjs";
import { slotLabel } from "./cluster.mjs";
import { nodeName } from "./entities.mjs";
import { awaited, placesOf } from "./places.mjs";
import { kept } from "./state.mjs";
import { forkButton } from "./fork.mjs";
import { ran } from "./history.mjs";
import { barLabel } from "./gantt.mjs";

/** Decisions in groups, the newest first; a click on one explains it. */
const decisions = (list) => groupsMarkup(grouped(list));

/** The decisions that are listed for what is chosen. */
function listed(s, chosen) {
  if (!chosen || chosen.all) return s.recent;
  if (chosen.group !== undefined) return ofGroup(s, chosen.group);
  const job = chosen.job || jobAt(s, chosen);
  if (job) return s.jobs.has(job) ? s.jobs.get(job).decisions : [];
  return s.nodes.has(chosen.node) ? s.nodes.get(chosen.node).decisions : s.recent;
}

/** The decision of a key, among those that are listed or were a moment ago. */
export const decisionOf = (s, chosen, key) => [...listed(s, chosen), ...s.recent].find((e) => keyOf(e) === key) || null;

/** The job in a chosen slot, or the one that leaves it free; 0: none. */
function jobAt(s, chosen) {
  const n = chosen.slot === undefined ? null : s.nodes.get(chosen.node);
  if (!n) return 0;
  const a = n.cells[chosen.kind][chosen.slot], w = n.waits[chosen.kind];
  return a ? a.job : w ? w.job : 0;
}

const back = (text, to) => html`<p><button data-away="${to}">${text}</button></p>`;

/** Where a map's blocks lie. */
function dataOf(s, job, task) {
  const places = job ? placesOf(job, task) : [];
  return places.length ? html`<p>Its data lies on ${places.map((n) => nodeName(s, n)).join(", ")}.</p>` : "";
}

/** What a reduce's placement was weighed by: the candidates, the nearest first, and the bounds. */
function costs(placed, here) {
  if (!placed || !placed.center) return "";
  const more = worse(placed);
  return html`<p>${placed.larts ? "The node that holds most" : "Center of gravity"}: ${placed.center}, weighted distance ${links(placed.at_center)}; on ${here} ${links(placed.here)}${more ? ` (${more})` : ""}${
    placed.mean ? `; the best node ${links(placed.best || 0)}, the mean of all ${links(placed.mean)}` : ""}.</p>${placed.candidates && placed.candidates.length
    ? table("Candidates", ["node", "cost"], placed.candidates.map((c) => html`<tr><th scope="row">${c.node}${c.node === here ? " (chosen)" : ""}</th><td>${links(c.cost)}</td></tr>`)) : ""}`;
}

/** One decision in words: what, when, why, and what that means. */
export function explainDecision(s, e, h) {
  const a = parseAttempt(e.attempt), job = s.jobs.get(e.job), cause = (e.reason && e.reason.cause) || "";
  const says = meaning(cause, e.type === "launched" ? e.placed : null), l = a && letter({ kind: a.kind, locality: e.locality, placed: e.placed });
  const lies = a && a.kind === 0 ? dataOf(s, job, a.task)
    : e.type === "skipped" && !e.kind && job && awaited(s, { job: e.job, kind: 0 }).length
      ? html`<p>Data of its maps that wait lies on ${awaited(s, { job: e.job, kind: 0 }).map((n) => nodeName(s, n)).join(", ")}.</p>` : "";
  const ran_ = a && h && e.type === "launched" ? h.attempts.find((x) => x.id === e.attempt) : null, first = e.type === "skipped" && /^waiting for|has its part/.test(cause) ? e : ran_ && ran_.waited;
  return html`<h2>This decision</h2><p>At ${time(e.at)}: ${sentence(e)}.</p>${says ? html`<p>${says}</p>` : ""}${
    e.type === "launched" && a ? html`<p>${l}: ${meaningOf(l, e.larts)}, in slot ${e.slot || "?"}.</p>` : ""}${
    e.count > 1 ? html`<p>${many(e.count, "time")} so far for this reason, since the job last launched something.</p>` : ""}${lies}${costs(e.placed, e.node_name)}${forkButton(e.job, a ? a.kind : e.kind || 0, first)}${
    e.job ? html`<p><button class="job" data-job="${e.job}">job ${e.job}</button>${e.node >= 0 ? html` <button data-node="${e.node}">${e.node_name || `node ${e.node}`}</button>` : ""}</p>` : ""}${back("Back to the list", "list")}`;
}

/** Why a job is where it is. */
export function explainJob(s, id) {
  const j = s.jobs.get(id);
  if (!j) return html`<p>Job ${id} has not come yet.</p>`;
  const waits = [0, 1].map((k) => {
    const w = j.skips[k];
    if (!w) return "";
    const left = w.until > s.now ? `, ${time(w.until - s.now)} left` : "";
    const on = awaited(s, w).map((n) => nodeName(s, n)).join(", ");
    const at = on ? ` ${k ? `${w.larts ? "The node that holds most" : "Its center"} is` : "Its data lies on"} ${on}.` : "", says = meaning(w.reason.cause);
    return html`<p>Its ${k ? "reduces" : "maps"} wait: ${why(w.reason)}${w.level ? `; it may go ${mayGo(w.kind, w.level, w.larts)}` : ""}${left}${w.count > 1 ? `; ${w.count} times so far` : ""}.${at}${says ? ` ${says}` : ""}</p>${forkButton(j.id, k, w.first)}`;
  });
  const all = j.near.N + j.near.R + j.near.O;
  return html`<h2>Job ${j.id} “${j.name}”</h2><p>${j.state}, of ${j.user || "?"} in ${j.pool || "no pool"}, ${j.priority}. ${pair(j.done)} of ${pair(j.tasks)} tasks done, ${
    pair(j.running)} run${j.suspended ? `, suspended ${j.suspended} times` : ""}${all ? `, ${percent(j.near.N, all)} node-local` : ""}${
    j.shares && j.finished < 0 ? `; fair share ${pair(j.shares.map((x) => x.toFixed(1)))}` : ""}.</p>${j.err ? html`<p class="bad">${j.err}</p>` : ""}${waits}
<h3>The last decisions about it</h3>${decisions(j.decisions)}`;
}

/** Why a node is as it is. */
export function explainNode(s, id) {
  const n = s.nodes.get(id);
  if (!n) return html`<p>No such node.</p>`;
  return html`<h2>${n.name}</h2><p>Rack ${n.rack}, ${pair(n.slots)} slots, ${n.live ? n.state : "down"}.${
    n.held.length ? ` ${n.held.length} suspended: ${n.held.map(taskName).join(", ")}.` : ""}</p>
${n.waits.map((w) => (w ? html`<p>Job ${w.job} leaves a ${w.kind ? "reduce" : "map"} slot free: ${why(w.reason)}${w.until > s.now ? `, ${time(w.until - s.now)} left` : ""}.</p>` : ""))}
<h3>The last decisions about it</h3>${decisions(n.decisions)}`;
}

/** An attempt, as a run's history has it. */
export function explainAttempt(s, h, id) {
  const a = h.attempts.find((x) => x.id === id);
  if (!a) return html`<p>No such attempt.</p>`;
  const [from, to, slot] = a.segments[0], l = letter(a);
  const bar = { attempt: a, from, to: a.end ? a.over : h.end };
  return html`<h2>${taskName(a)}</h2><p>${barLabel(h, bar)}. It held slot ${slot || "?"} for ${time(ran(a, h.end))}${
    a.segments.length > 1 || (to >= 0 && a.over > to) ? `, suspended ${a.segments.length - (a.over > a.segments[a.segments.length - 1][1] ? 0 : 1)} times` : ""}.</p><p>${l}: ${meaningOf(l, isLarts(s.policy))}. Why there: ${why(a.reason, a.placed) || "not told"}. ${meaning((a.reason || {}).cause, a.placed)}</p>${
    a.kind === 0 ? dataOf(s, s.jobs.get(a.job), a.task) : ""}${costs(a.placed, nodeName(h, a.node))}${forkButton(a.job, a.kind, a.waited)}${a.err ? html`<p class="bad">${a.err}</p>` : ""}${a.why ? html`<p>Killed: ${why(a.why)}.</p>` : ""}`;
}

/** The jobs of a pool, or of a user where there are no pools. */
const jobsOf = (s, name) => [...s.jobs.values()].filter((j) => (j.pool || j.user) === name || j.pool === name);

/** The last decisions about them. */
function ofGroup(s, name) {
  return jobsOf(s, name).flatMap((j) => j.decisions).sort((a, b) => a.at - b.at).slice(-kept);
}

/** What a pool or queue holds, should have and wants. */
export function explainGroup(s, name) {
  const g = s.groups.get(name), jobs = jobsOf(s, name).filter((j) => j.finished < 0);
  const held = [0, 1].map((k) => jobs.reduce((sum, j) => sum + j.running[k], 0));
  const most = (m) => (m === 0 ? "none" : m < 0 ? 0 : m);
  return html`<h2>${name || "(no pool)"}</h2><p>${many(jobs.length, "job")}, ${pair(held)} slots held, maps + reduces.${g && g.told
    ? ` Fair share ${pair(g.shares.map((x) => x.toFixed(1)))}, minimum ${pair(g.min)}, maximum ${pair(g.max.map(most))}; when that was told its jobs could have used ${pair(g.demand)}.` : " This scheduler tells no share of it."}${
    g && (g.need[0] || g.need[1]) ? ` Preemption may take ${pair(g.need)} slots for it.` : ""}</p><p>${jobs.slice(0, 30).map((j) => html`<button class="job" data-job="${j.id}">job ${j.id}</button> `)}</p>
<h3>The last decisions about its jobs</h3>${decisions(ofGroup(s, name))}`;
}

/** What is chosen, explained: {job}, {job, attempt}, {group}, {node} or {node, kind, slot}, each with a
 * decision about it or none; nothing chosen tells of the cluster. */
export function explain(s, chosen, h) {
  if (!chosen || (chosen.all && !chosen.decision)) return html`<h2>Decisions</h2><p>The last ${s.recent.length}, alike ones together. Choose a slot, a node, a job or a pool, and it is explained here.</p>${decisions(s.recent)}`;
  if (chosen.decision) return explainDecision(s, chosen.decision, h);
  return html`${explainChosen(s, chosen, h)}${back("All decisions", "")}`;
}

function explainChosen(s, chosen, h) {
  if (chosen.slot !== undefined) {
    const n = s.nodes.get(chosen.node), a = n && n.cells[chosen.kind][chosen.slot], job = jobAt(s, chosen);
    if (!n) return explainNode(s, chosen.node);
    return html`<p>${a ? `${taskName(a)} has run on ${n.name} for ${time(s.now - a.start)}${a.progress ? `, ${Math.round(100 * a.progress)} % done` : ""}` : slotLabel(s, n, chosen.kind, chosen.slot)}.</p>${a ? html`<p>Why here: ${why(a.reason, a.placed) || "not told"}. ${meaning((a.reason || {}).cause, a.placed)}</p>${a.kind === 0 ? dataOf(s, s.jobs.get(a.job), a.task) : costs(a.placed, n.name)}${forkButton(a.job, a.kind, a.waited)}` : ""}${
      job ? explainJob(s, job) : explainNode(s, chosen.node)}`;
  }
  if (chosen.attempt && h) return html`${explainAttempt(s, h, chosen.attempt)}${explainJob(s, chosen.job)}`;
  if (chosen.job) return explainJob(s, chosen.job);
  if (chosen.group !== undefined) return explainGroup(s, chosen.group);
  return explainNode(s, chosen.node);
}
