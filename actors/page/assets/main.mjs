// Where the page's events come from: a server that it follows, the playground, or the page itself.

import { embeddedEvents, eventText } from "./events.mjs";
import { $ } from "./markup.mjs";
import { follow, newRemote } from "./remote.mjs";
import { beginSteering, newSteering, refresh } from "./steerview.mjs";
import { add, bound, reset, seek } from "./player.mjs";
import { control, fitting } from "./controls.mjs";
import { fresh, go, goWhereAddressed, look, newShell, noSource, remember, wire } from "./shell.mjs";
import { busiest } from "./history.mjs";
import { saveMenu } from "./export.mjs";
import { time } from "./words.mjs";

const x = newShell();

/** Asks the user for a token and waits until one is entered. */
async function askToken(why) {
  const form = $("token"), field = form.querySelector("input");
  form.hidden = false;
  x.loading = "This server wants a token.";
  x.redraw();
  form.querySelector("span").textContent = why;
  field.focus();
  await new Promise((entered) => { form.onsubmit = (e) => { e.preventDefault(); entered(); }; });
  form.hidden = true;
  const token = field.value;
  field.value = "";
  return token;
}

/** How much of a cluster that works on and on is kept: events, letters of them, jobs that have ended. */
const kept = { events: 40000, text: 24e6, jobs: 500 };

/** Follows a server, and offers the controls that the user may use. */
async function live(remote, row) {
  const { p } = x, st = newSteering(remote, x.redraw);
  Object.assign(p, { live: true, follow: true });
  x.loading = "Connecting to the server…";
  bound(p, kept.events, kept.text, kept.jobs);
  row.begin(1);
  x.source = () => {
    if (!p.base && !p.events.some((e) => e.type === "counts")) return { text: eventText(p.events) };
    throw new Error("the beginning of this run is gone, here or on the server");
  };
  const steer = () => beginSteering(st).then(() => { x.steering = st; }, () => {}); // the stream tells why it cannot
  await follow(remote, {
    take(events, size) {
      add(p, events, size);
      arrived();
      const reloaded = events.some((e) => e.type === "reconfigured" || e.type === "reload-failed");
      if (x.steering && reloaded) refresh(st).catch(() => {});
      row.sync();
      x.redraw();
    },
    reset() { reset(p); },
    tell(there, why) {
      document.body.dataset.connected = String(there);
      const seen = p.events.length ? `What you see is as of ${time(p.history.end)}. ` : "";
      $("connection").textContent = there || !why ? "" : `The connection is lost: ${why}. ${seen}Trying again…`;
      x.redraw();
      if (there && !x.steering) steer();
    },
    token: askToken,
  });
}

/** There is something to show: the page goes where its address says. */
function arrived() {
  if (!x.loading) return;
  x.loading = "";
  fresh(x);
  goWhereAddressed(x);
}

/** The playground's runs: what runs tells it by events of the document, and both runs' own. */
function played(row) {
  let wish = -1, second = [];
  x.loading = "Running…";
  document.addEventListener("run", (e) => {
    const { begin, side, events, end, names, seek: to, open, sources } = /** @type {CustomEvent} */ (e).detail;
    if (begin) {
      [wish, second] = [x.loading ? -1 : x.p.time, []];
      Object.assign(x, { fork: null, side: 0, names: ["this run", ""], runs: [x.runs[0], null] });
      Object.assign(x.p, { playing: false, until: 0 });
      reset(x.p);
      x.look.chosen = null;
    } else if (end) {
      x.source = (of) => sources[of] || noSource();
      if (second.length) x.setOther(second, ...names);
      row.begin(fitting(x.p.history.end));
      seek(x.p, wish < 0 ? busiest(x.p.history) : wish);
      if (open) look(x, open);
      arrived();
    } else if (open) look(x, open);
    else if (to !== undefined) {
      go(x, "overview");
      x.goTo(to);
    } else if (side) for (const one of events) second.push(one);
    else add(x.p, events);
    row.changed();
  });
}

async function begin() {
  let later = 0;
  const row = control(x, (goesOn) => {
    clearTimeout(later);
    if (!goesOn) later = setTimeout(() => remember(x, true), 300);
    x.redraw();
  });
  wire(x, row.keys);
  x.changed = row.changed;
  saveMenu(x);
  x.redraw();
  const { api, play } = document.body.dataset; // where a server's lies
  if (api) return live(newRemote(api), row);
  if (play) return played(row);
  const { p } = x, other = $("other");
  add(p, await embeddedEvents($("events")));
  if (other.textContent) x.setOther(await embeddedEvents(other), other.dataset.name);
  x.source = (side) => ({ text: eventText(x.runs[side].events) });
  row.begin(fitting(p.history.end));
  seek(p, busiest(p.history));
  arrived();
  return row.changed();
}

begin().catch((e) => {
  x.loading = `The events cannot be shown: ${e.message}`;
  x.redraw();
});
