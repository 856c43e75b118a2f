// The lessons: a small scenario each, what to look for, one thing to change, and a question with its
// answer. Numbers in the texts are those of the run. One lesson draws the formula's curve of locality over D.

import { frame, levels, path, picture, ticks } from "./chart.mjs";
import { $, html, show } from "./markup.mjs";

/** Returns D, the last locality.skips=D among the settings, or NaN. */
const skipsOf = (settings) => settings.reduce((d, s) => +(/^locality\.skips=(\d+)$/.exec(s) || [0, d])[1], NaN);

/** Draws locality over D: the formula's line, a circle for each simulated D, and a filled dot for each run shown. */
function curveMarkup({ line, dots }, shown) {
  const f = frame(360, 200, 0, line.at(-1).d, 100), says = (p) => (100 * p.local).toFixed(1);
  const dot = (kind, r) => (p) => html`<circle class="${kind}" cx="${f.x(p.d)}" cy="${f.y(100 * p.local)}" r="${r}">
    <title>D = ${p.d}: ${says(p)} %</title></circle>`;
  const label = "Part of the maps on their data over the offers that a job lets pass: " +
    dots.map((p) => `${p.d}: ${(100 * p.local).toFixed(0)} %`).join(", ");
  const marks = ticks(f.to).map((d) => html`<text x="${f.x(d)}" y="190" text-anchor="middle">${d}</text>`);
  return html`<figure id="curve">${picture(360, 200, label, html`<g class="axes">${levels(f, " %")}${marks}</g>
    <path class="line" d="${path(line.map((p) => [f.x(p.d), f.y(100 * p.local)]))}"/>
    ${dots.map(dot("run", 4))}${shown.map(dot("shown", 6))}`)}
    <figcaption>D, offers let pass; — formula, ○ runs</figcaption></figure>`;
}

/** Fills the names in braces of a text with the numbers of a run; "…" stands for one not known yet. */
const fill = (text, numbers) => text.replace(/\{([a-z_]+[01])\}/g, (_, name) => {
  const x = numbers[name];
  if (x === undefined) return "…";
  return x > 0 && x < 1 ? x.toPrecision(2) : x < 100 && x !== Math.trunc(x) ? x.toFixed(1) : x.toFixed(0);
});

const figures = [["mean sojourn", "{mean1}", "s"], ["maps on their data", "{local1}", "%"],
  ["WTND, GiB × links", "{wtnd1}", ""], ["tasks killed", "{killed1}", ""], ["tasks suspended", "{suspended1}", ""]];

/** Lists the figures of the other run that its one change has changed. */
function after(was, now) {
  const list = figures.map(([name, of, unit]) => ({ name, unit, from: fill(of, was), to: fill(of, now) }));
  return list.filter((f) => f.from !== f.to).map((f) => html`<br>${f.name}: <b>${f.from} → ${f.to} ${f.unit}</b>`);
}

/** Draws a lesson in English (0) or Chinese (1). said is the chosen answer or -1; changed has the
 * figures after the reader's change, if there was one; curve, if set, is drawn with a dot at each D in shown. */
function lessonMarkup({ texts, right }, language, { numbers, said, changed, curve, shown }) {
  const t = texts[language], is = said === right;
  return html`<article lang="${language ? "zh" : "en"}"><h2>${t.title}</h2><p>${t.idea}</p>
    <p class="terms">${t.terms}</p>
    <p><b>${changed ? "Before the change" : "Look for"}:</b> ${fill(t.look, numbers)} <button type="button" id="sight"
      class="quiet">Show that moment</button></p>${curve && curveMarkup(curve, shown)}
    <p><b>Change one thing:</b> ${t.change} <button type="button" id="try">
      ${changed ? "As it was" : "Change it"}</button></p>
    ${changed && html`<p id="after"><b>The other run, changed:</b>${after(numbers, changed)}</p>`}
    <p><b>Question:</b> ${t.question}</p>${t.answers.map((a, i) => html`<button type="button" class="answer"
      data-answer="${i}" aria-pressed="${String(said === i)}">${a}</button>`)}
    ${said >= 0 && html`<p id="verdict"><b class="${is ? "good" : "bad"}">${is ? "Right" : "No"}.</b>
      ${" "}${t.because[said]}</p>`}</article>`;
}

/** Sets up the row of lessons. Returns a function that chooses the lesson that an address names, if any. The page gives
 * functions in `to`: turn makes the page Chinese or English; run runs a request, shows a screen and moment of the run,
 * and returns its answer, or nothing if it failed; ask does so without showing a run; look shows a screen and moment;
 * left is called when the reader chooses no lesson any more; put writes the lesson into the address.
 * @param {any} to */
export function teach(lessons, to) {
  const none = () => ({ numbers: {}, said: -1, changed: null, curve: null, shown: [] });
  const language = () => +$("language").value;
  let at = null, done = none();
  const draw = () => show($("lesson-text"), html`${at && lessonMarkup(at, language(), done)}`);
  const title = () => {
    to.turn(language() > 0);
    lessons.forEach((l, i) => { $("lesson").options[i + 1].textContent = l.texts[language()].title; });
  };
  const work = async (open) => {
    const { setup, skips } = at, mine = done;
    const other = mine.changed ? { ...at.other, set: [...(at.other.set || []), ...at.try] } : at.other;
    const a = await to.run({ op: "part", setup, other }, open);
    if (!a) return;
    mine[mine.changed ? "changed" : "numbers"] = a.quantities;
    if (skips) {
      mine.shown = [setup, other].map((s, i) => ({ d: skipsOf(s.set), local: a.quantities[`local${i}`] / 100 }));
      mine.curve ||= (await to.ask({ op: "curve", setup, skips })).curve || null;
    }
    if (mine === done) draw();
  };
  /** The address says which lesson is open, so that Back leads to the one before. */
  const address = (same = false) => at && to.put(`lesson=${at.id},${language() ? "zh" : "en"}`, same);
  const begin = (id, opens = true) => {
    [at, done] = [lessons.find((l) => l.id === id) || null, none()];
    $("lesson").value = at ? id : "";
    $("setup").hidden = !!at;
    draw();
    address();
    if (at) work(opens ? at.open : undefined);
  };
  for (const l of lessons) $("lesson").append(new Option("", l.id));
  $("lesson").addEventListener("change", () => { begin($("lesson").value); if (!at) to.left(); });
  $("language").addEventListener("change", () => { title(); draw(); address(true); });
  $("lesson-text").addEventListener("click", (e) => {
    const { id, dataset: { answer } } = e.target.closest("button") || { dataset: {} };
    if (id === "sight") {
      to.look(at.open);
      $("controls").scrollIntoView(); // on a phone it is below
    } else if (id === "try") {
      done.changed = done.changed ? null : {};
      work();
    } else if (answer) {
      done.said = +answer;
      draw();
    }
  });
  title();
  return (part, opens) => {
    const [, id, code] = /^lesson=([a-z]+),(en|zh)$/.exec(part) || [];
    if (!id && at) begin("");
    if (!id) return false;
    $("language").value = code === "zh" ? "1" : "0";
    title();
    begin(id, opens);
    return !!at;
  };
}
