// The formula's curve of locality over D, with a dot for each run that was made of it.

import { frame, path, picture, ticks } from "./chart.mjs";
import { html } from "./markup.mjs";

/** The last value of D that settings give, or NaN. */
export const skipsOf = (settings) => settings.reduce((d, s) => +(/^locality\.skips=(\d+)$/.exec(s) || [0, d])[1], NaN);

/** The picture of a curve; shown are runs on the page: their D and part in per cent. */
export function curveMarkup(curve, shown) {
  const most = curve.line[curve.line.length - 1].d, f = frame(360, 200, 0, most, 100);
  const dot = (p, kind) => html`<circle class="${kind}" cx="${f.x(p.d)}" cy="${f.y(100 * p.local)}" r="${kind === "shown" ? 6 : 4}"><title>D = ${p.d}: ${(100 * p.local).toFixed(1)} %</title></circle>`;
  const label = `Part of the maps on their data over the offers that a job lets pass: ${curve.dots.map((p) => `${p.d}: ${(100 * p.local).toFixed(0)} %`).join(", ")}`;
  return html`<figure id="curve">${picture(360, 200, label, html`<g class="axes">${ticks(100).map((v) => html`<line x1="${f.x(0)}" x2="${f.x(most)}" y1="${f.y(v)}" y2="${f.y(v)}"/><text x="${f.x(0) - 4}" y="${f.y(v) + 4}" text-anchor="end">${v} %</text>`)}${ticks(most).map((d) => html`<text x="${f.x(d)}" y="190" text-anchor="middle">${d}</text>`)}</g>
<path class="line" d="${path(curve.line.map((p) => [f.x(p.d), f.y(100 * p.local)]))}"/>${curve.dots.map((p) => dot(p, "run"))}${shown.map((p) => dot(p, "shown"))}`)}<figcaption>D, offers let pass; — formula, ○ runs</figcaption></figure>`;
}
