// Steering in the document: the screen of the scheduler's settings, and what can be done with the job or node that is
// chosen. Only the page of a server has it, and only as far as the server allows the user.

import { html, show } from "./markup.mjs";
import { call } from "./remote.mjs";
import { change, jobControls, nodeControls, rows, steerMarkup, told } from "./steer.mjs";

/** Returns what the page knows of its server; it calls changed when it has learned more. */
export const newSteering = (remote, changed) => (
  { remote, changed, caller: null, policy: null, says: "", bad: false, job: null, key: "" });

/** Asks the server who the user is, and for its policy. */
export async function beginSteering(st) {
  st.caller = (await call(st.remote, "server")).caller;
  await refresh(st);
}

/** Asks the server for its policy again, some time after it may have changed. */
export async function refresh(st) {
  if (st.caller?.manages) st.policy = await call(st.remote, "policy");
  st.changed();
}

/** Calls f and shows its result in words, or why the server refused. */
async function attempt(st, words, f) {
  const refused = (e) => ({ says: `${words} was refused: ${e.message}`, bad: true });
  Object.assign(st, await f().then((says) => ({ says, bad: false }), refused));
  st.changed();
}

/** Shows the value of a slider that is moved. */
export function slid({ value, nextElementSibling: to }) {
  if (to) to.textContent = `${value} ${to.dataset.unit}`.trim();
}

export function set(st, field) {
  const all = [...field.closest(".steer").querySelectorAll("[data-row]")].map((f) => [f.dataset.row, f.value]);
  return attempt(st, `${field.labels[0].textContent}: ${field.value}`, async () => {
    const before = st.policy;
    st.policy = await call(st.remote, "policy", change(field.dataset.row, Object.fromEntries(all)));
    return told("change", before, st.policy);
  });
}

export const reload = (st) => attempt(st, "Reload", async () => {
  const before = st.policy;
  await call(st.remote, "policy/reload", {}).finally(() => refresh(st));
  return told("reload", before, st.policy);
});

export function steerScreen(to, st) {
  const list = rows(st.policy), [controls, says] = to.children;
  show(controls, steerMarkup(st.policy, list));
  for (const input of controls.querySelectorAll("[data-row]")) {
    if (input.matches(":active")) continue; // it is being dragged
    input.value = list.find((r) => r.id === input.dataset.row).value;
    slid(input);
  }
  showSays(says, st);
}

function showSays(to, st) {
  to.classList.toggle("bad", st.bad === true);
  show(to, html`${st.says}`);
}

/** Asks the server for the chosen job and what the user may do with it. */
async function findJob(st, key, id) {
  const [found = null] = (await call(st.remote, `jobs?stage=job_${String(id).padStart(4, "0")}`)).items;
  if (st.key !== key) return;
  st.job = found;
  st.changed();
}

/** Does what a control says, with the chosen job or node. */
export function act(st, { dataset: { act: what }, value }) {
  const { job, chosen } = st, kill = what === "kill";
  if (chosen.cells) {
    const path = `nodes/${encodeURIComponent(chosen.name)}/${what}`;
    const ran = chosen.cells.flat().filter(Boolean).length;
    return attempt(st, `${what} ${chosen.name}`, async () => told("node", await call(st.remote, path, {}), ran));
  }
  const ran = chosen.running[0] + chosen.running[1];
  const body = kill ? { reason: `by ${st.caller.user}, on the page` } : { [what]: value };
  return attempt(st, `${what} of job ${job.id}${kill ? "" : `: ${value}`}`, async () => {
    st.job = await call(st.remote, `jobs/${job.id}/${what}`, body);
    return kill ? told("kill", st.job, ran) : `Job ${job.id} has ${what} ${value} now.`;
  });
}

/** Draws the controls of the chosen job or node, if there are any. */
function controlsOf(st, s, job, node) {
  const pools = st.policy?.pools?.map((p) => p.name) ?? [...s.groups.keys()];
  if (job?.finished < 0) return jobControls(st.job, pools);
  return node && st.caller?.manages ? nodeControls(node) : html``;
}

/** Draws the controls of the chosen job or node into an element, and keeps them up to date. */
export function chosenControls(to, st, s, chosen) {
  const job = s.jobs.get(chosen?.job), node = chosen && !chosen.job ? s.nodes.get(chosen.node) : null;
  const key = job ? `job ${job.id}` : node ? `node ${node.id}` : "", other = st.key !== key;
  const [box, says] = to.children;
  if (other) Object.assign(st, { key, says: "", bad: false, job: null });
  st.chosen = job || node;
  if (other && job) findJob(st, key, job.id).catch((e) => Object.assign(st, { says: e.message, bad: true }));
  const holds = () => box.contains(document.activeElement), focused = holds() && document.activeElement.tagName;
  if (focused !== "SELECT" || other) show(box, controlsOf(st, s, job, node)); // a list that is open stays
  if (focused && !holds()) (box.querySelector("button") || to.closest("[tabindex]")).focus();
  showSays(says, key ? st : { says: "" });
}
