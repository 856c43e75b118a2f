// Where the page's events come from: a server that it follows, the playground, or the page itself.

import { embeddedEvents, eventText } from "./events.mjs";
import { $ } from "./markup.mjs";
import { follow } from "./remote.mjs";
import { beginSteering, newSteering, refresh } from "./steerview.mjs";
import { add, reset, seek } from "./player.mjs";
import { control, fitting } from "./controls.mjs";
import { arrived, newShell, remember, wire } from "./shell.mjs";
import { busiest } from "./history.mjs";
import { saveMenu } from "./export.mjs";
import { time } from "./words.mjs";

export const x = newShell();
let later = 0;
const row = control(x, (goesOn) => {
  clearTimeout(later);
  if (!goesOn) later = setTimeout(() => remember(x, true), 300);
  x.redraw();
});

/** Asks the user for a token and waits until one is entered. */
async function askToken(why) {
  const dialog = $("token"), field = dialog.querySelector("input");
  x.loading = "This server wants a token.";
  x.redraw();
  dialog.querySelector("span").textContent = why;
  dialog.showModal();
  await new Promise((closed) => { dialog.onclose = closed; });
  const token = field.value;
  field.value = "";
  return token;
}

/** How much of a live run the page keeps: events, characters of their text, and ended jobs. */
const kept = { events: 40000, text: 24e6, jobs: 500 };

/** Follows a server, and offers the controls that the user may use. */
async function live(remote) {
  const { p } = x, st = newSteering(remote, x.redraw);
  Object.assign(p, { live: true, follow: true, most: kept.events, maxText: kept.text });
  p.state.most = kept.jobs;
  x.loading = "Connecting to the server…";
  row.begin(1);
  x.source = () => {
    if (!p.base && !p.events.some((e) => e.type === "counts")) return { text: eventText(p.events) };
    throw new Error("the beginning of this run is gone, here or on the server");
  };
  const steer = () => beginSteering(st)
    .then(() => { x.steering = st; }, () => { /* the stream tells why, and comes again */ });
  await follow(remote, {
    take(events, size) {
      add(p, events, size);
      arrived(x);
      const reloaded = events.some((e) => e.type === "reconfigured" || e.type === "reload-failed");
      if (x.steering && reloaded) refresh(st).catch(() => {});
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

/** Opens a run that has come as a whole: at a time, or where most attempts run. */
export function opened(at = -1) {
  const { p } = x;
  row.begin(fitting(p.history.end));
  seek(p, at < 0 ? busiest(p.history) : at);
  arrived(x);
  row.changed();
}

async function begin() {
  wire(x, row.keys);
  saveMenu(x);
  x.redraw();
  const { api, play } = document.body.dataset; // where a server's lies
  const other = $("other");
  if (api) return live({ base: api, token: "" });
  if (play) return undefined; // its module goes on
  add(x.p, await embeddedEvents($("events")));
  if (other.textContent) x.setOther(await embeddedEvents(other), other.dataset.name);
  x.source = (side) => ({ text: eventText(x.runs[side].events) });
  return opened();
}

begin().catch((e) => {
  x.loading = `The events cannot be shown: ${e.message}`;
  x.redraw();
});
