// The first screen: the state in a sentence, the cluster, the last minute of the shares with a brush
// over the whole run, and the decisions that matter. It fits one screen, whatever the cluster.

import { html, show } from "./markup.mjs";
import { drawCluster, legend, waitLines } from "./cluster.mjs";
import { groupsMarkup, mattering } from "./why.mjs";
import { brushMarkup, sharesMarkup } from "./shares.mjs";
import { caption, gravityCaption, gravityMarkup, leftOf } from "./stage.mjs";
import { time } from "./words.mjs";

/** Returns the part of the run that the picture shows: the last minute, or more of a long run that is over. */
function windowOf(p, span) {
  const h = p.history, width = span || (p.live ? 60e9 : Math.max(60e9, (h.end - h.from) / 8));
  const to = Math.max(h.from + 1, Math.min(h.end, Math.max(p.time, h.from + width)));
  return [Math.max(h.from, to - width), to];
}

/** Makes the strip below the picture a brush: a click goes to its time, a drag chooses what the picture shows. */
function brush(box, x) {
  const at = (e) => {
    const h = x.p.history, r = box.firstElementChild.getBoundingClientRect();
    return h.from + Math.max(0, Math.min(1, (e.clientX - r.left) / r.width)) * (h.end - h.from);
  };
  box.onpointerdown = (e) => { box.from = at(e); };
  box.onpointerup = (e) => {
    const { from } = box, to = at(e), h = x.p.history;
    if (from === undefined) return;
    box.from = undefined;
    if (Math.abs(to - from) > (h.end - h.from) / 100) x.look.span = Math.abs(to - from);
    x.goTo(Math.max(from, to));
  };
}

export function overviewScreen(to, x) {
  const [cluster, matter, over] = to.children, { p } = x, list = matter.lastElementChild;
  if (!p.state.nodes.size) return show(list, html`<p class="empty">No node has joined yet.</p>`);
  const [racks, overlay, words, key] = cluster.children, staged = x.wait?.reduce && x.wait;
  drawCluster(racks, p.state);
  show(key, legend(p.history.state));
  lines(overlay, cluster, p.state, staged ? null : x.wait);
  show(words, html`${staged ? gravityCaption(p.history, staged, p.time) : x.wait && caption(x.wait, p.time)}`);
  matter.querySelector("[data-stage=gravity]").hidden = !p.history.attempts.some((a) => a.kind && a.placed?.center);
  show(list, groupsMarkup(mattering(p.state.recent, 3)));
  return staged ? gravity(over, x, staged) : shares(over, x);
}

/** Returns the size that a box leaves for its picture. */
const sizeOf = ({ clientWidth: w, clientHeight: h }) => [Math.max(280, w), Math.max(116, Math.min(440, h - 92))];

function gravity(over, { p }, staged) {
  const picture = over.firstElementChild, { task, job } = staged.reduce;
  over.drawn = "";
  show(picture, html`<h2>What reduce ${task} of job ${job} fetches, by node</h2>
    ${gravityMarkup(p.history, staged, p.time, ...sizeOf(picture))}<p class="legend">disc: output of maps; ring: the
    center; square: the slot taken; lines: what crosses to the center</p>`);
}

/** Draws the shares and the brush; during play only when the time has moved by a 200th of their width. */
function shares(over, x) {
  const [picture, strip] = over.children, { p, look } = x, h = p.history, [from, to] = windowOf(p, look.span);
  const drawn = [h.end, look.pool, look.span].join();
  if (p.playing && over.drawn === drawn && Math.abs(over.time - p.time) < (to - from) / 200) return;
  Object.assign(over, { drawn, time: p.time });
  const of = p.live ? `in the last ${time(to - from)}` : `from ${time(from)} to ${time(to)}`;
  const back = look.span > 0 && html` <button class="quiet" data-span="">as at first</button>`;
  const [width, height] = sizeOf(picture), part = { from, to, width, height };
  show(picture, html`<h2>Map slots ${of}${back}</h2>${sharesMarkup(h, 0, look.pool, p.time, "", part)}`);
  show(strip, brushMarkup(h, p.time, [from, to]));
  brush(strip, x);
}

/** Draws a line from each slot that a waiting job left free to a node it waits for, and a ring for the time left. */
function lines(overlay, to, s, staged) {
  const box = to.getBoundingClientRect(), node = (id) => to.querySelector(`.node[data-key="${id}"]`);
  const middle = (r) => [r.left + r.width / 2 - box.left, r.top + r.height / 2 - box.top].map((v) => v.toFixed(0));
  const all = waitLines(s), { skip, launch } = staged || {};
  if (skip && s.now >= skip.at && s.now < launch.at) {
    all.push({ from: skip.node, to: launch.node, kind: skip.kind || 0, job: skip.job, wait: skip });
  }
  show(overlay, html`${all.map((l) => {
    const from = node(l.from), target = node(l.to);
    if (!from || !target) return "";
    const slot = from.querySelector(`.k${l.kind}.waits`) || from.querySelector(`.k${l.kind}`) || from;
    const r = slot.getBoundingClientRect(), [x1, y1] = middle(r), [x2, y2] = middle(target.getBoundingClientRect());
    return html`<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}"/><circle class="end" cx="${x2}" cy="${y2}" r="4"/>
      <circle class="ring" cx="${x1}" cy="${y1}" r="${Math.max(10, r.height / 2 + 4).toFixed(0)}" pathLength="1"
        stroke-dasharray="${leftOf(l.wait, s.now).toFixed(3)} 1" transform="rotate(-90 ${x1} ${y1})"/>`;
  })}`);
}
