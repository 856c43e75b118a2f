// Which reduce gets how much from which node: a heat map, the center of gravity and the node that was
// chosen ringed, and what that costs beside the best and the mean.

import { nodeName, within } from "./entities.mjs";
import { html, options, table } from "./markup.mjs";
import { aim, bytes, isLarts, links, many, percent, worse } from "./words.mjs";

const maxNodes = 60, mostReduces = 60;

/** Bytes by node and reduce of a job, as far as they were told. */
export function flows(h, job) {
  const byNode = new Map();
  for (const o of job.outputs.values()) {
    if (!o.parts) continue;
    const row = within(byNode, o.node, () => new Float64Array(job.tasks[1]));
    o.parts.forEach((b, r) => { if (r < job.tasks[1]) row[r] += b; });
  }
  return byNode;
}

/** The least distance of any node; what is zero is left out where the mean is told. */
function best(p) { return p.best === undefined ? (p.mean ? links(0) : "–") : links(p.best); }

/** What the ring marks, by the rule of the run. */
const wanted = (h) => aim(isLarts(h.state.policy));

function costs(h, j) {
  const placed = j.attempts.filter((a) => a.kind === 1 && a.placed && a.placed.center);
  if (!placed.length) return html`<p>Nothing was known of the reduces' inputs when they were placed.</p>`;
  const sum = (f) => placed.reduce((s, a) => s + f(a.placed), 0);
  const here = sum((p) => p.here), least = sum((p) => (p.best === undefined ? Math.min(p.here, p.at_center) : p.best)), mean = sum((p) => p.mean || 0);
  return html`<p>${many(placed.length, "reduce")} ${placed.length === 1 ? "was placed by its" : "were placed by their"} input. Weighted distance (WTND) of the nodes chosen ${links(here)}, of the best ${links(least)} (${least ? `+${percent(here - least, least)}` : "–"})${
    mean ? `, of nodes by chance ${links(mean)}: ${percent(Math.abs(mean - here), mean)} ${here > mean ? "more than that" : "of that is saved"}` : ""}.</p>
${table("Reduces", ["reduce", "chosen", wanted(h), "cost chosen", "best", "mean", "why"], placed.slice(0, 200).map((a) => html`<tr data-key="${a.id}"><th scope="row"><button class="job" data-attempt="${a.id}">${a.task}</button></th><td>${a.nodeName}</td><td>${a.placed.center}</td><td>${links(a.placed.here)}</td><td>${best(a.placed)}</td><td>${a.placed.mean ? links(a.placed.mean) : "–"}</td><td>${worse(a.placed) || `${a.placed.center === a.nodeName ? "at" : "as near as"} ${wanted(h)}`}</td></tr>`))}`;
}

/** The heat map of a job. */
export function shuffleMarkup(h, id) {
  const jobs = [...h.jobs.values()].filter((k) => k.tasks[1] > 0 && (k.attempts.some((a) => a.placed) || [...k.outputs.values()].some((o) => o.parts)));
  const j = h.jobs.get(id) && jobs.includes(h.jobs.get(id)) ? h.jobs.get(id) : jobs[0];
  if (!j) return html`<p>No reduce of this run was placed by its input, and no sizes were told.</p>`;
  const name = (n) => nodeName(h, n);
  for (const a of j.attempts) a.nodeName = name(a.node);
  const byNode = flows(h, j);
  const nodes = [...byNode.keys()].sort((a, b) => a - b).slice(0, maxNodes);
  const reduces = Math.min(j.tasks[1], mostReduces);
  const last = new Map();
  for (const a of j.attempts) if (a.kind === 1) last.set(a.task, a);
  const most = Math.max(1, ...nodes.map((n) => Math.max(...byNode.get(n).slice(0, reduces))));
  const size = 16, left = 90, top = 24;
  const cells = nodes.map((n, y) => Array.from(byNode.get(n).slice(0, reduces), (b, r) => {
    const a = last.get(r);
    const center = a && a.placed && a.placed.center === name(n), chosen = a && a.node === n;
    const at = [left + r * size, top + y * size];
    return html`<g${a ? html` data-attempt="${a.id}"` : ""}><title>${name(n)} to reduce ${r}: ${bytes(b)}${center ? `, ${wanted(h)}` : ""}${chosen ? ", chosen" : ""}</title><rect class="heat" x="${at[0]}" y="${at[1]}" width="${size - 1}" height="${size - 1}" fill-opacity="${(0.05 + 0.95 * (b / most)).toFixed(3)}"/>${
      center ? html`<circle class="halo" cx="${at[0] + size / 2}" cy="${at[1] + size / 2}" r="5"/><circle class="center" cx="${at[0] + size / 2}" cy="${at[1] + size / 2}" r="5"/>` : ""}${chosen ? html`<rect class="chosen" x="${at[0] + 1}" y="${at[1] + 1}" width="${size - 3}" height="${size - 3}"/>` : ""}</g>`;
  }));
  const width = left + reduces * size + 10, height = top + nodes.length * size + 10;
  const label = `bytes from ${nodes.length} nodes to ${reduces} reduces of job ${j.id}; the most is ${bytes(most)}`;
  return html`<p><label>Job <select id="shuffle-job">${options(jobs.map((k) => [k.id, `${k.id} ${k.name}`]), j.id)}</select></label></p>
${nodes.length ? html`<div class="wide" tabindex="0" role="region" aria-label="heat map"><svg class="heatmap" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${label}">${nodes.map((n, y) => html`<text x="${left - 6}" y="${top + y * size + 12}" text-anchor="end">${name(n)}</text>`)}
${Array.from({ length: reduces }, (_, r) => (reduces > 10 && r % 5 ? "" : html`<text x="${left + r * size}" y="${top - 6}">${r}</text>`))}${cells}</svg></div><p class="legend">column: a reduce; row: a node; darker: more bytes; ring: ${wanted(h)}; square: the node chosen</p>` : html`<p>The sizes of its maps' outputs were not told.</p>`}
${byNode.size > nodes.length || j.tasks[1] > reduces ? html`<p>Shown are ${nodes.length} of ${byNode.size} nodes and ${reduces} of ${j.tasks[1]} reduces.</p>` : ""}${costs(h, j)}`;
}
