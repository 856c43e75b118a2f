// Draws docs/wait.svg, the README's picture: a wait of a simulated run, staged as the page stages it, as an
// SVG that moves by itself. Its argument is the file of the run's events; see picture.sh.

import { readFileSync } from "node:fs";
import { parseLines } from "../../actors/page/assets/events.mjs";
import { colors } from "../../actors/page/assets/gantt.mjs";
import { html } from "../../actors/page/assets/markup.mjs";
import { caption, nextWait } from "../../actors/page/assets/stage.mjs";
import { newHistory, record } from "../../actors/page/assets/state.mjs";
import { letter } from "../../actors/page/assets/words.mjs";

const events = parseLines(readFileSync(process.argv[2], "utf8")), h = events.reduce(record, newHistory());
const job = [...h.jobs.values()].find((j) => j.name === "short");

/** The first wait of the short job in which another job takes the slot, and that ends on a node with its data. */
let wait = null;
for (let at = job.submitted - 1, tries = 0; tries < 50; tries++) {
  const w = nextWait(events, at);
  if (w.skip.job === job.id && w.taken && w.launch.locality === "node-local" && w.launch.at - w.skip.at > 5e8) { wait = w; break; }
  at = w.skip.at;
}
if (!wait) throw new Error(`${process.argv[2]}: job ${job.id} has no wait to be drawn`);

// When the picture shows what, in seconds of it: the moment at which the slot frees is held.
const before = 2, held = 5, launched = 10, all = 14, lead = wait.launch.at - wait.skip.at;
const part = (t, from, to, a, b) => a + ((b - a) * Math.min(1, Math.max(0, (t - from) / (to - from))));
const show = (t, begins) => {
  if (t < wait.skip.at) return part(t, wait.skip.at - lead, wait.skip.at, 0, before);
  if (t === wait.skip.at) return begins ? held : before;
  if (t < wait.launch.at) return part(t, wait.skip.at, wait.launch.at, held, launched);
  return part(t, wait.launch.at, wait.launch.at + lead, launched, all);
};

const slot = { wide: 46, tall: 30, gap: 6 }, nodes = [...h.nodes.values()], racks = [...new Set(nodes.map((n) => n.rack))];
const column = 370, top = 62, rowTall = slot.tall + 14, width = column * racks.length, height = top + rowTall * (nodes.length / racks.length) + 18;
const place = (node, i) => {
  const n = h.nodes.get(node), rack = racks.indexOf(n.rack), row = nodes.filter((m) => m.rack === n.rack).indexOf(n);
  return [rack * column + 90 + i * (slot.wide + slot.gap), top + row * rowTall];
};

/** What is there from one second of the picture to another. */
const during = (from, to, what) => html`<g visibility="hidden">${what}<animate attributeName="visibility" dur="${all}s" repeatCount="indefinite" calcMode="discrete" values="${from > 0 ? "hidden;visible;hidden" : "visible;visible;hidden"}" keyTimes="0;${Math.max(1e-4, from / all).toFixed(4)};${Math.min(0.9999, to / all).toFixed(4)}"/></g>`;

const tasks = h.attempts.filter((a) => a.kind === 0).map((a) => ({ a, from: show(a.start, true), to: show(a.over, false) })).filter(({ from, to }) => to > 0 && from < all && to > from);
const boxes = tasks.map(({ a, from, to }) => {
  const [x, y] = place(a.node, a.slot - 1), mine = a.job === job.id;
  return during(from, to, html`<rect x="${x}" y="${y}" width="${slot.wide}" height="${slot.tall}" rx="5" fill="${mine ? "#c2417f" : colors[letter(a)]}"/><text class="on" x="${x + slot.wide / 2}" y="${y + 20}">job ${a.job}</text>`);
});

const freed = place(wait.skip.node, wait.taken.slot - 1).map((v, i) => v + [slot.wide, slot.tall][i] / 2), goal = place(wait.launch.node, wait.launch.slot - 1).map((v, i) => v + [slot.wide, slot.tall][i] / 2);
const says = [[0, before, wait.skip.at - 1], [before, held, wait.skip.at], [held, launched, wait.taken.at + 1], [launched, all, wait.launch.at]].map(([from, to, at]) => {
  const text = from === before ? caption({ ...wait, taken: null }, at) : caption(wait, at);
  return during(from, to, html`<text class="says" x="12" y="26">${text.replace(/; at most.*?more/, "")}</text>`);
});

process.stdout.write(html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="A job lets a slot without its data pass, another job takes it, and soon the job starts on a node with its data">
<style>text { font: 13px system-ui, sans-serif; fill: #566171 } .says { font-size: 17px; fill: #1b2430 } .on { fill: #fff; font-weight: 600; font-size: 12px; text-anchor: middle } .slot { fill: none; stroke: #b6bfc9 } .wait { fill: none; stroke: #c2417f; stroke-width: 3 } .to { stroke-dasharray: 5 5; stroke-width: 2 }
@media (prefers-color-scheme: dark) { text { fill: #a3afbb } .says { fill: #e5e9ee } .on { fill: #fff } .slot { stroke: #4a5560 } .wait { stroke: #ff8ac0 } }</style>
${says}
${racks.map((r, i) => html`<text x="${i * column + 12}" y="50">rack ${r}</text>`)}
${nodes.map((n) => html`<text x="${place(n.id, 0)[0] - 78}" y="${place(n.id, 0)[1] + 20}">${n.name}</text>${Array.from({ length: n.slots[0] }, (_, i) => html`<rect class="slot" x="${place(n.id, i)[0]}" y="${place(n.id, i)[1]}" width="${slot.wide}" height="${slot.tall}" rx="5"/>`)}`)}
${boxes}
${during(before, launched, html`<line class="wait to" x1="${freed[0]}" y1="${freed[1]}" x2="${goal[0]}" y2="${goal[1]}"/><circle class="wait" cx="${freed[0]}" cy="${freed[1]}" r="27" pathLength="1" stroke-dasharray="1 1" transform="rotate(-90 ${freed.join(" ")})"><animate attributeName="stroke-dashoffset" dur="${all}s" repeatCount="indefinite" values="0;0;-1;-1" keyTimes="0;${before / all};${launched / all};1"/></circle>`)}
${during(launched, all, html`<rect class="wait" x="${goal[0] - slot.wide / 2 - 4}" y="${goal[1] - slot.tall / 2 - 4}" width="${slot.wide + 8}" height="${slot.tall + 8}" rx="8"/>`)}
</svg>
`.toString());
