// Axes and scales of the pictures, as SVG.

import { html } from "./markup.mjs";
import { time } from "./words.mjs";

/** Colors of pools and jobs that color-blind readers can tell apart. */
export const hues = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8a8a00", "#999999"];

/** Returns about four round numbers from 0 to most, for the ticks of an axis. */
export function ticks(most) {
  if (!(most > 0)) return [0];
  const raw = most / 4, size = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((f) => f * size).find((x) => x >= raw);
  return Array.from({ length: Math.floor((most * 1.0001) / step) + 1 }, (_, i) => i * step);
}

/** Returns the frame of a picture. Its x and y map times (ns) and numbers to places within the margins. */
export function frame(width, height, from, to, most, [left, right, top, bottom] = [48, 8, 20, 24]) {
  return {
    width, height, from, to, most,
    x: (t) => left + ((t - from) / Math.max(1, to - from)) * (width - left - right),
    y: (v) => height - bottom - (v / Math.max(1e-9, most)) * (height - top - bottom),
  };
}

/** Draws the horizontal lines of a frame, each with its number. */
export const levels = (f, unit = "") => ticks(f.most).map((v) => html`
  <line x1="${f.x(f.from)}" x2="${f.x(f.to)}" y1="${f.y(v)}" y2="${f.y(v)}"/>
  <text x="${f.x(f.from) - 4}" y="${f.y(v) + 4}" text-anchor="end">${+v.toPrecision(3)}${unit}</text>`);

export function axes(f, unit) {
  const anchor = (t) => (t === f.from ? "start" : t === f.to ? "end" : "middle");
  return html`<g class="axes">${levels(f)}${spread(f.from, f.to, f.width < 560 ? 2 : 4).map((t) => html`
    <text x="${f.x(t)}" y="${f.height - 6}" text-anchor="${anchor(t)}">${time(t)}</text>`)}
    <text x="4" y="12">${unit}</text></g>`;
}

/** Divides a time into n equal parts and returns where they begin and end. */
export const spread = (from, to, n = 4) => Array.from({ length: n + 1 }, (_, i) => from + (i / n) * (to - from));

/** Draws the vertical line at the time that the page shows. */
export function cursor(f, now) {
  const x = f.x(Math.max(f.from, now));
  return html`<line class="cursor" x1="${x}" x2="${x}" y1="20" y2="${f.height - 24}"/>`;
}

export const path = (points) => points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

/** Wraps drawn content in an SVG, with a title that says in words what it shows. */
export const picture = (width, height, label, content) => (
  html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">
    <title>${label}</title>${content}</svg>`);

/** Draws numbers over time with their axes; draw returns what stands in the frame. */
export function plot({ width, from, to, most, unit, label }, draw) {
  const f = frame(width, 240, from, Math.max(from + 1, to), most);
  return picture(width, f.height, label, html`${axes(f, unit)}${draw(f)}`);
}

/** Wraps a sign of a legend, which is drawn on ten by ten units. */
export const key = (sign) => html`<svg class="key" viewBox="0 0 10 10" aria-hidden="true">${sign}</svg>`;
