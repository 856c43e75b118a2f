// The row that is always in sight: play, steps, speed and the slider; and the keys.

import { beat, endOf, pass, seek, step, stepBack } from "./player.mjs";
import { $ } from "./markup.mjs";
import { time } from "./words.mjs";

const speeds = [0.01, 0.1, 1, 10, 60, 600, 3600];

/** The time of day at a time of the run, "" for a simulation. */
export function wall(state, at) {
  const from = state.began && state.began.wall ? Date.parse(state.began.wall) : NaN;
  return Number.isNaN(from) ? "" : new Date(from + at / 1e6).toLocaleTimeString();
}

/** The speed at which a run of `end` nanoseconds takes about half a minute. */
export function fitting(end) {
  const wish = end / 30e9;
  return speeds.reduce((a, b) => (Math.abs(Math.log(b / wish)) < Math.abs(Math.log(a / wish)) ? b : a), 1);
}

/** Makes the row work for the run that a page shows; moved is told when the page stands elsewhere, and whether it goes on. */
export function control(x, moved) {
  let last = 0, until = Infinity, pace = 0;
  for (const s of speeds) $("speed").append(new Option(`${s}×`, String(s)));
  const sync = () => {
    const p = x.p, end = endOf(p);
    $("time").value = end > p.history.from ? (1000 * (p.time - p.history.from)) / (end - p.history.from) : 0;
    $("time").setAttribute("aria-valuetext", time(p.time));
    const day = wall(p.state, p.time);
    $("clock").textContent = `${time(p.time)} of ${time(end)}${day ? ` · ${day}` : ""}`;
    $("play").setAttribute("aria-pressed", p.playing);
    $("play").textContent = p.playing ? "Pause" : "Play";
    $("live").hidden = !p.live;
    $("live").setAttribute("aria-pressed", p.follow);
    $("live").textContent = p.follow || !p.live ? "Follow" : `Back to now, ${time(end - p.time)} on`;
  };
  const changed = () => { sync(); moved(x.p.playing || x.p.follow); };
  const stop = () => Object.assign(x.p, { playing: false, follow: false });
  const frame = (now) => {
    const p = x.p;
    if (!p.playing) return;
    if (pass(p, (now - last) * 1e6 * (pace || p.speed)) || p.time >= until) p.playing = false;
    last = now;
    changed();
    requestAnimationFrame(frame);
  };
  const play = () => {
    const p = x.p;
    [x.wait, until, pace] = [null, Infinity, 0];
    p.follow = false;
    p.playing = !p.playing;
    if (p.playing) {
      if (p.time >= endOf(p)) seek(p, p.history.from);
      last = performance.now();
      requestAnimationFrame(frame);
    }
    changed();
  };
  x.play = (wait, speed, to) => {
    play();
    x.wait = wait;
    [until, pace] = [to, speed];
  };
  const doing = (f) => () => { stop(); x.wait = null; f(x.p); changed(); };
  const forth = doing(step), whole = doing(beat), back = doing(stepBack);
  $("play").onclick = play;
  $("step").onclick = forth;
  $("back").onclick = back;
  $("beat").onclick = whole;
  $("live").onclick = () => { const p = x.p; p.playing = false; p.follow = !p.follow; if (p.follow) seek(p, p.history.end); changed(); };
  $("speed").onchange = () => { x.p.speed = +$("speed").value; };
  $("time").oninput = doing((p) => seek(p, p.history.from + ($("time").value / 1000) * (endOf(p) - p.history.from)));
  document.addEventListener("keydown", (e) => {
    const target = /** @type {HTMLInputElement} */ (e.target), on = target.tagName;
    if (e.ctrlKey || e.metaKey || e.altKey || (/^(INPUT|SELECT|TEXTAREA)$/.test(on) && target.type !== "range")) return;
    if (e.key === " " && on !== "BUTTON" && on !== "SUMMARY") play();
    else if (e.key === ".") forth();
    else if (e.key === ",") back();
    else if (e.key === ";") whole();
    else return;
    e.preventDefault();
  });
  return { sync, changed, begin(speed) { x.p.speed = speed; $("speed").value = speed; sync(); } };
}
