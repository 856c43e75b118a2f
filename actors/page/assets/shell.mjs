// The page around the screens: which one is shown, of which run, what is chosen, and the address that holds all that.

import { $, html, show } from "./markup.mjs";
import { address, setAddress } from "./address.mjs";
import { act, chosenControls, reload, set, slid } from "./steerview.mjs";
import { add, newPlayer, reset, seek } from "./player.mjs";
import { summary } from "./cluster.mjs";
import { newTable, sortBy } from "./jobs.mjs";
import { parseAttempt, underPolicy } from "./words.mjs";
import { decisionOf, explain } from "./why.mjs";
import { screens } from "./screens.mjs";
import { fork, priceMarkup } from "./fork.mjs";
import { nextReduce, nextWait } from "./stage.mjs";

/** The source of a run without what the simulator needs to run it again: it throws. */
export function noSource() { throw new Error("this page does not have what the run was made of"); }

/** Returns the page's data: one run or two that are compared, and what is shown of them. */
export function newShell() {
  const x = {
    runs: [newPlayer(), null], names: ["this run", ""], side: 0, source: noSource, steering: null, fork: null,
    wait: null, leading: false, loading: "Loading the events…", changed: () => {}, sync: () => {}, play: () => {},
    look: {
      screen: "overview", chosen: null, pool: "", by: "", job: 0, kind: 0, shuffle: 0, span: 0, fold: "slot",
      color: "locality", ...newTable(),
    },
    get p() { return x.runs[x.side]; },
    redraw: () => redraw(x), forked: () => { remember(x); redraw(x); }, choose: (what) => choose(x, what),
    goTo: (time) => goTo(x, time), setOther: (events, ...names) => setOther(x, events, ...names),
  };
  return x;
}

const screenOf = (x) => screens.find((s) => s.id === x.look.screen);
let due = false, free = 0;

/** Draws the page once, at the next frame. A page that follows a cluster is drawn at most ten times a second, and
 * pauses after each drawing for as long as that took. */
function redraw(x) {
  const next = () => requestAnimationFrame((from) => draw(x, from));
  if (due) return;
  const wait = x.p.follow ? free - performance.now() : 0;
  due = true;
  if (wait > 0) setTimeout(next, wait);
  else next();
}

function draw(x, from) {
  due = false;
  x.sync();
  navigation(x);
  const { p, look } = x, { chosen } = look, to = $("screen").firstElementChild;
  const mode = !p.live ? "over" : p.follow ? "live" : "past"; // what happens now, what did, or a run that is over
  const live = document.body.dataset.connected === "false" ? "" : "● live";
  document.body.dataset.mode = mode;
  show($("mode"), html`${{ over: "", live, past: "PAST" }[mode]}`);
  show($("summary"), html`${x.loading || summary(p.state, p.history)}`);
  $("side").hidden = !chosen; // before the screen, which fills what is left
  if (x.loading) show(to, html`<p class="empty loading">${x.loading}</p>`);
  else screenOf(x).draw(to, x);
  if (chosen) show($("why"), explain(p.state, chosen, p.history));
  show($("fork"), html`${x.fork && priceMarkup(x.fork)}`);
  $("steer").hidden = !x.steering;
  if (x.steering) chosenControls($("steer"), x.steering, p.state, chosen);
  setTimeout(() => { free = Math.max(from + 100, 2 * performance.now() - from); }, 0); // layout and paint are over
}

/** Draws the buttons of the screens and of the runs. */
function navigation(x) {
  const list = screens.filter((s) => !s.when || s.when(x)), { screen } = x.look;
  if (!list.some((s) => s.id === screen)) go(x, "overview");
  show($("screens"), html`${list.map(({ id, name }, i) => html`<button data-screen="${id}" data-key="${id}"
    ${id === x.look.screen && html` aria-current="page"`}${i < 9 && html` title="key ${i + 1}"`}>${name}</button>`)}`);
  const current = $("screens").querySelector("[aria-current]");
  if (x.named !== x.look.screen) current.scrollIntoView({ block: "nearest", inline: "nearest" });
  x.named = x.look.screen;
  $("runs").hidden = !x.runs[1];
  show($("runs"), html`${x.names.map((name, i) => html`
    <button data-side="${i}" aria-pressed="${String(i === x.side)}">${name}</button>`)}`);
}

/** Shows a screen that the reader chooses. While the page loads, it only writes the screen into the address. */
function goByHand(x, id) {
  if (x.loading) setAddress({ screen: id, job: 0 }, true);
  go(x, id);
}

export function go(x, id) {
  if (!screens.some((s) => s.id === id)) return;
  if (id === "jobs" && x.look.screen === id) x.look.job = 0;
  x.look.screen = id;
  fresh(x);
  x.forked();
}

/** Replaces the element of the screen by a new one, with the fixed parts of the current screen. */
function fresh(x) {
  const { id, name } = screenOf(x), part = !x.loading && $(`of-${id}`);
  const to = document.createElement("div");
  Object.assign(to, { id: `screen-${id}`, tabIndex: 0 }); // it may be scrolled
  if (part) to.append(...part.content.cloneNode(true).children);
  for (const field of /** @type {any} */ (to.querySelectorAll("[data-look]"))) field.value = x.look[field.dataset.look];
  $("screen").replaceChildren(to);
  $("screen").setAttribute("aria-label", name);
}

function choose(x, what) {
  x.look.chosen = what;
  if (what?.job && x.look.screen === "jobs") x.look.job = what.job;
  x.forked();
}

/** Plays the next wait of the run, or the next reduce whose center moves, slowly. */
function stage(x, what) {
  const after = x.wait?.skip?.at ?? x.wait?.reduce.start ?? x.p.time;
  /** @type {any} */
  const wait = what ? nextReduce(x.p.history, after) : nextWait(x.p.events, after);
  if (!wait) return;
  if (wait.skip) wait.skip = underPolicy(x.p.state.policy, wait.skip);
  goTo(x, wait.from);
  x.play(wait, wait.to, wait.speed);
}

/** Shows a time, without playing or following. */
function goTo(x, time) {
  x.wait = null;
  Object.assign(x.p, { playing: false, follow: false });
  seek(x.p, time);
  x.changed();
}

/** Writes screen, time and choice into the address: as a new step of the history, or in place of the last (same). */
export function remember(x, same = false) {
  if (x.loading || x.leading) return;
  const { p, look, side } = x, { screen } = look, at = p.follow || p.playing ? -1 : p.time;
  const job = screen === "jobs" ? look.job : look.chosen?.job || 0;
  setAddress({ screen, job, at, side, fork: x.fork?.key }, same || !address().screen);
}

/** Shows a screen at a moment of a run, and a job if one is named; that is no step of the history. */
export function look(x, { screen, side, at, job = 0 }) {
  x.leading = true;
  turn(x, side);
  if (screen !== x.look.screen) go(x, screen);
  if (screen === "jobs") x.look.job = job;
  if (job) choose(x, { job });
  if (at >= 0) goTo(x, at);
  x.leading = false;
}

/** Is called when the first events are there: the page shows what its address says. */
export function arrived(x) {
  if (!x.loading) return;
  x.loading = "";
  fresh(x);
  goWhereAddressed(x);
}

function goWhereAddressed(x) {
  const to = address();
  if (!to.screen) return;
  look(x, to);
  if (to.fork && x.fork?.key !== to.fork) {
    choose(x, x.look.chosen || { all: true });
    fork(x, to.fork);
  }
  redraw(x);
}

/** Shows run `side` at the same time. */
function turn(x, side) {
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

/** Sets the second run, to compare. Both then end when the longer one does. names: of both runs, or of the second. */
function setOther(x, events, ...names) {
  const other = x.runs[1] ||= newPlayer(), first = x.runs[0];
  reset(other);
  add(other, events);
  x.names = names.length > 1 ? names : [first.history.state.name || "this run", names[0]];
  if (x.names[0] === x.names[1]) x.names = x.names.map((name, i) => `${name} (${i ? "second" : "first"})`);
  first.until = other.until = Math.max(first.history.end, other.history.end);
  seek(other, first.time);
}

/** What a click does, by the data attribute of the element; the first in this order counts. */
const clicks = {
  screen: goByHand,
  side: (x, side) => turn(x, +side),
  shut: (x) => choose(x, null),
  stage,
  fork,
  all: (x) => choose(x, { all: true }),
  home: (x) => { x.look.job = 0; choose(x, null); },
  sort: (x, id) => { sortBy(x.look, id); redraw(x); },
  span: (x) => { x.look.span = 0; redraw(x); },
  decision(x, key) {
    const { chosen } = x.look;
    choose(x, { ...(chosen || { all: true }), decision: decisionOf(x.p.state, chosen, key) });
  },
  list: (x) => choose(x, { ...x.look.chosen, decision: null }),
  attempt: (x, id) => choose(x, { job: parseAttempt(id).job, attempt: id }),
  pool(x, name) {
    const job = x.look.by === "job" && x.look.screen === "timeline" ? /^job (\d+)$/.exec(name) : null;
    x.look.pool = name;
    choose(x, job ? { job: +job[1] } : { group: name });
  },
  group: (x, name) => choose(x, { group: x.look.pool = name }),
  job: (x, id) => choose(x, { job: +id }),
  slot: (x, i, { dataset: { node, kind } }) => choose(x, { node: +node, kind: +kind, slot: +i }),
  node: (x, id) => choose(x, { node: +id }),
  do: (x) => reload(x.steering),
  act: (x, _, button) => act(x.steering, button),
};

/** What a changed field does, and a slider while it moves, by the data attribute. */
const changes = { row: (x, _, field) => set(x.steering, field), act: clicks.act };
const inputs = {
  look: (x, name, field) => { x.look[name] = field.value; redraw(x); },
  row: (x, _, field) => slid(field),
};

/** Listens to events of a type and calls what the table has for the element's data attribute. */
function listen(x, type, table) {
  const names = Object.keys(table), all = names.map((name) => `[data-${name}]`).join();
  const done = (e) => {
    const of = e.target.closest(all), name = of && names.find((one) => of.dataset[one] !== undefined);
    if (name && (type === "click") !== of.matches("input, select")) table[name](x, of.dataset[name], of);
  };
  for (const element of document.querySelectorAll("header, .columns")) element.addEventListener(type, done);
}

/** Connects the page to clicks, keys and the browser's history; keys has the keys of the controls. */
export function wire(x, keys) {
  listen(x, "click", clicks);
  listen(x, "change", changes);
  listen(x, "input", inputs);
  document.addEventListener("keydown", (e) => {
    const on = /** @type {Element} */ (e.target), screen = $("screens").children[+e.key - 1];
    if (e.key === "Escape" && x.look.chosen) choose(x, null);
    if (e.ctrlKey || e.metaKey || e.altKey || on.matches("input:not([type=range]), select, textarea")) return;
    const key = screen ? () => screen.click() : keys[e.key];
    if (!key || (e.key === " " && on.matches("button, summary"))) return;
    key();
    e.preventDefault();
  });
  window.addEventListener("popstate", () => goWhereAddressed(x));
  window.addEventListener("resize", x.redraw);
  fresh(x);
}
