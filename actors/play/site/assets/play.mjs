// The playground: a form says what runs, the module in a worker runs it, and the page shows it. What
// draws is the page's; this hands it events.

import { $, html, show } from "./markup.mjs";
import { parseAddress, playPart, setPlayPart } from "./address.mjs";
import { chinese } from "./chinese.mjs";
import { teach } from "./lessons.mjs";
import { scenarios } from "./scenario.mjs";
import { fileText, firstRun, parseLines } from "./events.mjs";
import { ask } from "./module.mjs";
import { madeOf, workloadText } from "./made.mjs";
import { nameOf, divergenceMarkup, whatIfMarkup } from "./divergence.mjs";
import { packSetup, request, unpackSetup } from "./setup.mjs";

const example = `name: mine
jobs:
  - {name: long, maps: 200, map_time: 10s, reduces: 8, shuffle_ratio: 0.3, user: ann}
  - {name: short, at: 20s, count: 8, gap: exponential 6s, maps: 6, map_time: 5s, user: bob}
`;
let later = 0, runs = 0, presets, divergence = null, moved = "", shown = "";

const tell = (detail) => document.dispatchEvent(new CustomEvent("run", { detail }));

/** What a policy of the form is made of, by the class of its field. */
const parts = ["preset", "rule", "w1", "w2", "d", "reduce", "preemption", "weights"];

/** A policy of the form. */
function policyOf(field) {
  const out = { text: field.querySelector(".own").checked ? field.querySelector("textarea").value : "" };
  for (const name of parts) {
    const { type, value, disabled } = field.querySelector(`.${name}`);
    out[name] = type === "range" ? +value : disabled ? "" : value;
  }
  return out;
}

/** @type {() => any[]} */
const fields = () => [...document.querySelectorAll("fieldset.policy")];

/** The form as a set-up. */
function setupOf() {
  const own = $("workload").value === "";
  return {
    workload: $("workload").value, text: own ? $("workload-text").value : "", jobs: +$("jobs").value, nodes: +$("nodes").value, racks: +$("racks").value, seed: +$("seed").value,
    heartbeats: $("drive").value === "heartbeat", flows: $("flows").checked, link: Math.round(2 ** +$("link").value), over: +$("over").value,
    cluster: $("own-cluster").checked ? $("cluster-text").value : "", policies: fields().filter((f) => !f.hidden).map(policyOf),
  };
}

/** A set-up put into the form. */
function fill(s) {
  $("workload").value = s.text ? "" : s.workload;
  if (s.text) $("workload-text").value = s.text;
  for (const k of ["nodes", "racks", "seed", "over"]) if (s[k]) $(k).value = s[k];
  $("jobs").value = s.jobs || "";
  $("drive").value = s.heartbeats ? "heartbeat" : "";
  $("flows").checked = !!s.flows;
  if (s.link) $("link").value = Math.log2(s.link);
  $("own-cluster").checked = !!s.cluster;
  if (s.cluster) $("cluster-text").value = s.cluster;
  $("two").checked = s.policies.length > 1;
  s.policies.slice(0, 2).forEach((p, i) => {
    const field = fields()[i];
    for (const k of parts) if (p[k] !== undefined) field.querySelector(`.${k}`).value = p[k];
    field.querySelector(".own").checked = !!p.text;
    if (p.text) field.querySelector("textarea").value = p.text;
  });
}

/** Whether a preset uses a setting; one it does not use stands behind # in its file. */
const has = (preset, part) => new RegExp(`^${part}`, "m").test(presets.policies[preset] || "");

/** Shows what goes with what, and the numbers of the sliders. */
function sync() {
  const chosen = $("workload").value !== "";
  $("workload-text").parentElement.hidden = $("made").hidden = chosen;
  for (const field of $("made").querySelectorAll("input, select")) field.disabled = chosen;
  for (const name of ["ratio", "skew"]) $(`made-${name}`).disabled = chosen || !(+$("made-reduces").value > 0);
  $("made-replicas").disabled = chosen || $("made-places").value !== "shared";
  $("jobs").disabled = $("workload").value === "";
  $("cluster-text").hidden = !$("own-cluster").checked;
  $("nodes").disabled = $("racks").disabled = $("flows").disabled = $("own-cluster").checked;
  fields()[1].hidden = !$("two").checked;
  const flows = $("flows").checked && !$("own-cluster").checked;
  $("link").disabled = $("over").disabled = !flows;
  $("link").nextElementSibling.textContent = `${(2 ** +$("link").value / 1e6).toFixed(1)} MB/s`;
  $("over").nextElementSibling.textContent = `${$("over").value}:1`;
  for (const f of fields()) {
    const own = f.querySelector(".own").checked, rule = f.querySelector(".rule").value, preset = f.querySelector(".preset").value;
    f.querySelector("textarea").hidden = !own;
    for (const name of ["rule", "reduce"]) f.querySelector(`.${name}`).disabled = own;
    f.querySelector(".rule").disabled = own || !has(preset, "locality:");
    f.querySelector(".preemption").disabled = own || !has(preset, "preemption:");
    f.querySelector(".weights").disabled = !own && !has(preset, "pools:");
    for (const [name, needs] of [["w1", "wait"], ["w2", "wait"], ["d", "skips"]]) {
      const slider = f.querySelector(`.${name}`);
      slider.disabled = own || rule !== needs || f.querySelector(".rule").disabled;
      slider.nextElementSibling.textContent = name === "d" ? slider.value : `${slider.value} s`;
    }
  }
}

/** The answer to a request, or nothing if something was wrong or something else was asked for meanwhile. */
async function answer(message, markup, file = "") {
  const mine = ++runs;
  $("fault").textContent = "";
  $("said").textContent = "running…";
  tell({ begin: true });
  const a = await ask(message, (side, events) => tell({ side, events }));
  if (mine !== runs) return null;
  divergence = a.divergence || null;
  $("said").textContent = "";
  $("fault").textContent = a.error ? file + a.error : "";
  show($("divergence"), a.error ? html`` : markup(a));
  return a.error ? null : a;
}

/** The page has what it is to show. */
function shows(detail) {
  document.body.dataset.ran = String(+(document.body.dataset.ran || 0) + 1);
  tell({ end: true, ...detail });
}

/** Runs a recorded run again under the form's policy, and compares the two. */
async function whatIf(file) {
  const text = await fileText(file), setup = setupOf(), { preset } = setup.policies[0];
  if (!await answer({ op: "whatif", text, setup: request(setup, 0) }, (a) => whatIfMarkup(a.whatif, preset), `${file.name}: `)) return;
  tell({ side: 0, events: firstRun(parseLines(text)) });
  shows({ sources: [{ text }], names: ["recorded", `${preset}, what if`] });
}

/** Runs a request and shows it; gives its answer, if there is one. */
async function runRequest(message, open) {
  const named = (b) => [message.setup, message.other || message.setup].map((s, i) => nameOf(s, b.divergence ? b.divergence.sides[i].policy : s.policy));
  const from = performance.now(), a = await answer(message, (b) => (b.against ? divergenceMarkup(b, named(b)) : html``));
  if (!a) return null;
  $("said").textContent = `${a.stats.Events} events in ${(performance.now() - from).toFixed(0)} ms`;
  const sources = [message.setup, message.other].filter(Boolean).map(({ policy, set, weights }) => ({ setup: { ...message.setup, policy, set, weights } }));
  shows({ sources, names: named(a), open });
  return a;
}

/** Runs what the form says. */
async function run(changed = "") {
  const mine = ++runs, setup = setupOf();
  let message;
  try {
    for (const field of $("setup").querySelectorAll("input[type=number]:enabled")) {
      if (!field.checkValidity()) throw new Error(`${field.labels[0].textContent.trim()}: from ${(+field.min).toLocaleString("en")} to ${(+field.max).toLocaleString("en")}`);
    }
    message = { op: "run", setup: request(setup, 0) };
    if (setup.policies.length > 1) message = { op: "part", setup: message.setup, other: request(setup, 1) };
  } catch (e) {
    $("fault").textContent = e.message;
    $("said").textContent = "";
    return;
  }
  const packed = await packSetup(setup);
  if (mine !== runs) return;
  if (playPart() !== packed) { // Back leads to the set-up before, but not through every place of a slider
    setPlayPart(packed, !playPart() || (changed !== "" && changed === moved));
    moved = changed;
  }
  shown = packed;
  $("share").href = location.href;
  await runRequest(message);
}

async function begin() {
  const first = fields()[0], second = first.cloneNode(true);
  second.dataset.side = "1";
  second.querySelector("legend").textContent = "The other policy";
  first.after(second);
  first.querySelector("legend").textContent = "Policy";
  const chosen = await ask({ op: "presets" }, () => {});
  if (chosen.error) throw new Error(chosen.error);
  presets = chosen.presets;
  for (const name of presets.workloads) $("workload").append(new Option(name, name));
  $("workload").append(new Option("my own…", ""));
  $("workload").value = "facebook-mixed";
  $("workload-text").value = example;
  $("cluster-text").value = "classes:\n  - {name: new, map_slots: 4, reduce_slots: 2}\nracks:\n  - {count: 2, nodes: [5 new]}\n";
  fields().forEach((f, i) => {
    for (const name of presets.order) f.querySelector(".preset").append(new Option(name, name));
    const preset = f.querySelector(".preset"), text = f.querySelector("textarea");
    preset.value = i ? "fifo" : "hfs";
    const fresh = () => { text.value = presets.policies[preset.value]; };
    preset.addEventListener("change", fresh);
    fresh();
  });
  const taught = await ask({ op: "lessons" }, () => {});
  const lesson = teach(taught.lessons, chinese(taught.chinese), runRequest, (message) => ask(message, () => {}), () => { shown = playPart(); return run(); }, (part) => { shown = part; });
  scenarios((message) => ask(message, () => {}));
  const shared = await unpackSetup(playPart());
  if (shared) fill(shared);
  sync();
  const form = $("setup");
  form.addEventListener("submit", (e) => { e.preventDefault(); run(); });
  $("recorded").addEventListener("change", (e) => {
    const file = e.target.files[0];
    if (file) whatIf(file).catch((err) => { $("fault").textContent = `${file.name}: ${err.message}`; });
  });
  form.addEventListener("input", (e) => {
    if (e.target.id === "recorded") return;
    if (e.target.closest("#made")) $("workload-text").value = workloadText(madeOf($("made")));
    sync();
    clearTimeout(later);
    const text = e.target.tagName === "TEXTAREA" || e.target.type === "text"; // texts wait for a pause
    later = setTimeout(() => run(e.target.id || `${e.target.className} ${e.target.closest("fieldset").dataset.side}`), text ? 800 : 150);
  });
  $("share").addEventListener("click", (e) => {
    e.preventDefault();
    $("share").href = location.href; // with the screen and the time
    const said = (text) => { $("shared").textContent = text; };
    const copied = navigator.clipboard ? navigator.clipboard.writeText($("share").href) : Promise.reject();
    copied.then(() => said("The link is copied."), () => said("It is the page’s address."));
  });
  $("divergence").addEventListener("click", (e) => { if (e.target.id === "diverged" && divergence) tell({ seek: divergence.at }); });
  window.addEventListener("popstate", async () => {
    if (playPart() === shown) return; // it is the page's part that has changed
    const s = await unpackSetup(playPart());
    shown = playPart();
    if (!lesson(shown, !parseAddress(location.hash).screen) && s) { fill(s); sync(); run(); }
  });
  shown = playPart();
  if (!lesson(shown, !parseAddress(location.hash).screen)) await run();
}

begin().catch((e) => { $("fault").textContent = `The module cannot run: ${e.message}`; });
