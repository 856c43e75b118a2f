// Two policies on the same work, under one clock: a cluster beside the other, the slots that differ
// glowing, and above each the means so far of what jobs waited for and how near maps ran.

import { html, show } from "./markup.mjs";
import { drawCluster } from "./overview.mjs";
import { compareMarkup } from "./compare.mjs";
import { fileEvents } from "./events.mjs";
import { seek } from "./player.mjs";
import { many, percent, time } from "./words.mjs";

/** The means of a state, of the time of jobs that are done in both runs and of the part of the maps on their data. */
export function soFar(s, other) {
  const done = (j) => j.state === "succeeded" && j.finished >= 0, all = [...s.jobs.values()], both = all.filter((j) => done(j) && other.jobs.has(j.id) && done(other.jobs.get(j.id)));
  return {
    done: all.filter(done).length, both: both.length, open: all.filter((j) => j.finished < 0).length, sojourn: both.reduce((sum, j) => sum + j.finished - j.submitted, 0) / Math.max(1, both.length),
    local: s.near.N, maps: s.near.N + s.near.R + s.near.O,
  };
}

/** What a slot holds, as far as it may differ between two runs. */
const held = (a) => (a ? `${a.job} ${a.kind} ${a.task}` : "");

/** The slots of a node, by kind and number, that hold something else than in another state. */
export function differing(node, other) {
  const out = new Set();
  for (const k of [0, 1]) {
    for (let i = 0; i < Math.max(node.cells[k].length, other ? other.cells[k].length : 0); i++) {
      if (held(node.cells[k][i]) !== held(other && other.cells[k][i])) out.add(`${k} ${i}`);
    }
  }
  return out;
}

/** What stands above a cluster: the policy and its means, and how much less or more that is than the other's. */
function aboveMarkup(name, mine, theirs) {
  const by = mine.both > 2 && theirs.sojourn ? mine.sojourn / theirs.sojourn - 1 : 0;
  return html`<h2>${name}</h2><dl><div><dt>mean sojourn of the ${many(mine.both, "job")} done in both</dt><dd>${mine.both ? time(mine.sojourn) : "–"}${
    Math.abs(by) > 0.005 ? html` <small class="${by < 0 ? "good" : "bad"}">${by < 0 ? "−" : "+"}${Math.abs(100 * by).toFixed(0)} %</small>` : ""}</dd></div>
<div><dt>maps on their data</dt><dd>${percent(mine.local, mine.maps)}</dd></div><div><dt>jobs done</dt><dd>${mine.done}</dd></div><div><dt>that run or wait</dt><dd>${mine.open}</dd></div></dl>`;
}

/** Lets the slots glow that differ; a cell that is a whole node does if any of its slots does. */
function glow(list, s, other) {
  for (const child of list.querySelectorAll(".node")) {
    const n = s.nodes.get(+child.dataset.key), off = n ? differing(n, other.nodes.get(n.id)) : new Set();
    for (const b of child.querySelectorAll(".slot")) b.classList.toggle("differs", b.classList.contains("cell") ? off.size > 0 : off.has(`${b.dataset.kind} ${b.dataset.slot}`));
  }
}

function parts(to, x) {
  if (to.parts) return to.parts;
  to.innerHTML = `<p class="bar ask"><label>Another run to compare with (its .jsonl, or gzipped) <input type="file" id="other-run" accept=".jsonl,.gz"></label><span class="bad" role="status"></span></p>
<div class="twin"><section><div class="above"></div><div class="racks"></div></section><section><div class="above"></div><div class="racks"></div></section></div><div class="figures"></div>`;
  const [ask, twin, figures] = to.children;
  ask.addEventListener("change", async (e) => {
    e.stopPropagation();
    const file = e.target.files[0];
    if (!file) return;
    try {
      x.setOther(await fileEvents(file), file.name);
      x.changed();
    } catch (err) {
      ask.lastElementChild.textContent = `${file.name} cannot be read: ${err.message}`;
    }
  });
  to.parts = { ask, twin, figures, sides: [...twin.children] };
  return to.parts;
}

/** Draws the screen. */
export function compareScreen(to, x) {
  const at = parts(to, x);
  at.twin.hidden = at.figures.hidden = !x.runs[1];
  at.ask.hidden = !!document.body.dataset.play;
  if (!x.runs[1]) return;
  seek(x.runs[1 - x.side], x.p.time);
  const states = x.runs.map((p) => p.state), means = states.map((s, i) => soFar(s, states[1 - i]));
  at.sides.forEach((side, i) => {
    side.setAttribute("aria-label", x.names[i]);
    show(side.firstElementChild, aboveMarkup(x.names[i], means[i], means[1 - i]));
    drawCluster(side.lastElementChild, states[i]);
    glow(side.lastElementChild, states[i], states[1 - i]);
  });
  if (x.p.playing && at.drawn) return; // the figures are of whole runs
  at.drawn = true;
  show(at.figures, compareMarkup(x.runs[0].history, x.names[0], x.runs[1].history, x.names[1], Math.max(280, at.figures.clientWidth)));
}
