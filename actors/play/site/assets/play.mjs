// The playground: a form says what runs, the module in a worker runs it, and the page shows it.

import { $, html, show } from "./markup.mjs";
import { address, setAddress } from "./address.mjs";
import { chinese } from "./chinese.mjs";
import { teach } from "./lessons.mjs";
import { fileText, firstRun, parseLines } from "./events.mjs";
import { ask } from "./module.mjs";
import { opened, x } from "./main.mjs";
import { add, reset } from "./player.mjs";
import { go, look, noSource } from "./shell.mjs";
import { divergenceMarkup, nameOf, whatIfMarkup } from "./divergence.mjs";
import { madeWorkload, packSetup, request, unpackSetup } from "./setup.mjs";

let later = 0, runs = 0, presets, moved = "", shown = "";
const say = (said, fault = "") => { $("said").textContent = said; $("fault").textContent = fault; };
/** Returns the fieldsets of the policies. The fields of the form that belong to a set-up have a name.
 * @type {() => any[]} */
const fields = () => [...document.querySelectorAll("fieldset.policy")];
const named = (of) => [...of.querySelectorAll("[name]")];
const work = () => $("setup").querySelector("fieldset");

/** Returns the value of a field for the set-up; a hidden text has none. */
function valueOf(f) {
  if (f.hidden || f.parentElement.hidden) return "";
  if (f.type === "checkbox") return f.checked;
  return /range|number/.test(f.type) ? +f.value : f.disabled ? "" : f.value;
}

/** Returns what the form says, as a set-up.
 * @returns {any} */
function setupOf() {
  const read = (of) => Object.fromEntries(named(of).map((f) => [f.name, valueOf(f)]));
  const policies = fields().filter((f) => !f.hidden).map(read);
  return { ...read(work()), link: Math.round(2 ** +$("link").value), policies };
}

/** Fills the form from a set-up. A field that the set-up lacks stays as it is, and so does a text for an empty one. */
function fill(s) {
  const put = (of, values) => named(of).forEach((f) => {
    const value = values[f.name];
    if (f.type === "checkbox") f.checked = !!value;
    else if (value) f.value = value;
    else if (value !== undefined && f.type !== "textarea") f.value = f.type === "range" ? 0 : "";
  });
  put(work(), { ...s, workload: s.text ? "" : s.workload });
  if (s.link) $("link").value = Math.log2(s.link);
  $("own-cluster").checked = !!s.cluster;
  $("two").checked = s.policies.length > 1;
  s.policies.slice(0, 2).forEach((p, i) => {
    put(fields()[i], p);
    fields()[i].querySelector(".own").checked = !!p.text;
  });
}

/** Reports whether a preset uses a setting; its file has the others behind a #. */
const has = (preset, part) => new RegExp(`^${part}`, "m").test(presets.policies[preset] || "");
const enable = (on, ...ids) => { for (const id of ids) $(id).disabled = !on; };

/** Enables and shows the fields that fit the others, and writes the values of the sliders. */
function sync() {
  const own = $("workload").value === "", cluster = $("own-cluster").checked;
  const flows = $("flows").checked && !cluster;
  $("workload-text").parentElement.hidden = $("made").hidden = !own;
  for (const field of $("made").querySelectorAll("input, select")) field.disabled = !own;
  enable(own && +$("made-reduces").value > 0, "made-ratio", "made-skew");
  enable(own && $("made-places").value === "shared", "made-replicas");
  enable(!own, "jobs");
  enable(!cluster, "nodes", "racks", "flows");
  enable(flows, "link", "over");
  $("cluster-text").hidden = !cluster;
  fields()[1].hidden = !$("two").checked;
  $("link").nextElementSibling.textContent = `${(2 ** +$("link").value / 1e6).toFixed(1)} MB/s`;
  $("over").nextElementSibling.textContent = `${$("over").value}:1`;
  fields().forEach(syncPolicy);
}

function syncPolicy(field) {
  const part = (name) => field.querySelector(`.${name}`), own = part("own").checked, preset = part("preset").value;
  field.querySelector("textarea").hidden = !own;
  part("reduce").disabled = own;
  part("rule").disabled = own || !has(preset, "locality:");
  part("preemption").disabled = own || !has(preset, "preemption:");
  part("weights").disabled = !own && !has(preset, "pools:");
  for (const [name, needs, unit] of [["w1", "wait", " s"], ["w2", "wait", " s"], ["d", "skips", ""]]) {
    part(name).disabled = part("rule").disabled || part("rule").value !== needs;
    part(name).nextElementSibling.textContent = part(name).value + unit;
  }
}

/** Runs a request, of which the page shows the first run as its events come. Gives the answer with the events of the
 * second run and the time at which the page stood; nothing if something was wrong or something else was asked for. */
async function answer(message, markup, file = "") {
  const mine = ++runs, stood = x.loading ? -1 : x.p.time, { side } = x, second = [];
  say("running…");
  Object.assign(x, { fork: null, side: 0, names: ["this run", ""], runs: [x.runs[0], null] });
  Object.assign(x.p, { playing: false, until: 0 });
  reset(x.p);
  x.look.chosen = null;
  x.changed();
  const a = await ask(message, (side, events) => {
    if (side) for (const one of events) second.push(one);
    else add(x.p, events);
    x.changed();
  });
  if (mine !== runs) return null;
  say("", a.error && file + a.error);
  show($("divergence"), html`${!a.error && markup(a)}`);
  return a.error ? null : { ...a, second, stood, side };
}

/** Shows runs with their sources and names: at a sight, or where the page stood before, on the same side. */
function shows({ second, stood, side }, sources, names, sight) {
  document.body.dataset.ran = String(+(document.body.dataset.ran || 0) + 1);
  x.source = (side) => sources[side] || noSource();
  if (second.length) x.setOther(second, ...names);
  opened(stood);
  if (sight || stood >= 0) look(x, sight || { side, screen: x.look.screen });
}

/** Runs a recorded run again under the form's policy, and compares the two. */
async function whatIf(file) {
  const text = await fileText(file), setup = setupOf(), { preset } = setup.policies[0];
  const message = { op: "whatif", text, setup: request(setup, 0) };
  const a = await answer(message, (b) => whatIfMarkup(b.whatif, preset), `${file.name}: `);
  if (!a) return;
  add(x.p, firstRun(parseLines(text)));
  shows(a, [{ text }], ["recorded", `${preset}, what if`]);
}

/** Runs a request, shows the run at a sight, and returns the answer; null if it failed. */
async function runRequest(message, sight) {
  const { setup, other } = message, from = performance.now();
  const named = ({ divergence: d }) => [setup, other || setup].map((s, i) => nameOf(s, (d?.sides[i] ?? s).policy));
  const a = await answer(message, (b) => b.against && divergenceMarkup(b, named(b)));
  if (!a) return null;
  say(`${a.stats.Events} events in ${(performance.now() - from).toFixed(0)} ms`);
  const source = ({ policy, set, weights }) => ({ setup: { ...setup, policy, set, weights } });
  shows(a, [setup, other].filter(Boolean).map(source), named(a), sight);
  return a;
}

/** Returns the form's request to the module. It throws if a number is out of its limits. */
function messageOf(setup) {
  for (const field of $("setup").querySelectorAll("input[type=number]:enabled")) {
    const [least, most] = [field.min, field.max].map((n) => (+n).toLocaleString("en"));
    if (!field.checkValidity()) throw new Error(`${field.labels[0].textContent.trim()}: from ${least} to ${most}`);
  }
  const [first, other] = setup.policies.map((_, i) => request(setup, i));
  return other ? { op: "part", setup: first, other } : { op: "run", setup: first };
}

/** Writes what runs into the address. */
function put(play, same) {
  shown = play;
  setAddress({ play }, same);
}

async function run(changed = "") {
  const mine = ++runs, setup = setupOf(), was = address().play;
  let message;
  try {
    message = messageOf(setup);
  } catch (e) {
    return say("", e.message);
  }
  const packed = await packSetup(setup);
  if (mine !== runs) return undefined;
  // Back leads to the set-up before, but not through every place of a slider.
  put(packed, !was || (changed !== "" && changed === moved));
  moved = changed;
  $("share").href = location.href;
  return runRequest(message);
}

/** Puts the presets and examples into the form. */
function offer() {
  const first = fields()[0], second = first.cloneNode(true);
  second.dataset.side = "1";
  second.querySelector("legend").textContent = "The other policy";
  first.after(second);
  $("workload").append(...presets.workloads.map((name) => new Option(name, name)), new Option("my own…", ""));
  $("workload").value = "facebook-mixed";
  fields().forEach((f, i) => {
    const preset = f.querySelector(".preset"), text = f.querySelector("textarea");
    preset.append(...presets.order.map((name) => new Option(name, name)));
    preset.value = i ? "fifo" : "hfs";
    preset.onchange = () => { text.value = presets.policies[preset.value]; };
    preset.onchange();
  });
  sync();
}

/** Runs the scenario, the scheduler's calls line by line with what it must answer, as tarry scenario -v does. */
async function runScenario() {
  $("scenario-said").textContent = "running…";
  const a = await ask({ op: "scenario", text: $("scenario-text").value }), fault = a.error || a.code;
  Object.assign($("scenario-out"), { hidden: false, textContent: a.error || a.output });
  $("scenario-said").textContent = fault ? "It does not do what it says, or cannot be read." : "All is as it says.";
}

/** Runs the form a moment after an entry. */
function entered({ target }) {
  if (target.id === "recorded") return;
  if (target.closest("#made")) $("workload-text").value = madeWorkload($("made"));
  sync();
  clearTimeout(later);
  const text = target.tagName === "TEXTAREA" || target.type === "text"; // texts wait for a pause
  const name = target.id || `${target.className} ${target.closest("fieldset").dataset.side}`;
  later = setTimeout(() => run(name), text ? 800 : 150);
}

async function share(e) {
  e.preventDefault();
  const link = $("share").href = location.href; // with the screen and the time
  const copied = await navigator.clipboard?.writeText(link).then(() => true, () => false);
  $("shared").textContent = copied ? "The link is copied." : "It is the page’s address.";
}

async function begin() {
  const chosen = await ask({ op: "presets" });
  if (chosen.error) throw new Error(chosen.error);
  presets = chosen.presets;
  offer();
  const taught = await ask({ op: "lessons" });
  const lesson = teach(taught.lessons, {
    turn: chinese(taught.chinese), run: runRequest, ask, look: (sight) => look(x, sight), left: run, put,
  });
  /** Runs the set-up of the address, if it has one; the first call runs the form's instead. */
  const follow = async (first = false) => {
    const { play, screen } = address(), setup = await unpackSetup(shown = play);
    if (lesson(play, !screen) || !(setup || first)) return;
    if (setup) fill(setup);
    sync();
    await run();
  };
  $("setup").onsubmit = (e) => { e.preventDefault(); run(); };
  $("setup").oninput = entered;
  $("recorded").onchange = (e) => {
    const file = e.target.files[0];
    if (file) whatIf(file).catch((err) => say("", `${file.name}: ${err.message}`));
  };
  $("scenario-run").onclick = runScenario;
  $("share").onclick = share;
  $("divergence").onclick = ({ target: { dataset } }) => {
    if (!dataset.diverged) return;
    go(x, "overview");
    x.goTo(+dataset.diverged);
  };
  window.addEventListener("popstate", () => {
    if (address().play !== shown) follow(); // else it is the page's part that has changed
  });
  await follow(true);
}

x.loading = "Running…";

begin().catch((e) => say("", `The module cannot run: ${e.message}`));
