// The first screen: the state in a sentence, the cluster, the last minute of the shares with a brush
// over the whole run, and the decisions that matter. It fits one screen, whatever the cluster.

import { html, show, showList } from "./markup.mjs";
import { legend, nodeMarkup, racks, waitLines } from "./cluster.mjs";
import { groupsMarkup, mattering } from "./decisions.mjs";
import { brushMarkup, sharesMarkup } from "./shares.mjs";
import { caption, leftOf } from "./stage.mjs";
import { gravityCaption, gravityMarkup } from "./gravity.mjs";
import { time } from "./words.mjs";

function parts(to, x) {
  if (to.parts) return to.parts;
  to.innerHTML = `<section class="cluster" aria-label="Cluster"><div class="racks"></div><svg class="overlay" aria-hidden="true"></svg><p class="caption" role="status"></p><div class="legendbox"></div></section>
<section class="matter" aria-label="Decisions that matter"></section><section class="over" aria-label="Slots over time"><div class="picture"></div><div class="brush"></div></section>`;
  const [cluster, matter, over] = to.children;
  brush(over.lastElementChild, x);
  to.parts = { cluster, list: cluster.firstElementChild, overlay: cluster.children[1], caption: cluster.children[2], legend: cluster.lastElementChild, matter, over: over.firstElementChild, brush: over.lastElementChild };
  return to.parts;
}

/** The part of the run that the picture shows: the last minute, or more of a long run that is over. */
export function windowOf(p, span) {
  const h = p.history, width = span || (p.live ? 60e9 : Math.max(60e9, (h.end - h.from) / 8));
  const to = Math.max(h.from + 1, Math.min(h.end, Math.max(p.time, h.from + width)));
  return [Math.max(h.from, to - width), to];
}

/** Makes the strip below the picture a brush: a click goes to its time, a drag chooses what the picture shows. */
function brush(box, x) {
  let from = -1;
  const at = (e) => {
    const svg = box.querySelector("svg"), h = x.p.history;
    if (!svg) return h.from;
    const r = svg.getBoundingClientRect(), part = Math.max(0, Math.min(1, (e.clientX - r.left) / r.width));
    return h.from + part * (h.end - h.from);
  };
  box.addEventListener("pointerdown", (e) => { from = at(e); });
  box.addEventListener("pointerup", (e) => {
    const to = at(e), h = x.p.history;
    if (from < 0) return;
    if (Math.abs(to - from) > (h.end - h.from) / 100) x.look.span = Math.abs(to - from);
    x.goTo(Math.max(from, to));
    from = -1;
  });
}

/** Draws the nodes of a state into a box, only those that have changed. */
export function drawCluster(list, s) {
  const { density, racks: all } = racks(s);
  list.className = `racks d${density}${s.nodes.size <= 250 ? " few" : ""}`;
  showList(list, all.map((r) => ({ key: r.name, name: "rack", markup: () => html`<h2>${r.name} <small>${r.nodes.length}</small></h2><div class="nodes"></div>` })));
  all.forEach((r, i) => showList(list.children[i].lastElementChild, r.nodes.map((n) => (
    { key: n.id, name: `node${n.live ? "" : " gone"}`, of: n, version: `${n.version} ${density}`, markup: () => nodeMarkup(s, n, density) }))));
}

/** Draws the screen. */
export function overviewScreen(to, x) {
  const at = parts(to, x), { p, look } = x;
  if (!p.state.nodes.size) return show(at.matter, html`<h2>Decisions that matter</h2><p class="empty">No node has joined yet.</p>`);
  drawCluster(at.list, p.state);
  show(at.legend, legend(p.history.state));
  const staged = x.wait && x.wait.reduce ? x.wait : null;
  lines(at.overlay, at.cluster, p.state, staged ? null : x.wait);
  show(at.caption, html`${staged ? gravityCaption(p.history, staged, p.time) : x.wait ? caption(x.wait, p.time) : ""}`);
  show(at.matter, html`<h2>Decisions that matter <button class="quiet" data-all="">all</button> <button class="quiet" data-stage="">watch a wait</button>${p.history.attempts.some((a) => a.kind === 1 && a.placed && a.placed.center) ? html` <button class="quiet" data-stage="gravity">watch a center of gravity</button>` : ""}</h2>${groupsMarkup(mattering(p.state.recent, 3))}`);
  const size = [Math.max(280, at.over.clientWidth), Math.max(116, Math.min(440, at.over.clientHeight - 92))];
  if (staged) {
    at.end = -1;
    return show(at.over, html`<h2>What reduce ${staged.reduce.task} of job ${staged.reduce.job} fetches, by node</h2>${gravityMarkup(p.history, staged, p.time, ...size)}<p class="legend">disc: output of maps; ring: the center; square: the slot taken; lines: what crosses to the center</p>`);
  }
  const [from, until] = windowOf(p, look.span);
  if (at.end === p.history.end && at.pool === look.pool && at.span === look.span && p.playing && Math.abs((at.time || 0) - p.time) < (until - from) / 200) return undefined;
  Object.assign(at, { end: p.history.end, pool: look.pool, time: p.time, span: look.span });
  show(at.over, html`<h2>Map slots ${p.live ? `in the last ${time(until - from)}` : `from ${time(from)} to ${time(until)}`}${look.span ? html` <button class="quiet" data-span="">as at first</button>` : ""}</h2>${sharesMarkup(p.history, 0, look.pool, p.time, "", { from, to: until, width: size[0], height: size[1] })}`);
  return show(at.brush, brushMarkup(p.history, p.time, [from, until]));
}

/** Lines from waiting slots to the nodes that have what their jobs wait for, and rings that run down with the waits. */
function lines(overlay, to, s, staged) {
  const box = to.getBoundingClientRect(), find = (id) => to.querySelector(`.node[data-key="${id}"]`);
  const middle = (r) => [r.left + r.width / 2 - box.left, r.top + r.height / 2 - box.top].map((v) => v.toFixed(0));
  const all = waitLines(s);
  if (staged && s.now >= staged.skip.at && s.now < staged.launch.at) all.push({ from: staged.skip.node, to: staged.launch.node, kind: staged.skip.kind || 0, job: staged.skip.job, wait: staged.skip });
  const list = all.map((l) => {
    const from = find(l.from), target = find(l.to);
    if (!from || !target) return "";
    const slot = (from.querySelector(`.k${l.kind}.waits`) || from.querySelector(`.k${l.kind}`) || from).getBoundingClientRect(), left = leftOf(l.wait, s.now);
    const [x1, y1] = middle(slot), [x2, y2] = middle(target.getBoundingClientRect());
    return html`<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}"/><circle class="end" cx="${x2}" cy="${y2}" r="4"/><circle class="ring" cx="${x1}" cy="${y1}" r="${Math.max(10, slot.height / 2 + 4).toFixed(0)}" pathLength="1" stroke-dasharray="${left.toFixed(3)} 1" transform="rotate(-90 ${x1} ${y1})"/>`;
  });
  show(overlay, html`${list}`);
}
