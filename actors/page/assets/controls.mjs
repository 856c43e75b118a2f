// The row that is always in sight: play, steps, speed and the slider; and their keys.

import { beat, endOf, seek, step, stepBack } from "./player.mjs";
import { $ } from "./markup.mjs";
import { time } from "./words.mjs";

/** Returns the time of day at a time of a live run, "" in a simulation. */
function wall(state, at) {
  const from = Date.parse(state.began?.wall || "");
  return Number.isNaN(from) ? "" : ` · ${new Date(from + at / 1e6).toLocaleTimeString()}`;
}

/** Returns the speed at which a run of `end` nanoseconds plays in about half a minute. */
export function fitting(end) {
  const off = (s) => Math.abs(Math.log(s / (end / 30e9)));
  return [...$("speed").options].map((o) => +o.value).reduce((a, b) => (off(b) < off(a) ? b : a), 1);
}

/** Connects the row to the page x. It calls moved when the page shows another time. */
export function control(x, moved) {
  let last = 0, until = Infinity, pace = 0;
  const [play, live, slider, speed] = ["play", "live", "time", "speed"].map($);
  const sync = () => {
    const { p } = x, end = endOf(p), { from } = p.history;
    slider.value = end > from ? (1000 * (p.time - from)) / (end - from) : 0;
    slider.setAttribute("aria-valuetext", time(p.time));
    $("clock").textContent = `${time(p.time)} of ${time(end)}${wall(p.state, p.time)}`;
    play.setAttribute("aria-pressed", p.playing);
    play.textContent = p.playing ? "Pause" : "Play";
    live.hidden = !p.live;
    live.setAttribute("aria-pressed", p.follow);
    live.textContent = p.follow || !p.live ? "Follow" : `Back to now, ${time(end - p.time)} on`;
  };
  const changed = () => { sync(); moved(x.p.playing || x.p.follow); };
  const frame = (now) => {
    const { p } = x;
    if (!p.playing) return;
    seek(p, p.time + (now - last) * 1e6 * (pace || p.speed));
    if (p.time >= Math.min(until, endOf(p))) p.playing = false;
    last = now;
    changed();
    requestAnimationFrame(frame);
  };
  const toggle = (wait = null, to = Infinity, slow = 0) => {
    const { p } = x;
    [x.wait, until, pace, last] = [wait, to, slow, performance.now()];
    Object.assign(p, { follow: false, playing: !p.playing });
    if (p.playing && p.time >= endOf(p)) seek(p, p.history.from);
    if (p.playing) requestAnimationFrame(frame);
    changed();
  };
  const doing = (f) => () => {
    Object.assign(x.p, { playing: false, follow: false });
    x.wait = null;
    f(x.p);
    changed();
  };
  const keys = { " ": () => toggle(), ".": doing(step), ",": doing(stepBack), ";": doing(beat) };
  for (const [id, key] of [["play", " "], ["step", "."], ["back", ","], ["beat", ";"]]) $(id).onclick = keys[key];
  live.onclick = () => {
    const { p } = x;
    Object.assign(p, { playing: false, follow: !p.follow });
    if (p.follow) seek(p, p.history.end);
    changed();
  };
  speed.onchange = () => { x.p.speed = +speed.value; };
  slider.oninput = doing((p) => seek(p, p.history.from + (slider.value / 1000) * (endOf(p) - p.history.from)));
  Object.assign(x, { play: toggle, changed, sync });
  return { changed, keys, begin(pace) { x.p.speed = speed.value = pace; sync(); } };
}
