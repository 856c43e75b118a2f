// The page around the screens: which one is shown, of which run, what is chosen, and the address that
// holds all that.

import { $, html, show } from "./markup.mjs";
import { formatAddress, parseAddress } from "./address.mjs";
import { chosenControls } from "./steerview.mjs";
import { add, newPlayer, reset, seek } from "./player.mjs";
import { summary } from "./cluster.mjs";
import { newTable, sortBy } from "./jobs.mjs";
import { parseAttempt, underPolicy } from "./words.mjs";
import { decisionOf, explain } from "./why.mjs";
import { screens } from "./screens.mjs";
import { fork, priceMarkup } from "./fork.mjs";
import { nextReduce } from "./gravity.mjs";
import { nextWait, scene } from "./stage.mjs";

/** The source of a run that the simulator cannot run again. */
export function noSource() { throw new Error("this page does not have what the run was made of"); }

/** The page: its runs, one or two that are compared, and how it looks at them. */
export function newShell() {
  const x = {
    runs: [newPlayer(), null], names: ["this run", ""], side: 0, steering: null, leading: false, wait: null, fork: null, source: noSource, loading: "Loading the events…", changed: () => {}, play: () => {},
    look: { screen: "overview", chosen: null, pool: "", by: "", job: 0, kind: 0, shuffle: 0, span: 0, table: newTable() },
    get p() { return x.runs[x.side]; },
    redraw: () => redraw(x), forked: () => { remember(x); redraw(x); }, choose: (what) => choose(x, what), go: (id) => go(x, id), goTo: (time) => goTo(x, time), setOther: (events, ...names) => setOther(x, events, ...names),
  };
  return x;
}

/** The screens that are there now. */
const there = (x) => screens.filter((s) => !s.when || s.when(x));

let due = false, free = 0;

/** Draws at the next frame, once however often it is asked for; what follows a cluster leaves the browser as much time as it takes. */
function redraw(x) {
  if (due) return;
  due = true;
  const wait = x.p.follow ? free - performance.now() : 0;
  if (wait > 0) setTimeout(() => draw(x), wait);
  else draw(x);
}

function draw(x) {
  requestAnimationFrame((from) => {
    due = false;
    const { p, look } = x, to = $("screen").firstElementChild;
    navigation(x);
    show($("mode"), html`${{ over: "", live: document.body.dataset.connected === "false" ? "" : "● live", past: "PAST" }[mode(x)]}`);
    document.body.dataset.mode = mode(x);
    show($("summary"), html`${x.loading || summary(p.state, p.history)}`);
    $("side").hidden = !look.chosen; // before the screen, which fills what is left
    if (x.loading) show(to, html`<p class="empty loading">${x.loading}</p>`);
    else screens.find((s) => s.id === look.screen).draw(to, x);
    if (look.chosen) show($("why"), explain(p.state, look.chosen, p.history));
    show($("fork"), x.fork ? priceMarkup(x.fork) : html``);
    $("steer").hidden = !x.steering;
    if (x.steering) chosenControls($("steer"), x.steering, p.state, look.chosen);
    setTimeout(() => { free = 2 * performance.now() - from; }, 0); // layout and paint are over by then
  });
}

/** Where the page stands: at what happens now, before it, or in a run that is over. */
const mode = (x) => (!x.p.live ? "over" : x.p.follow ? "live" : "past");

/** The buttons of the screens that are there, and of the runs. */
function navigation(x) {
  const list = there(x);
  if (!list.some((s) => s.id === x.look.screen)) go(x, "overview");
  show($("screens"), html`${list.map((s, i) => html`<button data-screen="${s.id}" data-key="${s.id}"${s.id === x.look.screen ? html` aria-current="page"` : ""}${i < 9 ? html` title="key ${i + 1}"` : ""}>${s.name}</button>`)}`);
  if (x.named !== x.look.screen) $("screens").querySelector("[aria-current]").scrollIntoView({ block: "nearest", inline: "nearest" });
  x.named = x.look.screen;
  $("runs").hidden = !x.runs[1];
  show($("runs"), html`${x.names.map((name, i) => html`<button data-side="${i}" aria-pressed="${String(i === x.side)}">${name}</button>`)}`);
}

/** Shows the screen that the reader chooses. While the page still loads, the address leads there, which is followed then. */
function goByHand(x, id) {
  if (x.loading) history.replaceState(null, "", formatAddress({ ...parseAddress(location.hash), screen: id, job: 0 }));
  go(x, id);
}

/** Shows a screen. */
function go(x, id) {
  if (!screens.some((s) => s.id === id)) return;
  if (id === "jobs" && x.look.screen === id) x.look.job = 0;
  x.look.screen = id;
  fresh(x);
  remember(x);
  redraw(x);
}

/** An empty element for the screen: what another screen has left there goes. */
function fresh(x) {
  const to = document.createElement("div");
  to.tabIndex = 0; // it may have to be scrolled
  to.id = `screen-${x.look.screen}`;
  $("screen").replaceChildren(to);
  $("screen").setAttribute("aria-label", screens.find((s) => s.id === x.look.screen).name);
}

function choose(x, what) {
  x.look.chosen = what;
  if (what && what.job && x.look.screen === "jobs") x.look.job = what.job;
  remember(x);
  redraw(x);
}

/** Plays the next wait of the run, or the next reduce whose center moves, slowly. */
function stage(x, what) {
  const after = !x.wait ? x.p.time : x.wait.skip ? x.wait.skip.at : x.wait.reduce.start;
  const wait = what ? nextReduce(x.p.history, after) : nextWait(x.p.events, after);
  if (!wait) return;
  if (wait.skip) wait.skip = underPolicy(x.p.state.policy, wait.skip);
  const { from, to, speed } = what ? wait : scene(wait);
  goTo(x, from);
  x.play(wait, speed, to);
}

/** Stands still at a time. */
function goTo(x, time) {
  x.wait = null;
  Object.assign(x.p, { playing: false, follow: false });
  seek(x.p, time);
  x.changed();
}

/** Puts where the page stands into the address: a step of the history, or the same one with another time. */
export function remember(x, same = false) {
  const { p, look } = x;
  if (x.loading || x.leading) return;
  const job = look.screen === "jobs" ? look.job : (look.chosen && look.chosen.job) || 0;
  const hash = formatAddress({ play: parseAddress(location.hash).play, screen: look.screen, job, at: p.follow || p.playing ? -1 : p.time, side: x.side, fork: x.fork ? x.fork.key : "" });
  if (hash === location.hash) return;
  history[same || !parseAddress(location.hash).screen ? "replaceState" : "pushState"](null, "", hash);
}

/** Shows a screen at a moment of a run, and a job if one is named; that is no step of the history. */
export function look(x, { screen, side, at, job = 0 }) {
  x.leading = true;
  turn(x, side);
  if (screen !== x.look.screen) go(x, screen);
  x.look.job = screen === "jobs" ? job : x.look.job;
  if (job) choose(x, { job });
  if (at >= 0) goTo(x, at);
  x.leading = false;
}

/** Goes where the address says. */
export function goWhereAddressed(x) {
  const to = parseAddress(location.hash);
  if (!to.screen) return;
  look(x, to);
  if (to.fork && !(x.fork && x.fork.key === to.fork)) {
    choose(x, x.look.chosen || { all: true });
    fork(x, to.fork);
  }
  redraw(x);
}

/** Shows the other run, at the same time of it. */
export function turn(x, side) {
  const from = x.p;
  if (!x.runs[side] || side === x.side) return;
  x.side = side;
  Object.assign(x.p, { playing: false, speed: from.speed });
  from.playing = false;
  x.look.chosen = null;
  seek(x.p, from.time);
  fresh(x);
  remember(x);
  x.changed();
}

/** Has a second run to compare with; both take as long as the longer. The names are of both runs, or of the second. */
function setOther(x, events, ...names) {
  const other = x.runs[1] || newPlayer(), first = x.runs[0];
  reset(other);
  add(other, events);
  x.runs[1] = other;
  x.names = names.length > 1 ? names : [first.history.state.name || "this run", names[0]];
  if (x.names[0] === x.names[1]) x.names = x.names.map((name, i) => `${name} (${i ? "second" : "first"})`);
  first.until = other.until = Math.max(first.history.end, other.history.end);
  seek(other, first.time);
}

/** What a click does, by the data of what is clicked on: the first of these that it has. */
const clicks = {
  screen: goByHand,
  side: (x, side) => turn(x, +side),
  stage,
  fork,
  all: (x) => choose(x, { all: true }),
  home: (x) => { x.look.job = 0; choose(x, null); },
  sort: (x, id) => { sortBy(x.look.table, id); redraw(x); },
  span: (x) => { x.look.span = 0; redraw(x); },
  decision: (x, key) => choose(x, { ...(x.look.chosen || { all: true }), decision: decisionOf(x.p.state, x.look.chosen, key) }),
  away: (x, to) => choose(x, to ? { ...x.look.chosen, decision: null } : { all: true }),
  attempt: (x, id) => choose(x, { job: parseAttempt(id).job, attempt: id }),
  pool(x, name) {
    const job = x.look.by === "job" && x.look.screen === "timeline" ? /^job (\d+)$/.exec(name) : null;
    x.look.pool = name;
    choose(x, job ? { job: +job[1] } : { group: name });
  },
  group: (x, name) => choose(x, { group: (x.look.pool = name) }),
  job: (x, id) => choose(x, { job: +id }),
  slot: (x, i, { node, kind }) => choose(x, { node: +node, kind: +kind, slot: +i }),
  node: (x, id) => choose(x, { node: +id }),
};

function clicked(x, e) {
  const names = Object.keys(clicks), b = e.target.closest(names.map((name) => `[data-${name}]`).join());
  const what = b && names.find((name) => b.dataset[name] !== undefined);
  if (what) clicks[what](x, b.dataset[what], b.dataset);
}

/** What is entered into fields of screens. */
function changedField(x, e) {
  const { look } = x, { id, value } = e.target;
  if (id === "kind") look.kind = +value;
  if (id === "by") look.by = value;
  if (id === "shuffle-job") look.shuffle = +value;
  if (id === "job-filter") look.table.filter = value;
  if (id === "job-state") look.table.state = value;
  redraw(x);
}

/** Makes the page work. */
export function wire(x) {
  for (const id of ["screen", "why", "fork", "screens", "runs"]) $(id).addEventListener("click", (e) => clicked(x, e));
  $("screen").addEventListener("change", (e) => changedField(x, e));
  $("screen").addEventListener("input", (e) => { if (e.target.id === "job-filter") changedField(x, e); });
  $("shut").onclick = () => choose(x, null);
  document.addEventListener("keydown", (e) => {
    if (e.key === "Escape" && x.look.chosen) choose(x, null);
    const target = /** @type {HTMLInputElement} */ (e.target), list = there(x);
    if (e.ctrlKey || e.metaKey || e.altKey || !/^[1-9]$/.test(e.key) || (/^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) && target.type !== "range")) return;
    if (list[+e.key - 1]) goByHand(x, list[+e.key - 1].id);
    e.preventDefault();
  });
  window.addEventListener("popstate", () => goWhereAddressed(x));
  window.addEventListener("resize", x.redraw);
  fresh(x);
}
