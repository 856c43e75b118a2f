// Two policies on the same work, under one clock: a cluster beside the other, the slots by which one gains
// glowing, and above each the means so far of what jobs waited for and how near maps ran.

import { html, show } from "./markup.mjs";
import { legend } from "./cluster.mjs";
import { drawCluster } from "./overview.mjs";
import { compareMarkup } from "./compare.mjs";
import { fileText, firstRun, parseLines } from "./events.mjs";
import { seek } from "./player.mjs";
import { letter, many, percent, time } from "./words.mjs";

/** The means of a state, of the time of jobs that are done in both runs and of the part of the maps on their data. */
export function soFar(s, other) {
  const done = (j) => j.state === "succeeded" && j.finished >= 0, all = [...s.jobs.values()], both = all.filter((j) => done(j) && other.jobs.has(j.id) && done(other.jobs.get(j.id)));
  return {
    done: all.filter(done).length, both: both.length, open: all.filter((j) => j.finished < 0).length, sojourn: both.reduce((sum, j) => sum + j.finished - j.submitted, 0) / Math.max(1, both.length),
    local: s.near.N, maps: s.near.N + s.near.R + s.near.O,
  };
}

/** How far attempts are from what they read, by letter. */
const rank = { N: 0, R: 1, O: 2, A: 2, G: 0, r: 1 };

/** Whether a job that has a slot in one run still waits for its first of the kind in the other. */
function ahead(a, other) {
  const job = a && other.jobs.get(a.job);
  return !!job && job.finished < 0 && !job.running[a.kind] && !job.done[a.kind];
}

/** The slots of a node, by kind and number, by which a run gains over another: with a task that is nearer to its data
 * than the other's in the slot, or of a job that still waits for its first there. */
export function gaining(s, node, other) {
  const there = other.nodes.get(node.id) || { cells: [[], []] }, out = new Set();
  for (const k of [0, 1]) {
    node.cells[k].forEach((a, i) => {
      const b = there.cells[k][i], nearer = a && b && rank[letter(a)] < rank[letter(b)] && !ahead(b, s);
      if (nearer || ahead(a, other)) out.add(`${k} ${i}`);
    });
  }
  return out;
}

/** What stands above a cluster: the policy and its means, and how much less or more that is than the other's. */
function aboveMarkup(name, mine, theirs) {
  const by = mine.both > 2 && theirs.sojourn ? mine.sojourn / theirs.sojourn - 1 : 0;
  return html`<h2>${name}</h2><dl><div><dt>mean sojourn of the ${many(mine.both, "job")} done in both</dt><dd>${mine.both ? time(mine.sojourn) : "–"}${
    Math.abs(by) > 0.005 ? html` <small class="${by < 0 ? "good" : "bad"}">${by < 0 ? "−" : "+"}${Math.abs(100 * by).toFixed(0)} %</small>` : ""}</dd></div>
<div><dt>maps on their data so far</dt><dd>${percent(mine.local, mine.maps)}</dd></div><div><dt>jobs done</dt><dd>${mine.done}</dd></div><div><dt>jobs that run or wait</dt><dd>${mine.open}</dd></div></dl>`;
}

/** Lets the slots glow by which a run gains; a cell that is a whole node does if any of its slots does. */
function glow(list, s, other) {
  for (const child of list.querySelectorAll(".node")) {
    const n = s.nodes.get(+child.dataset.key), off = n ? gaining(s, n, other) : new Set();
    for (const b of child.querySelectorAll(".slot")) b.classList.toggle("gains", b.classList.contains("cell") ? off.size > 0 : off.has(`${b.dataset.kind} ${b.dataset.slot}`));
  }
}

function parts(to, x) {
  if (to.parts) return to.parts;
  to.innerHTML = `<p class="bar ask"><label>Another run to compare with (its .jsonl, or gzipped) <input type="file" id="other-run" accept=".jsonl,.gz"></label><span class="bad" role="status"></span></p>
<div class="twin"><section><div class="above"></div><div class="racks"></div></section><section><div class="above"></div><div class="racks"></div></section></div><div></div><div class="figures"></div>`;
  const [ask, twin, legend, figures] = to.children;
  ask.addEventListener("change", async (e) => {
    e.stopPropagation();
    const file = e.target.files[0];
    if (!file) return;
    try {
      x.setOther(firstRun(parseLines(await fileText(file))), file.name);
      x.changed();
    } catch (err) {
      ask.lastElementChild.textContent = `${file.name} cannot be read: ${err.message}`;
    }
  });
  to.parts = { ask, twin, legend, figures, sides: [...twin.children] };
  return to.parts;
}

/** Draws the screen. */
export function compareScreen(to, x) {
  const at = parts(to, x);
  at.twin.hidden = at.legend.hidden = at.figures.hidden = !x.runs[1];
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
  show(at.legend, legend(x.p.history.state, html` <span><b class="slot gains"></b> gains: nearer to its data than the task in this slot of the other run, or of a job that still waits there for its first</span>`));
  if (x.p.playing && at.drawn) return; // the figures are of whole runs
  at.drawn = true;
  show(at.figures, compareMarkup(x.runs[0].history, x.names[0], x.runs[1].history, x.names[1], Math.max(280, at.figures.clientWidth)));
}
