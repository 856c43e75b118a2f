// The row that is always in sight: play, steps, speed and the slider; and the keys.

import { beat, pass, seek, step, stepBack } from "./player.mjs";
import { time } from "./words.mjs";

const speeds = [0.01, 0.1, 1, 10, 60, 600, 3600];

/** The time of day at a time of the run, "" for a simulation. */
export function wall(state, at) {
  const from = state.began && state.began.wall ? Date.parse(state.began.wall) : NaN;
  return Number.isNaN(from) ? "" : new Date(from + at / 1e6).toLocaleTimeString();
}

/** A speed at which a run of so many nanoseconds takes about half a minute. */
export function fitting(end) {
  const wish = end / 30e9;
  return speeds.reduce((a, b) => (Math.abs(Math.log(b / wish)) < Math.abs(Math.log(a / wish)) ? b : a), 1);
}

/** Makes the row work. changed is told when the page stands elsewhere; screens switches by number. */
export function control(p, changed, screens) {
  /** @type {(id: string) => any} */
  const $ = (id) => document.getElementById(id);
  let last = 0;
  for (const s of speeds) $("speed").append(new Option(`${s}×`, String(s)));
  const sync = () => {
    $("time").value = p.history.end > p.history.from ? (1000 * (p.time - p.history.from)) / (p.history.end - p.history.from) : 0;
    $("time").setAttribute("aria-valuetext", time(p.time));
    const day = wall(p.state, p.time);
    $("clock").textContent = `${time(p.time)} of ${time(p.history.end)}${day ? ` · ${day}` : ""}`;
    $("play").setAttribute("aria-pressed", p.playing);
    $("play").textContent = p.playing ? "Pause" : "Play";
    $("live").setAttribute("aria-pressed", p.follow);
  };
  const stop = () => { p.playing = false; p.follow = false; };
  const frame = (now) => {
    if (!p.playing) return;
    if (pass(p, (now - last) * 1e6 * p.speed)) p.playing = false;
    last = now;
    moved();
    requestAnimationFrame(frame);
  };
  const moved = () => { sync(); changed(); };
  const play = () => {
    p.follow = false;
    p.playing = !p.playing;
    if (p.playing) {
      if (p.time >= p.history.end) seek(p, p.history.from);
      last = performance.now();
      requestAnimationFrame(frame);
    }
    moved();
  };
  const forth = () => { stop(); step(p); moved(); };
  const whole = () => { stop(); beat(p); moved(); };
  const back = () => { stop(); stepBack(p); moved(); };
  $("play").onclick = play;
  $("step").onclick = forth;
  $("back").onclick = back;
  $("beat").onclick = whole;
  $("live").onclick = () => { p.playing = false; p.follow = !p.follow; if (p.follow) seek(p, p.history.end); moved(); };
  $("speed").onchange = () => { p.speed = +$("speed").value; };
  $("time").oninput = () => { stop(); seek(p, p.history.from + ($("time").value / 1000) * (p.history.end - p.history.from)); moved(); };
  document.addEventListener("keydown", (e) => {
    const target = /** @type {HTMLInputElement} */ (e.target), on = target.tagName;
    if (e.ctrlKey || e.metaKey || e.altKey || (/^(INPUT|SELECT|TEXTAREA)$/.test(on) && target.type !== "range")) return;
    const button = on === "BUTTON";
    if (e.key === " " && !button) play();
    else if (e.key === ".") forth();
    else if (e.key === ",") back();
    else if (e.key === ";") whole();
    else if (/^[0-9]$/.test(e.key)) screens((+e.key + 9) % 10);
    else return;
    e.preventDefault();
  });
  return { sync, begin(speed) { p.speed = speed; $("speed").value = speed; $("live").hidden = !p.follow; } };
}
