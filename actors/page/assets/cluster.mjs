// The first screen: racks, nodes and slots, each slot with a letter and color and its job; a slot
// that waits pulses, and says for what.

import { nodeName, within } from "./entities.mjs";
import { html } from "./markup.mjs";
import { isLarts, letter, letters, many, meaningOf, percent, time, taskName } from "./words.mjs";
import { awaited } from "./places.mjs";
import { firstComes } from "./jobs.mjs";

/** How many jobs run or, when none does, whether any is to come in what is known of the run. */
function jobsNow(s, h) {
  const jobs = [...s.jobs.values()].filter((j) => j.finished < 0).length;
  const coming = jobs || !h ? 0 : [...h.jobs.values()].filter((j) => j.submitted > s.now).length;
  if (jobs) return many(jobs, "job");
  if (coming) return `${s.jobs.size ? "no job now" : "no job yet"}, ${coming} to come`;
  return s.jobs.size ? "all jobs are done" : "no job yet";
}

/** One sentence of the state; h is the history of the run, as far as it is known. */
export function summary(s, h) {
  const live = [...s.nodes.values()].filter((n) => n.live).length;
  const placed = s.near.N + s.near.R + s.near.O;
  const parts = [s.name || "no policy", many(live, "node")];
  parts.push(jobsNow(s, h));
  if (placed) parts.push(`${percent(s.near.N, placed)} node-local`);
  let text = parts.join(", ");
  const w = s.wait;
  if (w && s.jobs.get(w.job)) {
    const names = awaited(s, w, 1).map((id) => nodeName(s, id));
    text += `; job ${w.job} waits for ${names[0] || "a better node"}${w.kind ? " with a reduce" : ""}`;
    if (w.until > s.now) text += `, ${time(w.until - s.now)} left`;
  }
  return text;
}

/** What a slot is, in words for the label. */
export function slotLabel(s, node, kind, i) {
  const a = node.cells[kind][i];
  const name = `${node.name}, ${kind ? "reduce" : "map"} slot ${i + 1}`;
  if (a) return `${name}: ${taskName(a)}, ${meaningOf(letter(a), isLarts(s.policy))}`;
  const w = node.waits[kind];
  return w && firstFree(node, kind) === i ? `${name}: free, job ${w.job} waits for a better one` : `${name}: free`;
}

function firstFree(node, kind) { return node.cells[kind].indexOf(null); }

function slot(s, node, kind, i, small) {
  const a = node.cells[kind][i];
  const w = node.waits[kind];
  const waits = !a && w && node.live && firstFree(node, kind) === i;
  const l = a ? letter(a) : "";
  const name = `slot k${kind} ${a ? `is-${l}` : waits ? "waits" : "free"}`;
  const sign = a ? l : waits ? "?" : "", job = small ? "" : a ? a.job : waits ? w.job : "";
  const text = sign && job ? html`<b>${sign}</b> <i>${job}</i>` : sign;
  const label = `${sign ? `${[sign, job].filter(Boolean).join(" ")}: ` : ""}${slotLabel(s, node, kind, i)}`;
  return html`<button class="${name}" data-node="${node.id}" data-kind="${kind}" data-slot="${i}" aria-label="${label}">${text}</button>`;
}

/** The letter of most attempts of a node, "" if nothing runs there. */
function mostly(node) {
  const n = {};
  for (const a of node.cells.flat()) if (a) n[letter(a)] = (n[letter(a)] || 0) + 1;
  return Object.keys(n).sort((a, b) => n[b] - n[a])[0] || "";
}

/** A node as one cell, where there are too many slots to draw: how many are busy, and how near most of what runs is. */
function cellMarkup(s, node, state) {
  const busy = node.cells.flat().filter(Boolean).length, slots = node.slots[0] + node.slots[1], l = mostly(node);
  const load = busy ? Math.max(1, Math.ceil((4 * busy) / Math.max(1, slots))) : 0;
  const says = `${node.name}: ${busy} of ${many(slots, "slot")} busy${l ? `, mostly ${meaningOf(l, isLarts(s.policy))}` : ""}${state ? `, ${state}` : ""}`;
  return html`<button class="slot cell ${l ? `is-${l}` : node.waits.some(Boolean) ? "waits" : "free"} load-${load}" data-node="${node.id}" aria-label="${says}" title="${says}"></button>`;
}

/** One node with its slots; density 0 has letters and jobs, 1 letters, 2 a cell a node. */
export function nodeMarkup(s, node, density) {
  const state = !node.live ? "down" : node.state === "open" ? "" : node.state;
  if (density === 2) return cellMarkup(s, node, state);
  const held = node.held.length;
  return html`<button class="name" data-node="${node.id}">${node.name}</button>${state ? html`<em>${state}</em>` : ""}
<span class="slots">${[0, 1].map((k) => node.cells[k].map((_, i) => slot(s, node, k, i, density)))}${
  held ? html`<em title="suspended: ${node.held.map(taskName).join(", ")}">+${held}</em>` : ""}</span>`;
}

/** The nodes by rack, each with a key, and how densely they are drawn. */
export function racks(s) {
  const nodes = [...s.nodes.values()].sort((a, b) => (a.rack < b.rack ? -1 : a.rack > b.rack ? 1 : a.id - b.id));
  const slots = nodes.reduce((sum, n) => sum + n.slots[0] + n.slots[1], 0);
  const by = new Map();
  for (const n of nodes) within(by, n.rack, () => []).push(n);
  return { density: slots > 500 ? 2 : slots > 80 ? 1 : 0, racks: [...by].map(([name, list]) => ({ name, nodes: list })) };
}

/** The letters that a run has, each with its meaning. */
export function letterKeys(s, look = "is") {
  const reduces = [...s.jobs.values()].some((j) => j.tasks[1] > 0), has = (l) => (l === "A" ? s.near.A > 0 : "NRO".includes(l) || reduces);
  return html`${Object.keys(letters).filter(has).map((l) => html`<span><b class="slot ${look}-${l}">${l}</b> ${meaningOf(l, isLarts(s.policy))}</span> `)}`;
}

/** What slots look like, what the letters mean, and more.
 * @param {any} more */
export function legend(s, more = "") {
  return html`<p class="legend"><span><b class="slot"></b> map slot</span> <span><b class="slot k1"></b> reduce slot</span> ${letterKeys(s)}
<span><b class="slot waits">?</b> free, and a job waits for a better one</span>${more}</p>`;
}

/** The waiting slots with the nodes that have what the jobs wait for, at most `most` of them. */
export function waitLines(s, most = 20) {
  const lines = [];
  for (const n of s.nodes.values()) {
    for (const k of [0, 1]) {
      const w = n.waits[k];
      if (!w || lines.length >= most) continue;
      const to = awaited(s, w, 1)[0];
      if (to !== undefined && to !== n.id) lines.push({ from: n.id, to, kind: k, job: w.job, wait: w });
    }
  }
  return lines;
}

/** The pools as the Fair Scheduler's page has them. */
export function poolsTable(s) {
  const list = [...s.groups.values()].filter((g) => g.name || g.jobs || g.running[0] || g.running[1]).sort((a, b) => (a.name < b.name ? -1 : 1));
  const most = (m) => (m === 0 ? "–" : m < 0 ? 0 : m);
  const cells = (g, k) => html`<td>${g.min[k]}</td><td>${most(g.max[k])}</td><td>${g.running[k]}</td><td>${g.told ? g.shares[k].toFixed(1) : "NA"}</td>`;
  const crossed = (g) => [0, 1].some((k) => g.max[k] !== 0 && g.max[k] < g.min[k]);
  const mode = (g) => (!s.policy || s.policy.Order !== "pools" ? "" : firstComes(s, g.name) ? "FIFO" : "fair");
  return html`<table><caption>Pools and queues</caption><thead><tr><th scope="col" rowspan="2">Pool</th><th scope="col" rowspan="2">Running jobs</th>
<th scope="colgroup" colspan="4">Map slots</th><th scope="colgroup" colspan="4">Reduce slots</th><th scope="col" rowspan="2">Mode</th></tr>
<tr>${[0, 1].map(() => html`<th scope="col">min share</th><th scope="col">max share</th><th scope="col">running</th><th scope="col">fair share</th>`)}</tr></thead>
<tbody>${list.map((g) => html`<tr data-key="${g.name}"><th scope="row"><button class="job" data-group="${g.name}">${g.name || "(none)"}</button>${crossed(g) ? " *" : ""}</th><td>${g.jobs}</td>${cells(g, 0)}${cells(g, 1)}<td>${mode(g)}</td></tr>`)}</tbody></table>${
    list.some(crossed) ? html`<p>* Its maximum is less than its minimum share: the maximum holds.</p>` : ""}`;
}
