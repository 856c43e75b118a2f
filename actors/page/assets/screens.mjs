// The screens: what each is called, when it is there, and what draws it. x is the page (shell.mjs).

import { html, options, show } from "./markup.mjs";
import { overviewScreen } from "./overview.mjs";
import { ganttScreen } from "./ganttview.mjs";
import { poolsTable } from "./cluster.mjs";
import { sharesMarkup } from "./shares.mjs";
import { jobsMarkup } from "./jobs.mjs";
import { jobMarkup } from "./job.mjs";
import { shuffleMarkup } from "./shuffle.mjs";
import { queuesMarkup, virtualMarkup } from "./virtual.mjs";
import { findingsMarkup } from "./findings.mjs";
import { compareScreen } from "./twin.mjs";
import { settingsMarkup } from "./settings.mjs";
import { steerScreen } from "./steerview.mjs";

function jobsScreen(to, x) {
  const { p, look } = x;
  if (look.job) return show(to, html`<p class="bar"><button class="quiet" data-home="">◀ All jobs</button></p>${jobMarkup(p.history, look.job, p.time)}`);
  return show(to, html`${jobsMarkup(p.state, look.table)}${p.state.groups.size && p.state.jobs.size ? html`<div class="wide" tabindex="0" role="region" aria-label="Pools">${poolsTable(p.state)}</div>` : ""}`);
}

function timelineScreen(to, x) {
  if (!to.firstChild) to.innerHTML = "<div></div><div></div>";
  const [shares, gantt] = to.children, { p, look } = x;
  show(shares, html`<p class="bar"><label>Slots of <select id="kind">${options([[0, "maps"], [1, "reduces"]], look.kind)}</select></label>
<label>by <select id="by">${options([["", "pool"], "job"], look.by)}</select></label></p>${sharesMarkup(p.history, look.kind, look.pool, p.time, look.by, { from: p.history.from, to: Math.max(p.history.end, p.history.from + 1), width: Math.max(280, to.clientWidth), height: 220 })}`);
  ganttScreen(gantt, x);
}

/** Tells whether a run of the page, shown or not, has an order of jobs: both are seen on every screen. */
const ordered = (order) => (x) => x.runs.some((p) => p && p.state.policy && p.state.policy.Order === order);

/** All screens, in order. */
export const screens = [
  { id: "overview", name: "Overview", draw: overviewScreen },
  { id: "jobs", name: "Jobs", draw: jobsScreen },
  { id: "timeline", name: "Timeline", draw: timelineScreen },
  { id: "shuffle", name: "Shuffle", draw: (to, { p, look }) => show(to, shuffleMarkup(p.history, look.shuffle)) },
  { id: "findings", name: "Findings", draw: (to, { p }) => show(to, findingsMarkup(p.history, p.state)) },
  { id: "compare", name: "Compare", draw: compareScreen },
  { id: "hfsp", name: "HFSP", when: ordered("hfsp"), draw: (to, { p }) => show(to, virtualMarkup(p.state, p.history, Math.max(280, to.clientWidth))) },
  { id: "queues", name: "Queues", when: ordered("capacity"), draw: (to, { p }) => show(to, queuesMarkup(p.state)) },
  { id: "settings", name: "Settings", draw: (to, x) => (x.steering && x.steering.policy ? steerScreen(to, x.steering) : show(to, settingsMarkup(x.p.state))) },
];
