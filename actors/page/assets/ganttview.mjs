// The Gantt screen in the document: a canvas that shows the part of the rows that is scrolled to, and
// of the time that is zoomed to (wheel with Ctrl, or dragging; a double click shows all).

import { bars, barLabel, draw, outline, rows } from "./gantt.mjs";
import { ghosts } from "./fork.mjs";
import { html, options, show } from "./markup.mjs";
import { hues } from "./chart.mjs";
import { letterKeys } from "./cluster.mjs";
import { time } from "./words.mjs";

const rowHeight = 14, left = 96;

function parts(to, x) {
  if (to.parts) return to.parts;
  const select = (id, text, list) => html`<label>${text} <select id="${id}">${options(list)}</select></label> `;
  to.innerHTML = `<div class="bar">${select("gantt-fold", "A row for each of the", [["slot", "slots"], ["node", "nodes"], ["job", "jobs"]])}${select("gantt-color", "Colors by", ["locality", "job"])}<details><summary>How to read and move it</summary>Drag to zoom, double click for all; + and - zoom to the time of the page, arrows move. Hatched: killed or failed; gaps: suspended; palest: launched but not begun, waits for a turn to compute, or its end is not told yet; pale: reads or fetches; nearly full: commits.</details></div><p class="legend"></p><div class="times" aria-hidden="true"><span></span><span></span><span></span><span></span><span></span></div><div class="gantt" tabindex="0" role="img"><div class="tall"></div><canvas></canvas></div><p class="at" role="status"></p>`;
  const box = to.querySelector(".gantt");
  const at = { box, tall: box.firstElementChild, canvas: box.lastElementChild, words: to.lastElementChild, from: 0, to: 0, plan: null, known: 0, fold: "slot", color: "locality" };
  const again = () => paint(at, x.p, x.fork && x.fork.side === x.side ? x.fork : null);
  to.parts = Object.assign(at, { again });
  box.addEventListener("scroll", again);
  new ResizeObserver(again).observe(box);
  const timeAt = (e) => at.from + ((e.offsetX - left) / (at.canvas.clientWidth - left)) * (at.to - at.from);
  const barAt = (e) => {
    const row = Math.floor((e.offsetY + box.scrollTop) / rowHeight), t = timeAt(e);
    const lane = (b) => Math.floor(((e.offsetY + box.scrollTop - row * rowHeight) / rowHeight) * b.lanes);
    const list = bars(x.p.history, at.plan, row, row + 1, t, t);
    return list.filter((b) => b.lane === lane(b)).pop() || list.pop();
  };
  const legend = () => show(to.querySelector(".legend"), at.color === "job" ? html`${hues.map((_, i) => html`<span><b class="slot hue-${i}">${i}</b></span>`)} <span>the number of the job, by its remainder of ${hues.length}</span>`
    : at.fold === "job" ? html`<span><b class="slot gantt-N">N</b> map slots held</span> <span><b class="slot gantt-G">G</b> reduce slots held, the higher the more</span>` : letterKeys(x.p.history.state, "gantt"));
  legend();
  to.addEventListener("change", (e) => {
    if (e.target.id === "gantt-fold") Object.assign(at, { fold: e.target.value, plan: null });
    if (e.target.id === "gantt-color") at.color = e.target.value;
    legend();
    again();
  });
  const zoom = (middle, width) => {
    const all = x.p.history, from = Math.max(all.from, Math.min(middle - width / 2, all.end - width));
    Object.assign(at, { from, to: from + width, zoomed: width < all.end - all.from });
    again();
  };
  box.addEventListener("keydown", (e) => {
    const width = at.to - at.from, middle = (at.from + at.to) / 2;
    const to = { "+": [x.p.time, width / 2], "=": [x.p.time, width / 2], "-": [middle, width * 2], ArrowLeft: [middle - width / 4, width], ArrowRight: [middle + width / 4, width] }[e.key];
    if (!to) return;
    zoom(...to);
    e.preventDefault();
  });
  at.canvas.addEventListener("pointerdown", (e) => { at.drag = timeAt(e); });
  at.canvas.addEventListener("pointermove", (e) => {
    const bar = barAt(e);
    at.words.textContent = bar ? barLabel(x.p.history, bar) : time(timeAt(e));
  });
  at.canvas.addEventListener("pointerup", (e) => {
    const a = at.drag, b = timeAt(e), width = at.to - at.from;
    at.drag = undefined;
    if (a !== undefined && Math.abs(a - b) > width / 50) {
      Object.assign(at, { from: Math.max(0, Math.min(a, b)), to: Math.max(a, b), zoomed: true });
      again();
      return;
    }
    const bar = barAt(e);
    if (bar) x.choose(bar.attempt ? { job: bar.job, attempt: bar.attempt.id } : { job: bar.job });
  });
  at.canvas.addEventListener("dblclick", () => { at.zoomed = false; again(); });
  return at;
}

/** Draws what is in sight. */
function paint(at, p, fork) {
  const h = p.history;
  if (!at.plan || at.known !== h.end || at.of !== h) {
    at.plan = rows(h, at.fold);
    Object.assign(at, { known: h.end, of: h });
    at.tall.style.height = `${at.plan.list.length * rowHeight}px`;
    at.box.setAttribute("aria-label", `${h.attempts.length} attempts in ${at.plan.list.length} rows over ${time(h.end - h.from)}`);
  }
  if (fork && fork.branch && at.fork !== fork) {
    const { fork: of, waited } = fork.branch, place = at.plan.list.findIndex((r) => r.node && r.node.name === fork.branch.node_name && (r.kind ?? of.kind) === of.kind);
    Object.assign(at, { fork, from: Math.max(h.from, of.at - 2 * waited - 5e9), to: Math.min(h.end, of.at + 8 * waited + 20e9), zoomed: true });
    at.box.scrollTop = (place - 4) * rowHeight;
  }
  if (!at.zoomed) Object.assign(at, { from: h.from, to: Math.max(h.from + 1, h.end) });
  [...at.box.previousElementSibling.children].forEach((label, i) => { label.textContent = time(at.from + (i / 4) * (at.to - at.from)); });
  const width = at.box.clientWidth, height = at.box.clientHeight, scale = window.devicePixelRatio || 1;
  if (at.canvas.width !== Math.round(width * scale)) at.canvas.width = width * scale; // which takes time
  if (at.canvas.height !== Math.round(height * scale)) at.canvas.height = height * scale;
  at.canvas.style.width = `${width}px`;
  at.canvas.style.height = `${height}px`;
  const context = at.canvas.getContext("2d");
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.font = "11px system-ui, sans-serif";
  const row = at.box.scrollTop / rowHeight, last = Math.min(at.plan.list.length, row + height / rowHeight + 1);
  const view = { row, rowHeight, left, from: at.from, to: at.to, color: at.color, ghost: getComputedStyle(at.box).getPropertyValue("--glow") };
  draw(context, { width, height }, bars(h, at.plan, Math.floor(row), last, at.from, at.to, (at.to - at.from) / (width - left)), view);
  context.fillStyle = getComputedStyle(at.box).color;
  for (let i = Math.floor(row); i < last; i++) context.fillText(at.plan.list[i].name, 2, (i - row) * rowHeight + 11, left - 4);
  if (fork && fork.history && at.fold !== "job") {
    outline(context, width, ghosts(fork, at.plan, (of, plan) => bars(of, plan, Math.floor(row), last, at.from, at.to)), view);
  }
  const x = left + ((p.time - at.from) / (at.to - at.from)) * (width - left);
  if (x >= left) context.fillRect(x, 0, 1, height);
}

/** Draws the Gantt chart of a player. */
export function ganttScreen(to, x) { parts(to, x).again(); }
