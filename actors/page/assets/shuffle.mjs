// Which reduce gets how much from which node: a heat map, the center of gravity and the node that was
// chosen ringed, and what that costs beside the best and the mean.

import { byRack, nodeName, within } from "./entities.mjs";
import { html, link, options, table, wide } from "./markup.mjs";
import { aim, bytes, isLarts, links, many, percent, worse } from "./words.mjs";

const maxNodes = 60, mostReduces = 60, size = 20, left = 110, top = 24;

/** Returns, by node, the bytes that its maps have for each reduce of a job, as far as events told them. */
export function flows(h, job) {
  const byNode = new Map();
  for (const o of job.outputs.values()) {
    if (!o.parts) continue;
    const row = within(byNode, o.node, () => new Float64Array(job.tasks[1]));
    o.parts.forEach((b, r) => { if (r < row.length) row[r] += b; });
  }
  return byNode;
}

/** Says what the places of a job's reduces cost, in sum and each; goal names where the rule wants them. */
function costs(h, j, goal) {
  const placed = j.attempts.filter((a) => a.kind === 1 && a.placed?.center);
  if (!placed.length) return html`<p>Nothing was known of the reduces' inputs when they were placed.</p>`;
  const were = placed.length === 1 ? "was placed by its" : "were placed by their";
  const sum = (f) => placed.reduce((s, a) => s + f(a.placed), 0), here = sum((p) => p.here);
  const least = sum((p) => p.best ?? Math.min(p.here, p.at_center)), mean = sum((p) => p.mean || 0);
  const saved = `${percent(Math.abs(mean - here), mean)} ${here > mean ? "more than that" : "of that is saved"}`;
  const best = (p) => (p.best === undefined && !p.mean ? "–" : links(p.best ?? 0)); // zero is not told
  const why = (a) => worse(a.placed) || `${a.placed.center === nodeName(h, a.node) ? "at" : "as near as"} ${goal}`;
  return html`<p>${many(placed.length, "reduce")} ${were} input. Weighted distance (WTND) of the nodes chosen
      ${links(here)}, of the best ${links(least)} (${least ? `+${percent(here - least, least)}` : "–"})${
      mean > 0 && `, of nodes by chance ${links(mean)}: ${saved}`}.</p>
    ${table("Reduces", [
      ["reduce", (a) => link("attempt", a.id, a.task)],
      ["chosen", (a) => nodeName(h, a.node)],
      [goal, (a) => a.placed.center],
      ["cost chosen", (a) => links(a.placed.here)],
      ["best", (a) => best(a.placed)],
      ["mean", (a) => (a.placed.mean ? links(a.placed.mean) : "–")],
      ["why", why],
    ], placed.slice(0, 200), { key: (a) => a.id })}`;
}

/** Draws the heat map: a row for each node, a column for each of the first reduces, shaded by bytes. */
function heatMap(h, j, byNode, nodes, reduces, goal) {
  const last = new Map(j.attempts.filter((a) => a.kind === 1).map((a) => [a.task, a]));
  const most = Math.max(1, ...nodes.map((n) => Math.max(...byNode.get(n).slice(0, reduces))));
  const name = (n) => nodeName(h, n), width = left + reduces * size + 10, height = top + nodes.length * size + 10;
  const cell = (n, b, r, row) => {
    const a = last.get(r), x = left + r * size, y = top + row * size, chosen = a?.node === n;
    const center = a?.placed?.center === name(n), ring = html` cx="${x + size / 2}" cy="${y + size / 2}" r="5"`;
    return html`<g${a && html` data-attempt="${a.id}"`}>
      <title>${name(n)} to reduce ${r}: ${bytes(b)}${center && `, ${goal}`}${chosen && ", chosen"}</title>
      <rect class="heat" x="${x}" y="${y}" width="${size - 1}" height="${size - 1}"
        fill-opacity="${(0.05 + 0.95 * (b / most)).toFixed(3)}"/>
      ${center && html`<circle class="halo"${ring}/><circle class="center"${ring}/>`}
      ${chosen && html`<rect class="chosen" x="${x + 1}" y="${y + 1}" width="${size - 3}" height="${size - 3}"/>`}</g>`;
  };
  const heads = Array.from({ length: reduces }, (_, r) => (reduces <= 10 || r % 5 === 0) && html`
    <text x="${left + r * size}" y="${top - 6}">${r}</text>`);
  const label = `bytes from ${nodes.length} nodes to ${reduces} reduces of job ${j.id}; the most is ${bytes(most)}`;
  return html`${wide("heat map", html`<svg class="heatmap" viewBox="0 0 ${width} ${height}" width="${width}"
    height="${height}" role="img" aria-label="${label}">${nodes.map((n, row) => html`
      <text x="${left - 6}" y="${top + row * size + 14}" text-anchor="end">${h.nodes.get(n).rack} ${name(n)}</text>
      ${Array.from(byNode.get(n).slice(0, reduces), (b, r) => cell(n, b, r, row))}`)}${heads}</svg>`)}
    <p class="legend">column: a reduce; row: a node; darker: more bytes; ring: ${goal}; square: the node chosen</p>`;
}

/** The screen: the heat map of a job, and what its reduces cost. */
export function shuffleMarkup(h, id) {
  const told = (j) => j.attempts.some((a) => a.placed) || [...j.outputs.values()].some((o) => o.parts);
  const jobs = [...h.jobs.values()].filter((j) => j.tasks[1] > 0 && told(j));
  const j = jobs.find((k) => k.id === id) || jobs[0];
  if (!j) return html`<p>No reduce of this run was placed by its input, and no sizes were told.</p>`;
  const byNode = flows(h, j), nodes = byRack(h).map((n) => n.id).filter((id) => byNode.has(id)).slice(0, maxNodes);
  const all = j.tasks[1], reduces = Math.min(all, mostReduces), goal = aim(isLarts(h.state.policy));
  const list = options(jobs.map((k) => [k.id, `${k.id} ${k.name}`]), j.id);
  return html`<p><label>Job <select id="shuffle-job" data-look="shuffle">${list}</select></label></p>
    ${nodes.length ? heatMap(h, j, byNode, nodes, reduces, goal)
      : html`<p>The sizes of its maps' outputs were not told.</p>`}
    ${(byNode.size > nodes.length || all > reduces) && html`<p>Shown are ${nodes.length} of ${byNode.size} nodes and
      ${reduces} of ${all} reduces.</p>`}${costs(h, j, goal)}`;
}
