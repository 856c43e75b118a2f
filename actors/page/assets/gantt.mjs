// Bars of attempts: rows are slots by rack and node, nodes with a lane for each slot, or jobs with how many slots they
// hold. Killed and failed attempts are hatched. A part is drawn on a canvas; the same plan makes an SVG file.

import { byRack, nodeName } from "./entities.mjs";
import { html } from "./markup.mjs";
import { frame, hues, spread } from "./chart.mjs";
import { ofJob } from "./history.mjs";
import { kindName, letter, many, taskName, time } from "./words.mjs";

export const colors = { N: "#005f99", R: "#e69f00", O: "#ab3d00", A: "#5c5c5c", G: "#00634a", r: "#8fd9c0" };

/** Plans the rows of the chart: one a slot, by rack, node and kind, or one a node with its slots as lanes. */
export function rows(h, fold = "slot") {
  const at = new Map(), list = [], byNode = fold === "node";
  if (fold === "job") for (const job of h.jobs.values()) list.push({ job, name: `${job.id} ${job.name}` });
  if (fold === "job") return { fold, at, list };
  for (const node of byRack(h)) {
    const slots = node.cells.map((cells) => cells.length), lanes = slots[0] + slots[1];
    for (let lane = 0; lane < lanes; lane++) {
      const kind = lane < slots[0] ? 0 : 1, slot = lane - kind * slots[0] + 1, row = list.length;
      at.set(rowKey(node.id, kind, slot), byNode ? { row, lane, lanes } : { row, lane: 0, lanes: 1 });
      if (!byNode) list.push({ node, kind, slot, name: `${node.name} ${kind ? "r" : "m"}${slot}` });
    }
    if (byNode) list.push({ node, name: node.name });
  }
  return { fold, at, list };
}

const rowKey = (node, kind, slot) => `${node} ${kind} ${slot || 1}`;

/** Returns by row what ran there, in order of its start: an attempt, one of its segments, and the lane. */
function inRows(h, plan) {
  if (plan.inRows) return plan.inRows;
  plan.inRows = plan.list.map(() => []);
  for (const a of h.attempts) {
    for (const part of a.segments) { // an attempt may go on in another slot
      const place = plan.at.get(rowKey(a.node, a.kind, part[2]));
      if (place) plan.inRows[place.row].push([a, part, place]);
    }
  }
  for (const list of plan.inRows) list.sort((x, y) => x[1][0] - y[1][0]);
  return plan.inRows;
}

/** Returns the bars in a part of the rows and of the time. It leaves out a bar that ends less than `least` after
 * the start of the bar before it in its lane: both would share a pixel. */
export function bars(h, plan, fromRow, toRow, from, to, least = 0) {
  const out = [], all = plan.fold === "job" ? null : inRows(h, plan);
  for (let row = Math.max(0, fromRow); row < Math.min(toRow, plan.list.length); row++) {
    const shown = [];
    for (const bar of all ? all[row].map(slotBar(h)) : jobBars(h, plan.list[row].job)) {
      if (bar.to < from || bar.from > to || bar.to < shown[bar.lane] + least) continue;
      shown[bar.lane] = bar.from;
      out.push({ ...bar, row });
    }
  }
  return out;
}

const slotBar = (h) => ([a, [from, to], { lane, lanes }]) => ({
  lane, lanes, from, to: to < 0 ? h.end : to, attempt: a, job: a.job, kind: a.kind, letter: letter(a),
  hatched: a.end === "killed" || a.end === "failed",
});

/** Returns bars whose height is the number of slots that a job held, maps above reduces. */
const jobBars = (h, { id: job }) => [0, 1].flatMap((kind) => {
  const steps = h.series.get(ofJob(kind, job)) || [], most = Math.max(1, ...steps.map((s) => s[1]));
  const look = { job, kind, lane: kind, lanes: 2, letter: kind ? "G" : "N", hatched: false };
  const bar = ([from, slots], i) => ({ ...look, from, to: steps[i + 1]?.[0] ?? h.end, slots, part: slots / most });
  return steps.map(bar).filter((b) => b.slots);
});

/** The phases of a bar as parts of it, where they are told and the attempt was never suspended: "launch"
 * until it began, and "report" from its end until the JobTracker knew. */
export function phases({ attempt, from, to }) {
  const p = attempt?.phases;
  if (!p || attempt.segments.length > 1) return [];
  const list = p.start > from ? [{ name: "launch", from, to: p.start }] : [];
  let at = p.start;
  for (const name of ["wait", "read", "shuffle", "work", "commit"].filter((name) => p[name])) {
    list.push({ name, from: at, to: at += p[name] });
  }
  if (attempt.end && to > at) list.push({ name: "report", from: at, to });
  return list;
}

/** The opacity of the white that is drawn over a phase, so that it is paler than work. */
const pales = { launch: 0.65, wait: 0.65, report: 0.65, read: 0.45, shuffle: 0.45, commit: 0.3 };

/** The phases of a bar that are drawn paler than its work, within the part of it that is in sight. */
export function paleParts(bar, x, left, right) {
  const part = ({ name, from, to }) => (
    { name, pale: pales[name], from: Math.max(left, x(from)), to: Math.min(right, x(to)) });
  return phases(bar).filter((p) => p.name in pales).map(part).filter((p) => p.to > p.from);
}

export function barLabel(h, bar) {
  const a = bar.attempt, times = `${time(bar.from)} to ${time(bar.to)}`;
  if (!a) return `job ${bar.job} holds ${many(bar.slots, `${kindName(bar.kind)} slot`)}, ${times}`;
  const inside = phases(bar).map((p) => `${p.name} ${time(p.to - p.from)}`).join(", ");
  return `${taskName(a)} on ${nodeName(h, a.node)}, ${times}, ${a.end || "runs"}${inside && ` (${inside})`}`;
}

/** Returns the place of a bar in a view, and its paler parts. */
function placed(bar, view) {
  const lane = (view.rowHeight - 2) / bar.lanes, height = bar.slots ? Math.max(1, lane * bar.part) : lane;
  const x = Math.max(view.left, view.x(bar.from)), width = Math.max(view.least, view.x(bar.to) - x);
  const y = view.top + (bar.row - view.row) * view.rowHeight + 1 + bar.lane * lane + (lane - height);
  return { x, y, width, height, pale: paleParts(bar, view.x, x, x + width) };
}

/** Draws bars on a canvas, with a letter and the job where there is room. */
export function draw(context, list, view) {
  context.clearRect(0, 0, view.width, view.height);
  for (const bar of list) {
    const { x, y, width, height, pale } = placed(bar, view);
    const byJob = view.color === "job", hue = bar.job % hues.length;
    const fill = (color, from, long) => {
      context.fillStyle = color;
      context.fillRect(from, y, long, height);
    };
    fill(byJob ? hues[hue] : colors[bar.letter], x, width);
    for (const p of pale) fill(`rgba(255,255,255,${p.pale})`, p.from, p.to - p.from);
    const lettered = width > 26 && height >= 10 && bar.attempt, right = bar.hatched ? x + width : 0;
    for (let at = x + (lettered ? 26 : 2); at < right; at += 4) fill("#fff", at, Math.min(1, right - at));
    if (!lettered) continue;
    const light = byJob ? [1, 3, 4, 7].includes(hue) : /r/i.test(bar.letter); // what the letter stands on
    context.fillStyle = light || pale.some((p) => p.from < x + 20 && p.to > x + 6) ? "#000" : "#fff";
    context.fillText(`${bar.letter} ${bar.job}`, x + 3, y + height - 2, width - 4);
  }
}

/** Draws bars as dashed outlines, for the branch of a fork. */
export function outline(context, list, view) {
  context.save();
  context.setLineDash([4, 3]);
  Object.assign(context, { lineWidth: 2, strokeStyle: view.ghost });
  for (const { x, y, width, height } of list.map((bar) => placed(bar, view))) {
    context.strokeRect(x + 1, y + 1, Math.max(1, width - 2), height - 2);
  }
  context.restore();
}

/** Returns the whole chart as an SVG file; of very many bars it has the first ones. */
export function ganttSVG(h) {
  const plan = rows(h), left = 110, width = 1400, height = 20 + plan.list.length * 12, out = [];
  const { x } = frame(width, height, h.from, h.end, 1, [left, 0, 0, 0]);
  const view = { x, left, rowHeight: 12, row: 0, top: 20, least: 0.5 };
  const context = {
    fillStyle: "#000", title: "", clearRect() {},
    fillText(text, x, y) { out.push(html`<text x="${x}" y="${y}" fill="${this.fillStyle}">${text}</text>`); },
    fillRect(x, y, wide, tall) {
      out.push(html`<rect x="${x.toFixed(2)}" y="${y}" width="${wide.toFixed(2)}" height="${tall}"
        fill="${this.fillStyle}"><title>${this.title}</title></rect>`);
    },
  };
  for (const t of spread(h.from, h.end)) context.fillText(time(t), x(t), 12);
  plan.list.forEach((r, i) => context.fillText(r.name, 2, 29 + i * 12));
  for (const bar of bars(h, plan, 0, plan.list.length, h.from, h.end).slice(0, 20000)) {
    context.title = barLabel(h, bar);
    draw(context, [bar], view);
  }
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}"
    height="${height}" font-family="sans-serif" font-size="9"><rect width="${width}" height="${height}" fill="#fff"/>
    ${out}</svg>`;
}
