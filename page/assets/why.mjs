// The explanation beside every screen: what was clicked on, and the last decisions about it.

import { html } from "./markup.mjs";
import { mayGo, sentence, time, why, pair, percent } from "./words.mjs";
import { explainSlot, nodeName } from "./cluster.mjs";
import { wanted } from "./state.mjs";

/** Decisions, the newest first, each with its time. */
export function decisions(list) {
  if (!list.length) return html`<p>No decision yet.</p>`;
  return html`<ol class="decisions" reversed>${[...list].reverse().map((e) => html`<li><time>${time(e.at)}</time> ${sentence(e)}</li>`)}</ol>`;
}

/** Why a job is where it is. */
export function explainJob(s, id) {
  const j = s.jobs.get(id);
  if (!j) return html`<p>Job ${id} has not come yet.</p>`;
  const waits = [0, 1].map((k) => {
    const w = j.skips[k];
    if (!w) return "";
    const left = w.until > s.now ? `, ${time(w.until - s.now)} left` : "";
    const at = k === 0 && wanted(j).length ? ` Its data lies on ${wanted(j).map((n) => nodeName(s, n)).join(", ")}.` : "";
    return html`<p>Its ${k ? "reduces" : "maps"} wait: ${why(w.reason)}${w.level ? `; it may go ${mayGo(w.kind, w.level)}` : ""}${left}${w.count > 1 ? `; ${w.count} times so far` : ""}.${at}</p>`;
  });
  const all = j.near.N + j.near.R + j.near.O;
  return html`<h2>Job ${j.id} “${j.name}”</h2><p>${j.state}, of ${j.user || "?"} in ${j.pool || "no pool"}, ${j.priority}. ${pair(j.done)} of ${pair(j.tasks)} tasks done, ${
    pair(j.running)} run${j.suspended ? `, suspended ${j.suspended} times` : ""}${all ? `, ${percent(j.near.N, all)} node-local` : ""}${
    j.shares ? `; fair share ${pair(j.shares.map((x) => x.toFixed(1)))}` : ""}.</p>${j.err ? html`<p class="bad">${j.err}</p>` : ""}${waits}
<h3>The last decisions about it</h3>${decisions(j.decisions)}`;
}

/** Why a node is as it is. */
export function explainNode(s, id) {
  const n = s.nodes.get(id);
  if (!n) return html`<p>No such node.</p>`;
  const about = s.recent.filter((e) => e.node === id);
  return html`<h2>${n.name}</h2><p>Rack ${n.rack}, ${pair(n.slots)} slots, ${n.live ? n.state : "lost"}.${
    n.held.length ? ` ${n.held.length} suspended.` : ""}</p>
${n.waits.map((w) => (w ? html`<p>Job ${w.job} leaves a ${w.kind ? "reduce" : "map"} slot free: ${why(w.reason)}${w.until > s.now ? `, ${time(w.until - s.now)} left` : ""}.</p>` : ""))}
<h3>Of the last decisions</h3>${decisions(about)}`;
}

/** What is chosen, explained: {job}, {node} or {node, kind, slot}; nothing chosen tells of the cluster. */
export function explain(s, chosen) {
  if (chosen && chosen.slot !== undefined) {
    const n = s.nodes.get(chosen.node);
    const a = n && n.cells[chosen.kind][chosen.slot];
    const w = n && n.waits[chosen.kind];
    const job = a ? a.job : w ? w.job : 0;
    return html`${explainSlot(s, chosen.node, chosen.kind, chosen.slot)}${a ? html`<p>Why here: ${why(a.reason, a.placed) || "not told"}.</p>` : ""}${
      job ? explainJob(s, job) : explainNode(s, chosen.node)}`;
  }
  if (chosen && chosen.job) return explainJob(s, chosen.job);
  if (chosen && chosen.node !== undefined) return explainNode(s, chosen.node);
  return html`<h2>Decisions</h2><p>Choose a slot, a node or a job for its own.</p>${decisions(s.recent)}`;
}
