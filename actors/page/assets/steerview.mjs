// Steering in the document: the screen of the scheduler's settings, and below the explanation what
// can be done with the job or node that is chosen. Only the page of a server has it, and only as far
// as the server allows the user.

import { html, show } from "./markup.mjs";
import { call } from "./remote.mjs";
import { change, jobControls, nodeControls, rows, steerMarkup, told } from "./steer.mjs";

/** What the page knows of the server that it steers; changed is told when that is more. */
export function newSteering(remote, changed) {
  return { remote, changed, caller: null, policy: null, says: "", bad: false, job: null, asked: "", killing: false };
}

/** Asks for the user and the current policy. */
export async function beginSteering(st) {
  st.caller = (await call(st.remote, "server")).caller;
  await refresh(st);
}

/** Asks the server for its policy again, some time after it may have changed. */
export async function refresh(st) {
  if (st.caller && st.caller.manages) st.policy = await call(st.remote, "policy");
  st.changed();
}

/** Does something and shows what came of it, or why the server refused. */
async function attempt(st, words, f) {
  try {
    Object.assign(st, { says: await f(), bad: false });
  } catch (e) {
    Object.assign(st, { says: `${words} was refused: ${e.message}`, bad: true });
  }
  st.changed();
}

const values = (to) => Object.fromEntries([...to.querySelectorAll("[data-row]")].map((x) => [x.dataset.row, x.value]));

function shown(input, row) { return input.value + (row.unit ? ` ${row.unit}` : ""); }

/** Gives an element the boxes of controls and of what came of them; false if it has them. */
function empty(to) {
  if (to.steered) return false;
  to.steered = true;
  to.innerHTML = '<div class="steer"></div><p class="says" role="status"></p>';
  return true;
}

/** Draws the screen. */
export function steerScreen(to, st) {
  if (empty(to)) {
    to.addEventListener("input", (e) => {
      const row = rows(st.policy).find((r) => r.id === e.target.dataset.row);
      if (row && row.kind === "slider") e.target.nextElementSibling.textContent = shown(e.target, row);
    });
    to.addEventListener("change", (e) => {
      const id = e.target.dataset.row;
      if (id) attempt(st, `${e.target.labels[0].textContent}: ${e.target.value}`, async () => {
        const before = st.policy;
        st.policy = await call(st.remote, "policy", change(id, values(to)));
        return told("change", before, st.policy);
      });
    });
    to.addEventListener("click", (e) => {
      if (!e.target.closest('[data-do="reload"]')) return;
      attempt(st, "Reload", async () => {
        const before = st.policy;
        try {
          await call(st.remote, "policy/reload", {});
        } finally {
          await refresh(st);
        }
        return told("reload", before, st.policy);
      });
    });
  }
  if (!st.policy) return;
  const list = rows(st.policy);
  show(to.firstElementChild, steerMarkup(st.policy, list));
  for (const input of to.querySelectorAll("[data-row]")) {
    const row = list.find((r) => r.id === input.dataset.row);
    if (input.matches(":active")) continue; // it is being dragged
    input.value = row.value;
    if (row.kind === "slider") input.nextElementSibling.textContent = shown(input, row);
  }
  says(to.lastElementChild, st);
}

function says(to, st) {
  to.classList.toggle("bad", st.bad === true);
  show(to, html`${st.says}`);
}

/** Asks the server for a job that events tell of, once for each time that it is chosen. */
async function findJob(st, id) {
  st.asked = `job ${id}`;
  st.job = null;
  const found = (await call(st.remote, `jobs?stage=job_${String(id).padStart(4, "0")}`)).items[0];
  if (st.asked !== `job ${id}`) return;
  st.job = found || null;
  st.changed();
}

/** Draws what can be done with what is chosen: a job (of the cluster) or a node of a state. */
export function chosenControls(to, st, s, chosen) {
  if (empty(to)) {
    const doing = (e) => {
      const b = e.target.closest("[data-job-do],[data-node-do],[data-ask]");
      if (!b || (e.type === "click") !== (b.tagName === "BUTTON")) return;
      st.killing = b.dataset.ask === "kill";
      if (b.dataset.ask !== undefined) {
        st.says = "";
        return st.changed();
      }
      const what = b.dataset.jobDo || b.dataset.nodeDo;
      if (b.dataset.nodeDo) {
        const name = b.parentElement.dataset.name;
        const n = to.chosen, ran = n ? n.cells.flat().filter(Boolean).length : 0;
        attempt(st, `${what} ${name}`, async () => told("node", await call(st.remote, `nodes/${encodeURIComponent(name)}/${what}`, {}), ran));
        return undefined;
      }
      const job = st.job;
      const body = what === "kill" ? { reason: `by ${st.caller.user}, on the page` } : { [what]: b.value };
      const ran = to.chosen ? to.chosen.running[0] + to.chosen.running[1] : 0;
      attempt(st, `${what} of job ${job.id}${what === "kill" ? "" : `: ${b.value}`}`, async () => {
        st.job = await call(st.remote, `jobs/${job.id}/${what}`, body);
        return what === "kill" ? told("kill", st.job, ran) : `Job ${job.id} has ${what} ${b.value} now.`;
      });
    };
    to.addEventListener("click", doing);
    to.addEventListener("change", doing);
  }
  const job = chosen && chosen.job ? s.jobs.get(chosen.job) : null;
  const node = chosen && !chosen.job && chosen.node !== undefined ? s.nodes.get(chosen.node) : null;
  const key = job ? `job ${job.id}` : node ? `node ${node.id}` : "";
  if (st.key !== key) Object.assign(st, { key, says: "", bad: false, killing: false });
  to.chosen = job || node;
  if (job && st.asked !== key) findJob(st, job.id).catch((e) => Object.assign(st, { says: e.message, bad: true }));
  if (!job) Object.assign(st, { asked: "", job: null });
  const pools = st.policy && st.policy.pools ? st.policy.pools.map((p) => p.name) : [...s.groups.keys()];
  const markup = job && job.finished < 0 ? jobControls(st.job, pools, st.killing) : node && st.caller && st.caller.manages ? nodeControls(node, st.killing) : html``;
  const box = to.firstElementChild, focused = box.contains(document.activeElement) && document.activeElement.tagName;
  if (focused !== "SELECT" || to.drawn !== key) show(box, markup); // a list that is open stays
  if (focused && !box.contains(document.activeElement)) (box.querySelector("button") || to.closest("[tabindex]")).focus();
  to.drawn = key;
  says(to.lastElementChild, key ? st : { says: "" });
}
