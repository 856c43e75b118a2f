// The lessons: a small scenario each, what to look for, one thing to change, and a question with its
// answer. Numbers in the texts are those of the run.

import { setPlayPart } from "./address.mjs";
import { curveMarkup, skipsOf } from "./curve.mjs";
import { $, html, show } from "./markup.mjs";

/** A text with the numbers of a run; what the run does not have yet is left open. */
export function fill(text, numbers) {
  return text.replace(/\{([a-z_]+[01])\}/g, (_, name) => {
    const x = numbers[name];
    if (x === undefined) return "…";
    return x > 0 && x < 1 ? x.toPrecision(2) : x < 10 && x !== Math.trunc(x) ? x.toFixed(2) : x.toFixed(0);
  });
}

/** What the one change has done to the other run, in the numbers that differ. */
const after = (was, now) => [["mean sojourn", "mean1", "s"], ["maps on their data", "local1", "%"], ["WTND, GiB × links", "wtnd1", ""], ["tasks killed", "killed1", ""], ["tasks suspended", "suspended1", ""]]
  .map(([name, of, unit]) => [name, fill(`{${of}}`, was), `${fill(`{${of}}`, now)} ${unit}`]).filter(([, x, y]) => x !== y.split(" ")[0])
  .map(([name, x, y]) => html`<br>${name}: <b>${x} → ${y}</b>`);

/** The markup of a lesson in a language, 0 or 1; said is the number of the answer chosen, -1 for none, changed the numbers of the changed run, if it is. */
export function lessonMarkup(lesson, language, numbers, said, changed, curve) {
  const t = lesson.texts[language];
  const verdict = said < 0 ? html`` : html`<p id="verdict"><b class="${said === lesson.right ? "good" : "bad"}">${said === lesson.right ? "Right" : "No"}.</b> ${t.because[said]}</p>`;
  return html`<article lang="${language ? "zh" : "en"}"><h2>${t.title}</h2><p>${t.idea}</p><p class="terms">${t.terms}</p><p><b>${changed ? "Before the change" : "Look for"}:</b> ${fill(t.look, numbers)} <button type="button" id="sight" class="quiet">Show that moment</button></p>${curve}
<p><b>Change one thing:</b> ${t.change} <button type="button" id="try">${changed ? "As it was" : "Change it"}</button></p>${changed ? html`<p id="after"><b>The other run, changed:</b>${after(numbers, changed)}</p>` : ""}
<p><b>Question:</b> ${t.question}</p>${t.answers.map((a, i) => html`<button type="button" class="answer" data-answer="${i}" aria-pressed="${String(said === i)}">${a}</button> `)}${verdict}</article>`;
}

/** Makes the lessons' row work. turn makes the page Chinese or not, run runs a request, opens the page at a sight, and gives its answer, or nothing if that was wrong;
 * ask is for answers that are no run to show, left is told when no lesson is chosen any more, shown what part of the address is a lesson. */
export function teach(lessons, turn, run, ask, left, told) {
  let at = null, numbers = {}, said = -1, changed = null, curve = null, shown = [];
  const draw = () => {
    const language = +$("language").value;
    show($("lesson-text"), at ? lessonMarkup(at, language, numbers, said, changed, curve ? curveMarkup(curve, shown) : "") : html``);
  };
  const title = () => {
    turn(+$("language").value > 0);
    lessons.forEach((l, i) => { $("lesson").options[i + 1].textContent = l.texts[+$("language").value].title; });
  };
  for (const l of lessons) $("lesson").append(new Option("", l.id));
  const work = async (first = false) => {
    const other = changed ? { ...at.other, set: [...(at.other.set || []), ...at.try] } : at.other;
    const a = await run({ op: "part", setup: at.setup, other }, first ? at.open : undefined);
    if (!a) return;
    if (changed) changed = a.quantities;
    else numbers = a.quantities;
    if (at.skips) {
      const of = [at.setup, other].map((s) => skipsOf(s.set));
      shown = of.map((d, i) => ({ d, local: a.quantities[`local${i}`] / 100 }));
      const lesson = at;
      curve ||= (await ask({ op: "curve", setup: at.setup, skips: at.skips })).curve || null;
      if (at !== lesson) return;
    }
    draw();
  };
  const begin = (id, opens = true) => {
    at = lessons.find((l) => l.id === id) || null;
    [numbers, curve, said, changed] = [{}, null, -1, null];
    $("lesson").value = at ? id : "";
    $("setup").hidden = !!at;
    draw();
    address();
    return at ? work(opens) : null;
  };
  /** The address says which lesson is open, so that Back leads to the one before. */
  const address = (same = false) => {
    if (!at) return;
    const part = `lesson=${at.id},${+$("language").value ? "zh" : "en"}`;
    told(part);
    setPlayPart(part, same);
  };
  $("lesson").addEventListener("change", () => { begin($("lesson").value); if (!at) left(); });
  $("language").addEventListener("change", () => { title(); draw(); address(true); });
  $("lesson-text").addEventListener("click", (e) => {
    const b = e.target.closest("button");
    if (!b) return;
    if (b.id === "sight") {
      document.dispatchEvent(new CustomEvent("run", { detail: { open: at.open } }));
      $("controls").scrollIntoView(); // on a phone it is below
    } else if (b.id === "try") {
      changed = changed ? null : {};
      work();
    } else {
      said = +b.dataset.answer;
      draw();
    }
  });
  title();
  return (part, opens) => {
    const m = /^lesson=([a-z]+),(en|zh)$/.exec(part);
    if (!m) {
      if (at) begin("");
      return false;
    }
    $("language").value = m[2] === "zh" ? "1" : "0";
    title();
    begin(m[1], opens);
    return !!at;
  };
}
