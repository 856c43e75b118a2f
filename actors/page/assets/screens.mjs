// The screens: what each is called, when it is there, and what draws it. x is the page (shell.mjs).

import { html, show, wide } from "./markup.mjs";
import { overviewScreen } from "./overview.mjs";
import { ganttScreen } from "./ganttview.mjs";
import { poolsTable } from "./cluster.mjs";
import { sharesMarkup } from "./shares.mjs";
import { countsOf, jobMarkup, jobsMarkup } from "./jobs.mjs";
import { shuffleMarkup } from "./shuffle.mjs";
import { queuesMarkup, virtualMarkup } from "./virtual.mjs";
import { findingsMarkup } from "./findings.mjs";
import { compareScreen } from "./compare.mjs";
import { settingsMarkup } from "./steer.mjs";
import { steerScreen } from "./steerview.mjs";

function jobsScreen(to, { p, look }) {
  const [filter, home, list] = to.children, s = p.state;
  filter.hidden = look.job > 0 || !s.jobs.size;
  home.hidden = !look.job;
  if (look.job) return show(list, jobMarkup(p.history, look.job, s));
  show(filter.lastElementChild, html`${countsOf(s, look)}`);
  const pools = s.groups.size > 0 && s.jobs.size > 0 && wide("Pools", poolsTable(s));
  return show(list, html`${jobsMarkup(s, look)}${pools}`);
}

function timelineScreen(to, x) {
  const [, shares, gantt] = to.children, { p, look } = x, size = { width: widthOf(to), height: 220 };
  show(shares, sharesMarkup(p.history, +look.kind, look.pool, p.time, look.by, size));
  ganttScreen(gantt, x);
}

function settingsScreen(to, x) {
  if (x.steering?.policy) steerScreen(to, x.steering);
  else show(to.firstElementChild, settingsMarkup(x.p.state));
}

const widthOf = (to) => Math.max(280, to.clientWidth);
/** Returns a function that reports whether a run of the page has this order of jobs. */
const ordered = (order) => (x) => x.runs.some((p) => p?.state.policy?.Order === order);
/** Returns the draw function of a screen that is only markup. */
const of = (markup) => (to, x) => show(to, markup(x.p, x.look, to));

/** All screens, in order. What of them is always the same is in index.html.
 * @type {{id: string, name: string, draw: (to, x) => any, when?: (x) => boolean}[]} */
export const screens = [
  { id: "overview", name: "Overview", draw: overviewScreen },
  { id: "jobs", name: "Jobs", draw: jobsScreen },
  { id: "timeline", name: "Timeline", draw: timelineScreen },
  { id: "shuffle", name: "Shuffle", draw: of((p, look) => shuffleMarkup(p.history, +look.shuffle)) },
  { id: "findings", name: "Findings", draw: of((p) => findingsMarkup(p.history, p.state)) },
  { id: "compare", name: "Compare", draw: compareScreen },
  { id: "hfsp", name: "HFSP", when: ordered("hfsp"),
    draw: of((p, _, to) => virtualMarkup(p.state, p.history, widthOf(to))) },
  { id: "queues", name: "Queues", when: ordered("capacity"), draw: of((p) => queuesMarkup(p.state)) },
  { id: "settings", name: "Settings", draw: settingsScreen },
];
