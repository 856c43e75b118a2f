// Bars of attempts: rows are slots by rack and node, or nodes with a lane for each slot, or jobs with
// how many slots they hold. Killed and failed attempts are hatched, suspensions are gaps. The page draws
// a part of it on a canvas; the same plan makes an SVG file.

import { html } from "./markup.mjs";
import { hues } from "./chart.mjs";
import { ofJob } from "./history.mjs";
import { letter, many, taskName, time } from "./words.mjs";

export const colors = { N: "#005f99", R: "#e69f00", O: "#ab3d00", A: "#5c5c5c", G: "#00634a", r: "#8fd9c0" };

/** Where each slot of a history has its row: by rack, node, kind and slot, or folded by node, each slot a lane. */
export function rows(h, fold = "slot") {
  if (fold === "job") return { fold, at: new Map(), list: [...h.jobs.values()].map((job) => ({ job, name: `${job.id} ${job.name}` })) };
  const nodes = [...h.nodes.values()].sort((a, b) => (a.rack < b.rack ? -1 : a.rack > b.rack ? 1 : a.id - b.id));
  const most = new Map();
  for (const a of h.attempts) {
    const key = a.node * 2 + a.kind;
    most.set(key, Math.max(most.get(key) || 0, ...a.segments.map((part) => part[2] || 1)));
  }
  const at = new Map(), list = [];
  for (const n of nodes) {
    const slots = [0, 1].map((k) => Math.max(n.slots[k], most.get(n.id * 2 + k) || 0)), lanes = slots[0] + slots[1];
    for (const k of [0, 1]) {
      for (let i = 1; i <= slots[k]; i++) {
        at.set(rowKey(n.id, k, i), fold === "node" ? { row: list.length, lane: (k ? slots[0] : 0) + i - 1, lanes } : { row: list.length, lane: 0, lanes: 1 });
        if (fold === "slot") list.push({ node: n, kind: k, slot: i, name: `${n.name} ${k ? "r" : "m"}${i}` });
      }
    }
    if (fold === "node") list.push({ node: n, name: n.name });
  }
  return { fold, at, list };
}

export function rowKey(node, kind, slot) { return `${node} ${kind} ${slot || 1}`; }

/** What ran in each row, in the order of its beginning: attempts, one of their segments, and its lane. */
function inRows(h, plan) {
  if (plan.inRows) return plan.inRows;
  plan.inRows = plan.list.map(() => []);
  for (const a of h.attempts) {
    for (const part of a.segments) { // an attempt may go on in another slot
      const place = plan.at.get(rowKey(a.node, a.kind, part[2]));
      if (place !== undefined) plan.inRows[place.row].push([a, part, place]);
    }
  }
  for (const list of plan.inRows) list.sort((x, y) => x[1][0] - y[1][0]);
  return plan.inRows;
}

/** The bars that show in a part of the rows and of the time. A bar that ends less than least after the
 * last that is shown of its lane began is left out: it would be drawn over that, within a pixel. */
export function bars(h, plan, fromRow, toRow, from, to, least = 0) {
  const out = [];
  if (plan.fold === "job") return jobBars(h, plan, fromRow, toRow, from, to, least);
  const of = inRows(h, plan);
  for (let row = Math.max(0, fromRow); row < Math.min(toRow, of.length); row++) {
    const shown = [];
    for (const [a, [b, e], { lane, lanes }] of of[row]) {
      if (b > to) break;
      const end = e < 0 ? h.end : e;
      if (end < from || end < shown[lane] + least) continue;
      shown[lane] = b;
      out.push({ row, lane, lanes, from: b, to: end, attempt: a, job: a.job, kind: a.kind, letter: letter(a), hatched: a.end === "killed" || a.end === "failed" });
    }
  }
  return out;
}

/** How many slots jobs held: bars that are the higher the more, maps above reduces. */
function jobBars(h, plan, fromRow, toRow, from, to, least) {
  const out = [];
  for (let row = Math.max(0, fromRow); row < Math.min(toRow, plan.list.length); row++) {
    const { job } = plan.list[row];
    for (const k of [0, 1]) {
      const steps = h.series.get(ofJob(k, job.id)) || [], most = Math.max(1, ...steps.map((s) => s[1]));
      let last = -Infinity;
      steps.forEach(([at, n], i) => {
        const end = i + 1 < steps.length ? steps[i + 1][0] : h.end;
        if (!n || end < from || at > to || end < last + least) return;
        last = at;
        out.push({ row, lane: k, lanes: 2, from: at, to: end, job: job.id, kind: k, slots: n, part: n / most, letter: k ? "G" : "N", hatched: false });
      });
    }
  }
  return out;
}

/** The phases of a bar as parts of it, where they are told and the attempt was never suspended: "launch"
 * until it began, and "report" from its end until the JobTracker knew. */
export function phases(bar) {
  const p = bar.attempt && bar.attempt.phases;
  if (!p || bar.attempt.segments.length > 1) return [];
  const list = p.start > bar.from ? [{ name: "launch", from: bar.from, to: p.start }] : [];
  let at = p.start;
  for (const name of ["wait", "read", "shuffle", "work", "commit"]) {
    if (p[name]) list.push({ name, from: at, to: at + p[name] });
    at += p[name] || 0;
  }
  if (bar.attempt.end && bar.to > at) list.push({ name: "report", from: at, to: bar.to });
  return list;
}

/** The phases of a bar that are drawn paler than its work, within the part of it that is in sight. */
export function paleParts(bar, x, left, right) {
  return phases(bar).filter((p) => p.name !== "work")
    .map((p) => ({ name: p.name, pale: ["launch", "wait", "report"].includes(p.name) ? 0.65 : p.name === "commit" ? 0.3 : 0.45, from: Math.max(left, x(p.from)), to: Math.min(right, x(p.to)) }))
    .filter((p) => p.to > p.from);
}

/** What a bar is, in words. */
export function barLabel(h, bar) {
  const a = bar.attempt;
  if (!a) return `job ${bar.job} holds ${many(bar.slots, `${bar.kind ? "reduce" : "map"} slot`)}, ${time(bar.from)} to ${time(bar.to)}`;
  const node = h.nodes.get(a.node);
  const inside = phases(bar).map((p) => `${p.name} ${time(p.to - p.from)}`).join(", ");
  return `${taskName(a)} on ${node ? node.name : a.node}, ${time(bar.from)} to ${time(bar.to)}, ${a.end || "runs"}${inside ? ` (${inside})` : ""}`;
}

/** The color of a bar, by locality or by job. */
const colorOf = (bar, by) => (by === "job" ? hues[bar.job % hues.length] : colors[bar.letter]);

/** Draws a part of the bars on a canvas. */
export function draw(context, size, list, view) {
  const { width, height } = size;
  context.clearRect(0, 0, width, height);
  const x = (t) => view.left + ((t - view.from) / Math.max(1, view.to - view.from)) * (width - view.left);
  for (const bar of list) {
    const lane = (view.rowHeight - 2) / bar.lanes, tall = bar.part === undefined ? lane : Math.max(1, lane * bar.part);
    const y = (bar.row - view.row) * view.rowHeight + 1 + bar.lane * lane + (lane - tall);
    const a = Math.max(view.left, x(bar.from)), w = Math.max(1, x(bar.to) - a);
    context.fillStyle = colorOf(bar, view.color);
    context.fillRect(a, y, w, tall);
    let light = view.color === "job" ? [1, 3, 4, 7].includes(bar.job % hues.length) : bar.letter === "R" || bar.letter === "r"; // what the letter stands on
    for (const p of paleParts(bar, x, a, a + w)) {
      context.fillStyle = `rgba(255,255,255,${p.pale})`;
      context.fillRect(p.from, y, p.to - p.from, tall);
      if (p.from < a + 20 && p.to > a + 6) light = true;
    }
    if (bar.hatched) hatch(context, a, y, w, tall);
    if (w > 26 && tall >= 10 && bar.attempt) {
      context.fillStyle = light ? "#000" : "#fff";
      context.fillText(`${bar.letter} ${bar.job}`, a + 3, y + tall - 2, w - 4);
    }
  }
}

/** Draws bars as dashed outlines: those of a branch. */
export function outline(context, width, list, view) {
  const x = (t) => Math.min(width, view.left + (Math.max(0, t - view.from) / Math.max(1, view.to - view.from)) * (width - view.left));
  const tall = view.rowHeight - 2;
  context.save();
  context.setLineDash([4, 3]);
  context.lineWidth = 2;
  context.strokeStyle = view.ghost;
  for (const b of list) context.strokeRect(x(b.from) + 1, (b.row - view.row) * view.rowHeight + 2 + (b.lane * tall) / b.lanes, Math.max(1, x(b.to) - x(b.from) - 2), tall / b.lanes - 2);
  context.restore();
}

function hatch(context, x, y, w, h) {
  context.save();
  context.beginPath();
  context.rect(x, y, w, h);
  context.clip();
  context.strokeStyle = "#fff";
  context.beginPath();
  for (let d = -h; d < w; d += 5) {
    context.moveTo(x + d, y + h);
    context.lineTo(x + d + h, y);
  }
  context.stroke();
  context.restore();
}

/** All of it as an SVG file; of very many bars the first. */
export function ganttSVG(h) {
  const plan = rows(h), left = 110, width = 1400, rowHeight = 12, top = 20;
  const x = (t) => left + (Math.max(0, t - h.from) / Math.max(1, h.end - h.from)) * (width - left);
  const list = bars(h, plan, 0, plan.list.length, h.from, h.end).slice(0, 20000);
  const height = top + plan.list.length * rowHeight;
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="9"><rect width="${width}" height="${height}" fill="#fff"/>
<defs><pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><line x1="0" y1="0" x2="0" y2="5" stroke="#fff" stroke-width="2"/></pattern></defs>
${[0, 0.25, 0.5, 0.75, 1].map((q) => html`<text x="${x(h.from + q * (h.end - h.from))}" y="12">${time(h.from + q * (h.end - h.from))}</text>`)}
${plan.list.map((r, i) => html`<text x="2" y="${top + i * rowHeight + 9}">${r.name}</text>`)}
${list.map((b) => html`<g><title>${barLabel(h, b)}</title><rect x="${x(b.from).toFixed(2)}" y="${top + b.row * rowHeight + 1}" width="${Math.max(0.5, x(b.to) - x(b.from)).toFixed(2)}" height="${rowHeight - 2}" fill="${colors[b.letter]}"/>${
  paleParts(b, x, x(b.from), x(b.to)).map((p) => html`<rect x="${p.from.toFixed(2)}" y="${top + b.row * rowHeight + 1}" width="${(p.to - p.from).toFixed(2)}" height="${rowHeight - 2}" fill="#fff" fill-opacity="${p.pale}"/>`)}${
  b.hatched ? html`<rect x="${x(b.from).toFixed(2)}" y="${top + b.row * rowHeight + 1}" width="${Math.max(0.5, x(b.to) - x(b.from)).toFixed(2)}" height="${rowHeight - 2}" fill="url(#hatch)"/>` : ""}</g>`)}</svg>`;
}
