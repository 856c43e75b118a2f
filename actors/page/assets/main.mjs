// The page: which screen is shown, what is chosen, and where events come from.

import { html, show, showList } from "./markup.mjs";
import { embeddedEvents, fileEvents } from "./events.mjs";
import { follow, newRemote } from "./remote.mjs";
import { beginSteering, chosenControls, newSteering, refresh, steerScreen } from "./steerview.mjs";
import { add, bound, newPlayer, reset, seek } from "./player.mjs";
import { newHistory, record } from "./state.mjs";
import { control, fitting } from "./controls.mjs";
import { clusterScreen } from "./clusterview.mjs";
import { ganttScreen } from "./ganttview.mjs";
import { summary } from "./cluster.mjs";
import { parseAttempt } from "./words.mjs";
import { sharesCSV, sharesMarkup, sharesSVG } from "./shares.mjs";
import { jobMarkup, jobsCSV, jobsMarkup } from "./jobs.mjs";
import { ganttSVG } from "./gantt.mjs";
import { shuffleMarkup } from "./shuffle.mjs";
import { queuesMarkup, virtualMarkup } from "./virtual.mjs";
import { findingsMarkup } from "./findings.mjs";
import { compareMarkup } from "./compare.mjs";
import { decisionOf, explain } from "./why.mjs";
import { chromeTrace, save } from "./export.mjs";

const $ = (id) => document.getElementById(id);
const p = newPlayer();
const look = { screen: 0, chosen: null, pool: "", by: "", job: 0, kind: 0, shuffle: 0, other: null, otherName: "" };

let steering = null; // of the page of a server
const screens = [
  { name: "Cluster", draw: (to) => clusterScreen(to, p, look) },
  { name: "Shares", draw: (to) => show(to, html`<p><label>Slots of <select id="kind"><option value="0">maps</option><option value="1"${look.kind ? html` selected` : ""}>reduces</option></select></label>
<label>by <select id="by"><option value="">pool</option><option value="job"${look.by ? html` selected` : ""}>job</option></select></label></p>${sharesMarkup(p.history, look.kind, look.pool, p.time, look.by)}`) },
  { name: "Jobs", draw: (to) => show(to, jobsMarkup(p.state)) },
  { name: "Job", draw: (to) => show(to, jobMarkup(p.history, look.job, p.time)) },
  { name: "Gantt", draw: (to) => ganttScreen(to, p, choose) },
  { name: "Shuffle", draw: (to) => show(to, shuffleMarkup(p.history, look.shuffle)) },
  { name: "HFSP", draw: (to) => show(to, virtualMarkup(p.state, p.history)) },
  { name: "Queues", draw: (to) => show(to, queuesMarkup(p.state)) },
  { name: "Findings", draw: (to) => show(to, findingsMarkup(p.history, p.state)) },
  { name: "Compare", draw: (to) => show(to, compareMarkup(p.history, p.state.name || "this run", look.other, look.otherName)) },
];

let due = false, free = 0;

/** Draws at the next frame, once however often it is asked for; what follows a cluster leaves the browser as much time as it takes. */
function redraw() {
  if (due) return;
  due = true;
  const wait = p.follow ? free - performance.now() : 0;
  if (wait > 0) setTimeout(draw, wait);
  else draw();
}

function draw() {
  requestAnimationFrame((from) => {
    due = false;
    show($("summary"), html`${summary(p.state)}`);
    const to = $("screen").firstElementChild;
    screens[look.screen].draw(to);
    show($("why"), explain(p.state, look.chosen, p.history));
    $("steer").hidden = !steering;
    if (steering) chosenControls($("steer"), steering, p.state, look.chosen);
    setTimeout(() => { free = 2 * performance.now() - from; }, 0); // layout and paint are over by then
  });
}

function go(n) {
  if (n < 0 || n >= screens.length) return;
  look.screen = n;
  if (screens[n].name === "Steer") refresh(steering).catch(() => {});
  const fresh = document.createElement("div");
  fresh.tabIndex = 0; // it may have to be scrolled
  fresh.id = `screen-${screens[n].name.toLowerCase()}`;
  $("screen").replaceChildren(fresh);
  $("screen").setAttribute("aria-label", screens[n].name);
  for (const [i, b] of [...$("screens").children].entries()) {
    if (i === n) b.setAttribute("aria-current", "page");
    else b.removeAttribute("aria-current");
  }
  redraw();
}

function choose(what) {
  look.chosen = what;
  if (what && what.job) look.job = what.job;
  redraw();
}

/** One place hears all clicks: what is clicked on says by its data what it is. */
function clicked(e) {
  const b = e.target.closest("[data-node],[data-job],[data-pool],[data-group],[data-attempt],[data-decision],[data-away]");
  if (!b) return;
  const d = b.dataset;
  if (d.decision !== undefined) {
    choose({ ...look.chosen, decision: decisionOf(p.state, look.chosen, d.decision) });
  } else if (d.away !== undefined) {
    choose(d.away ? { ...look.chosen, decision: null } : null);
  } else if (d.attempt !== undefined) {
    choose({ job: parseAttempt(d.attempt).job, attempt: d.attempt });
  } else if (d.pool !== undefined || d.group !== undefined) {
    look.pool = d.pool === undefined ? d.group : d.pool;
    const job = d.pool !== undefined && look.by === "job" && screens[look.screen].name === "Shares" ? /^job (\d+)$/.exec(d.pool) : null;
    choose(job ? { job: +job[1] } : { group: look.pool });
  } else if (d.job !== undefined) {
    choose({ job: +d.job });
    if (look.screen === 2) go(3);
  } else if (d.slot !== undefined) {
    choose({ node: +d.node, kind: +d.kind, slot: +d.slot });
  } else {
    choose({ node: +d.node });
  }
}

async function changedField(e) {
  if (e.target.id === "kind") look.kind = +e.target.value;
  if (e.target.id === "by") look.by = e.target.value;
  if (e.target.id === "shuffle-job") look.shuffle = +e.target.value;
  if (e.target.id === "other-run" && e.target.files[0]) {
    try {
      look.other = (await fileEvents(e.target.files[0])).reduce(record, newHistory());
      look.otherName = e.target.files[0].name;
    } catch (err) {
      $("summary").textContent = `The other run cannot be read: ${err.message}`;
      return;
    }
  }
  redraw();
}

function exports_() {
  const files = {
    "Jobs (CSV)": () => save("jobs.csv", jobsCSV(p.history), "text/csv"),
    "Shares (CSV)": () => save("shares.csv", sharesCSV(p.history, look.kind, look.by), "text/csv"),
    "Shares (SVG)": () => save("shares.svg", sharesSVG(p.history, look.kind, look.pool, p.time, look.by), "image/svg+xml"),
    "Gantt (SVG)": () => save("gantt.svg", ganttSVG(p.history).toString(), "image/svg+xml"),
    "Chrome trace": () => save("trace.json", chromeTrace(p.history), "application/json"),
  };
  showList($("exports"), [{ key: "label", markup: html`Save:` }]);
  for (const [name, f] of Object.entries(files)) {
    const b = document.createElement("button");
    b.textContent = name;
    b.onclick = f;
    $("exports").append(b);
  }
}

function screenButton(name) {
  const i = $("screens").children.length;
  const b = document.createElement("button");
  b.textContent = name;
  if (i < 10) b.title = `key ${(i + 1) % 10}`;
  b.onclick = () => go(i);
  $("screens").append(b);
}

/** Asks who watches for a token, until they have entered one. */
function askToken(why) {
  const form = $("token"), field = form.querySelector("input");
  form.hidden = false;
  form.querySelector("span").textContent = why;
  field.focus();
  return new Promise((got) => {
    form.onsubmit = (e) => {
      e.preventDefault();
      form.hidden = true;
      got(field.value);
      field.value = "";
    };
  });
}

/** How much of a cluster that works on and on is kept: events, letters of them, jobs that have ended. */
const kept = { events: 40000, text: 24e6, jobs: 500 };

/** Follows a server, and offers to steer it as far as it lets who watches. */
async function live(remote, row) {
  bound(p, kept.events, kept.text, kept.jobs);
  const st = newSteering(remote, redraw);
  const steer = () => beginSteering(st).then(() => {
    if (!steering && st.caller.manages) {
      screens.push({ name: "Steer", draw: (to) => steerScreen(to, st) });
      screenButton("Steer");
    }
    steering = st;
    redraw();
  }).catch(() => { /* the stream tells why, and comes again */ });
  await follow(remote, {
    take(events, size) {
      add(p, events, size);
      if (steering && events.some((e) => e.type === "reconfigured" || e.type === "reload-failed")) refresh(st).catch(() => {});
      row.sync();
      redraw();
    },
    reset() { reset(p); },
    tell(there, why) {
      document.body.dataset.connected = String(there);
      $("connection").textContent = there || !why ? "" : `Not connected: ${why}`;
      if (there && !steering) steer();
    },
    token: askToken,
  });
}

/** The playground's runs: what runs tells it by events of the document, and both runs' own. */
function played(row) {
  let wish = 0, other = null, second = [];
  document.addEventListener("run", (e) => {
    const { begin, side, events, end, name, swap, seek: to } = /** @type {CustomEvent} */ (e).detail;
    if (begin) {
      wish = p.time;
      p.playing = false;
      reset(p);
      second = [];
      other = newHistory();
      look.other = null;
      look.chosen = null;
    } else if (swap) { // the other run is shown, at the same time of it, and this one is the other
      const { events: first, time, history: h, state } = p;
      p.playing = false;
      reset(p);
      add(p, second);
      second = first;
      Object.assign(look, { other: h, otherName: state.name, chosen: null });
      seek(p, time);
    } else if (to !== undefined) {
      p.playing = false;
      seek(p, to);
      go(0);
    } else if (side) {
      for (const one of events) second.push(one);
      events.reduce(record, other);
    } else if (events) {
      add(p, events);
    } else if (end) {
      if (other.jobs.size > 0) Object.assign(look, { other, otherName: name });
      row.begin(fitting(p.history.end));
      seek(p, wish || p.history.end * 0.5);
    }
    row.sync();
    redraw();
  });
}

async function begin() {
  for (const s of screens) screenButton(s.name);
  $("screen").addEventListener("click", clicked);
  $("screen").addEventListener("change", changedField);
  $("why").addEventListener("click", clicked);
  const row = control(p, redraw, go);
  exports_();
  go(0);
  const api = document.body.dataset.api; // where a server's lies
  if (api) {
    p.follow = true;
    row.begin(1);
    await live(newRemote(api), row);
    return;
  }
  if (document.body.dataset.play) {
    played(row);
    return;
  }
  add(p, await embeddedEvents($("events")));
  if ($("other").textContent) {
    look.other = (await embeddedEvents($("other"))).reduce(record, newHistory());
    look.otherName = $("other").dataset.name;
  }
  row.begin(fitting(p.history.end));
  seek(p, p.history.end * 0.5);
  row.sync();
  redraw();
}

begin().catch((e) => { $("summary").textContent = `The events cannot be shown: ${e.message}`; });
