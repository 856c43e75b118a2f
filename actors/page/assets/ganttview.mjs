// The Gantt chart in the document: a canvas that shows the part of the rows that is scrolled to, and
// of the time that is zoomed to (wheel with Ctrl, or dragging; a double click shows all).

import { bars, barLabel, draw, outline, rows } from "./gantt.mjs";
import { ghosts } from "./fork.mjs";
import { html, show } from "./markup.mjs";
import { frame, hues, key, spread } from "./chart.mjs";
import { letterKeys } from "./cluster.mjs";
import { time } from "./words.mjs";

const rowHeight = 14, left = 96;

export function ganttScreen(to, x) {
  to.at ||= begin(to, x);
  paint(to.at, x);
}

/** Returns the view of the chart, from when to when, and connects what changes it: wheel, drag, double click. */
function begin(to, x) {
  const [, legend, times, box, words] = to.children, [tall, canvas] = box.children;
  const at = { legend, times, box, tall, canvas, from: 0, to: 0, zoomed: false, plan: null, known: 0 };
  const again = () => paint(at, x);
  const zoom = (from, to) => {
    const h = x.p.history, width = to - from, first = Math.max(h.from, Math.min(from, h.end - width));
    Object.assign(at, { from: first, to: first + width, zoomed: width < h.end - h.from });
    again();
  };
  const timeAt = (e) => at.from + ((e.offsetX - left) / (canvas.clientWidth - left)) * (at.to - at.from);
  const barAt = (e) => {
    const y = (e.offsetY + box.scrollTop) / rowHeight, row = Math.floor(y), t = timeAt(e);
    const list = bars(x.p.history, at.plan, row, row + 1, t, t);
    return list.findLast((b) => b.lane === Math.floor((y - row) * b.lanes)) || list.at(-1);
  };
  let drag;
  new ResizeObserver(again).observe(box);
  box.onscroll = again;
  box.onkeydown = (e) => {
    const width = at.to - at.from, around = (middle, wide) => [middle - wide / 2, middle + wide / 2];
    const closer = around(x.p.time, width / 2), wider = around(at.from + width / 2, width * 2), step = width / 4;
    const part = {
      "+": closer, "=": closer, "-": wider, ArrowLeft: [at.from - step, at.to - step],
      ArrowRight: [at.from + step, at.to + step],
    }[e.key];
    if (!part) return;
    zoom(...part);
    e.preventDefault();
  };
  canvas.onpointerdown = (e) => { drag = timeAt(e); };
  canvas.onpointermove = (e) => {
    const bar = barAt(e);
    words.textContent = bar ? barLabel(x.p.history, bar) : time(timeAt(e));
  };
  canvas.onpointerup = (e) => {
    const a = drag, b = timeAt(e), bar = barAt(e);
    drag = undefined;
    if (Math.abs(a - b) > (at.to - at.from) / 50) zoom(Math.max(0, Math.min(a, b)), Math.max(a, b));
    else if (bar) x.choose(bar.attempt ? { job: bar.job, attempt: bar.attempt.id } : { job: bar.job });
  };
  canvas.ondblclick = () => { at.zoomed = false; again(); };
  return at;
}

function legendMarkup(s, { color, fold }) {
  const sign = (hue) => key(html`<rect width="10" height="10" fill="${hue}"/>`);
  if (color === "job") return html`${hues.map((hue, i) => html`<span>${sign(hue)} ${i}</span>`)}
    <span>the number of the job, by its remainder of ${hues.length}</span>`;
  if (fold !== "job") return letterKeys(s);
  return html`<span><b class="slot is-N">N</b> map slots held</span>
    <span><b class="slot is-G">G</b> reduce slots held, the higher the more</span>`;
}

/** Scrolls once to where the branch of a fork leaves the run. */
function showBranch(at, h, f) {
  const { fork: { at: moment, kind }, waited, node_name: node } = f.branch;
  const row = at.plan.list.findIndex((r) => r.node?.name === node && (r.kind ?? kind) === kind);
  const from = Math.max(h.from, moment - 2 * waited - 5e9), to = Math.min(h.end, moment + 8 * waited + 20e9);
  Object.assign(at, { from, to, zoomed: true, fork: f });
  at.box.scrollTop = (row - 4) * rowHeight;
}

/** Draws the part of the chart that is in sight. */
function paint(at, x) {
  const { p, look } = x, h = p.history, { box, canvas } = at, fork = x.fork?.side === x.side ? x.fork : null;
  if (at.known !== h.end || at.of !== h || at.plan.fold !== look.fold) {
    Object.assign(at, { plan: rows(h, look.fold), known: h.end, of: h });
    at.tall.style.height = `${at.plan.list.length * rowHeight}px`;
    const label = `${h.attempts.length} attempts in ${at.plan.list.length} rows over ${time(h.end - h.from)}`;
    box.setAttribute("aria-label", label);
  }
  if (fork?.branch && at.fork !== fork) showBranch(at, h, fork);
  if (!at.zoomed) Object.assign(at, { from: h.from, to: Math.max(h.from + 1, h.end) });
  show(at.times, html`${spread(at.from, at.to).map((t) => html`<span>${time(t)}</span>`)}`);
  show(at.legend, legendMarkup(h.state, look));
  const { clientWidth: width, clientHeight: height } = box, ratio = window.devicePixelRatio || 1;
  for (const [side, size] of Object.entries({ width, height })) { // setting them takes time
    if (canvas[side] !== Math.round(size * ratio)) canvas[side] = size * ratio;
    canvas.style[side] = `${size}px`;
  }
  const context = canvas.getContext("2d"), style = getComputedStyle(box), row = box.scrollTop / rowHeight;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.font = "11px system-ui, sans-serif";
  const first = Math.floor(row), last = Math.min(at.plan.list.length, row + height / rowHeight + 1);
  const f = frame(width, height, at.from, at.to, 1, [left, 0, 0, 0]), ghost = style.getPropertyValue("--glow");
  const view = { ...f, left, row, rowHeight, top: 0, least: 1, color: look.color, ghost };
  const inSight = (of, plan) => bars(of, plan, first, last, at.from, at.to, (at.to - at.from) / (width - left));
  draw(context, inSight(h, at.plan), view);
  context.fillStyle = style.color;
  for (let i = first; i < last; i++) context.fillText(at.plan.list[i].name, 2, (i - row) * rowHeight + 11, left - 4);
  if (fork?.history && look.fold !== "job") outline(context, ghosts(fork, at.plan, inSight), view);
  if (f.x(p.time) >= left) context.fillRect(f.x(p.time), 0, 1, height);
}
