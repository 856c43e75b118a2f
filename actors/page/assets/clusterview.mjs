// The cluster screen in the document: racks that are drawn node by node, so that only what has
// changed is touched, and lines from slots that wait to where the data lies.

import { html, show, showList } from "./markup.mjs";
import { legend, nodeMarkup, poolsTable, racks, waitLines } from "./cluster.mjs";
import { sharesMarkup } from "./shares.mjs";

function parts(to) {
  if (to.parts) return to.parts;
  to.innerHTML = '<div class="legendbox"></div><div class="racks"></div><svg class="overlay" aria-hidden="true"></svg><h2>Slots over time</h2><div class="over"></div><div class="pools"></div>';
  const [legendBox, list, overlay, , over, pools] = to.children;
  show(legendBox, legend());
  to.parts = { list, overlay, over, pools, racks: new Map() };
  return to.parts;
}

/** Draws the state of a player. */
export function clusterScreen(to, p, look) {
  const at = parts(to);
  const { small, racks: all } = racks(p.state);
  at.list.classList.toggle("small", small);
  showList(at.list, all.map((r) => ({ key: r.name, name: "rack", markup: html`<h2>${r.name}</h2><div class="nodes"></div>` })));
  all.forEach((r, i) => {
    const box = at.list.children[i].lastElementChild;
    const drawn = box.drawn || (box.drawn = new Map());
    for (const n of r.nodes) {
      let child = drawn.get(n.id);
      if (!child) {
        child = document.createElement("div");
        drawn.set(n.id, child);
        box.append(child);
      }
      if (child.node === n && child.version === n.version && child.small === small) continue;
      Object.assign(child, { node: n, version: n.version, small });
      child.id = `node-${n.id}`;
      child.className = `node${n.live ? "" : " gone"}`;
      show(child, nodeMarkup(p.state, n, small));
    }
    for (const [id, child] of drawn) {
      if (!p.state.nodes.has(id) || p.state.nodes.get(id).rack !== r.name) {
        child.remove();
        drawn.delete(id);
      }
    }
  });
  lines(at.overlay, to, p.state);
  if (at.end !== p.history.end || at.pool !== look.pool || !p.playing || Math.abs((at.time || 0) - p.time) > p.history.end / 200) {
    Object.assign(at, { end: p.history.end, pool: look.pool, time: p.time });
    show(at.over, sharesMarkup(p.history, 0, look.pool, p.time));
  }
  show(at.pools, poolsTable(p.state));
}

/** Lines from waiting slots to the nodes that have what their jobs wait for. */
function lines(overlay, to, s) {
  const box = to.getBoundingClientRect();
  const list = waitLines(s).map((l) => {
    const from = document.getElementById(`node-${l.from}`), target = document.getElementById(`node-${l.to}`);
    if (!from || !target) return "";
    const slot = from.querySelector(`.k${l.kind}.waits`) || from;
    const a = slot.getBoundingClientRect(), b = target.getBoundingClientRect();
    const x = (r) => (r.left + r.width / 2 - box.left).toFixed(0), y = (r) => (r.top + r.height / 2 - box.top).toFixed(0);
    return html`<line x1="${x(a)}" y1="${y(a)}" x2="${x(b)}" y2="${y(b)}"/><circle cx="${x(b)}" cy="${y(b)}" r="4"/>`;
  });
  show(overlay, html`${list}`);
}
