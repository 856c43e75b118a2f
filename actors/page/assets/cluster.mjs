// The cluster: racks, nodes and slots, each with a letter and its job, or what it waits for. And the table of pools.

import { awaited, byRack, nodeName, openJobs } from "./entities.mjs";
import { html, link, show, table } from "./markup.mjs";
import { isLarts, kindName, letter, letters, localPart, located, many, meaningOf, taskName, time } from "./words.mjs";
import { firstComes } from "./jobs.mjs";

/** Says how many jobs run; if none does, whether the known part of the run has jobs to come. */
function jobsNow(s, h) {
  const jobs = openJobs(s).length, coming = [...h?.jobs.values() ?? []].filter((j) => j.submitted > s.now).length;
  if (jobs) return many(jobs, "job");
  if (!s.jobs.size) return `no job yet${coming ? `, ${coming} to come` : ""}`;
  return coming ? `no job now, ${coming} to come` : "all jobs are done";
}

/** Describes a state in one sentence; h is the known history of the run. */
export function summary(s, h) {
  const live = [...s.nodes.values()].filter((n) => n.live).length, w = s.wait;
  const near = located(s.near) ? `, ${localPart(s.near)} node-local` : "";
  const says = `${s.name || "no policy"}, ${many(live, "node")}, ${jobsNow(s, h)}${near}`;
  if (!w || !s.jobs.has(w.job)) return says;
  const [id, more] = awaited(s, w), or = more === undefined ? "" : " or another node with its data";
  const whom = id === undefined ? "a better node" : nodeName(s, id) + or;
  const left = w.until > s.now ? `, ${time(w.until - s.now)} left` : "";
  return `${says}; job ${w.job} waits for ${whom}${w.kind ? " with a reduce" : ""}${left}`;
}

/** Returns the wait because of which a job left this slot free: it belongs to the first free slot of its kind. */
const waitOf = (node, kind, i) => node.cells[kind].indexOf(null) === i ? node.waits[kind] : null;

/** Returns the label of a slot: its node, and what runs or waits there. */
export function slotLabel(s, node, kind, i) {
  const a = node.cells[kind][i], w = waitOf(node, kind, i);
  const says = a ? `${taskName(a)}, ${meaningOf(letter(a), isLarts(s.policy))}` : "free";
  return `${node.name}, ${kindName(kind)} slot ${i + 1}: ${says}${w ? `, job ${w.job} waits for a better one` : ""}`;
}

function slot(s, node, kind, i, small, gain) {
  const a = node.cells[kind][i], w = node.live && waitOf(node, kind, i);
  const sign = a ? letter(a) : w ? "?" : "", job = small ? "" : (a || w || {}).job || "";
  const label = `${sign ? `${[sign, job].filter(Boolean).join(" ")}: ` : ""}${slotLabel(s, node, kind, i)}`;
  return html`<button class="slot k${kind} ${a ? `is-${sign}` : w ? "waits" : "free"}${gain && " gains"}"
    data-node="${node.id}" data-kind="${kind}" data-slot="${i}" aria-label="${label}">
    ${job ? html`<b>${sign}</b> <i>${job}</i>` : sign}</button>`;
}

/** Draws a node as one cell, where slots are too many: how many are busy, and how near most tasks are to their data. */
function cellMarkup(s, node, state, gain) {
  const all = node.cells.flat().filter(Boolean), busy = all.length, slots = node.slots[0] + node.slots[1];
  const [[l] = [""]] = [...Map.groupBy(all, letter)].sort((a, b) => b[1].length - a[1].length);
  const load = busy ? Math.max(1, Math.ceil((4 * busy) / Math.max(1, slots))) : 0;
  const near = l ? `, mostly ${meaningOf(l, isLarts(s.policy))}` : "";
  const says = `${node.name}: ${busy} of ${many(slots, "slot")} busy${near}${state ? `, ${state}` : ""}`;
  const look = l ? `is-${l}` : node.waits.some(Boolean) ? "waits" : "free";
  return html`<button class="slot cell ${look} load-${load}${gain && " gains"}" data-node="${node.id}"
    aria-label="${says}" title="${says}"></button>`;
}

/** Draws a node with its slots. Density 0 shows letters and jobs, 1 letters, 2 one cell; slots in gains glow. */
export function nodeMarkup(s, node, density, gains = new Set()) {
  const state = !node.live ? "down" : node.state === "open" ? "" : node.state, { held } = node;
  if (density === 2) return cellMarkup(s, node, state, gains.size > 0);
  const of = (k) => node.cells[k].map((_, i) => slot(s, node, k, i, density, gains.has(`${k} ${i}`)));
  const more = held.length > 0 && html`<em title="suspended: ${held.map(taskName).join(", ")}">+${held.length}</em>`;
  return html`<button class="name" data-node="${node.id}">${node.name}</button>
    ${state && html`<em>${state}</em>`}<span class="slots">${[0, 1].map(of)}${more}</span>`;
}

/** Draws the nodes of a state into a box; gaining(node) returns the slots that glow, as the function of that name. */
export function drawCluster(box, s, gaining = (_) => new Set()) {
  const all = byRack(s), slots = all.reduce((sum, n) => sum + n.slots[0] + n.slots[1], 0);
  const racks = Map.groupBy(all, (n) => n.rack), density = slots > 500 ? 2 : slots > 80 ? 1 : 0;
  box.className = `racks d${density}${all.length <= 250 ? " few" : ""}`;
  const nodeOf = (n) => html`<div class="node${!n.live && " gone"}" data-key="${n.id}">
    ${nodeMarkup(s, n, density, gaining(n))}</div>`;
  show(box, html`${[...racks].map(([rack, nodes]) => html`<div class="rack" data-key="${rack}">
    <h2>${rack} <small>${nodes.length}</small></h2><div class="nodes">${nodes.map(nodeOf)}</div></div>`)}`);
}

/** Explains each letter that slots of this run have. */
export function letterKeys(s) {
  const reduces = [...s.jobs.values()].some((j) => j.tasks[1] > 0);
  const has = (l) => (l === "A" ? s.near.A > 0 : "NRO".includes(l) || reduces);
  return Object.keys(letters).filter(has).map((l) => html`
    <span><b class="slot is-${l}">${l}</b> ${meaningOf(l, isLarts(s.policy))}</span> `);
}

/** Draws the legend of a cluster: its slots, its letters, and more.
 * @param {any} more */
export const legend = (s, more = "") => html`<p class="legend">
  <span><b class="slot"></b> map slot</span><span><b class="slot k1"></b> reduce slot</span>
  ${letterKeys(s)}<span><b class="slot waits">?</b> free, and a job waits for a better one</span>${more}</p>`;

/** Returns at most `most` lines, each from a slot that a waiting job left free to a node for which the job waits. */
export function waitLines(s, most = 20) {
  const lines = [];
  for (const n of s.nodes.values()) {
    for (const wait of n.waits) {
      const to = wait && lines.length < most ? awaited(s, wait, 1)[0] : undefined;
      if (to !== undefined && to !== n.id) lines.push({ from: n.id, to, kind: wait.kind, job: wait.job, wait });
    }
  }
  return lines;
}

/** Draws the table of pools, with the columns of the Fair Scheduler's page. */
export function poolsTable(s) {
  const most = (m) => (m === 0 ? "–" : m < 0 ? 0 : m), order = s.policy?.Order;
  const crossed = (g) => [0, 1].some((k) => g.max[k] !== 0 && g.max[k] < g.min[k]);
  const list = [...s.groups.values()].filter((g) => g.name || g.jobs || g.running[0] || g.running[1])
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return html`${table("Pools and queues", [
    ["Pool", (g) => html`${link("group", g.name, g.name || "(none)")}${crossed(g) && " *"}`],
    ["Running jobs", (g) => g.jobs],
    ...["Map slots", "Reduce slots"].flatMap((group, k) => [
      { group, text: "min share", cell: (g) => g.min[k] },
      { group, text: "max share", cell: (g) => most(g.max[k]) },
      { group, text: "running", cell: (g) => g.running[k] },
      { group, text: "fair share", cell: (g) => (g.told ? g.shares[k].toFixed(1) : "NA") },
    ]),
    ["Mode", (g) => (order !== "pools" ? "" : firstComes(s, g.name) ? "FIFO" : "fair")],
  ], list, { key: (g) => g.name })}
    ${list.some(crossed) && html`<p>* Its maximum is less than its minimum share: the maximum holds.</p>`}`;
}
