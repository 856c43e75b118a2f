// A fork at a decision: the same run without one wait, which the simulator runs in the browser, and what
// the wait was worth. The timeline shows the branch where it differs.

import { html } from "./markup.mjs";
import { ask } from "./module.mjs";
import { newHistory, record } from "./state.mjs";
import { kindName, many, time } from "./words.mjs";

/** The wait that begins with a refusal, as the address holds it: job, kind, time and node. */
export const forkKey = (job, kind, first) => `${job}.${kind}.${first.at}.${first.node}`;

/** The button beside a why; nothing where a job did not wait. Pages without the simulator say so instead. */
export const forkButton = (job, kind, first) => (
  first && html`<p><button data-fork="${forkKey(job, kind, first)}">What if it had not waited?</button>
    <small class="unasked">What if it had not waited? A page without the simulator cannot say: “make build” makes a
    tarry whose pages have it.</small></p>`);

/** What an attempt of a simulation is, to find it in another one: times to a hundredth of a second. */
const same = (a) => `${a.id} ${a.node} ${a.segments.map((part) => part.map((n) => Math.round(n / 1e7)))}`;

/** Runs the branch of a fork and shows it; an empty key forgets the last one. */
export async function fork(x, key) {
  const [job, kind, at, node] = key.split(".").map(Number), { side, p } = x;
  const says = "Simulating the run with and without this wait…";
  const f = x.fork = key ? { key, side, says, branch: null, history: null, differs: null, plan: null } : null;
  if (!f) return x.forked();
  x.redraw();
  try {
    const ids = new Map([...p.history.nodes.values()].map((n) => [n.name, n.id]));
    const both = [newHistory(), newHistory()];
    const take = (of, events) => { // the simulation may number nodes otherwise
      for (const e of events) record(both[of], ids.has(e.node_name) ? { ...e, node: ids.get(e.node_name) } : e);
    };
    const a = await ask({ op: "fork", ...x.source(side), fork: { job, kind, at, node } }, take);
    if (a.error) throw new Error(a.error);
    const known = new Set(both[0].attempts.map(same));
    const differs = both[1].attempts.filter((b) => !known.has(same(b)));
    Object.assign(f, { branch: a.branch, history: both[1], differs: new Set(differs) });
  } catch (e) {
    f.says = `That cannot be said: ${e.message}.`;
  }
  return x.fork === f ? x.forked() : undefined;
}

/** What a wait was worth, of a time with it and a time without. */
function worth([waiting, without], whom = "") {
  const by = Math.abs(without - waiting);
  if (by < Math.min(5e6, waiting / 1000)) return `made no difference${whom && ` to${whom}`}`;
  return `${without > waiting ? "saved" : "cost"}${whom} ${time(by)}`;
}

/** The price of the wait, in words. */
export function priceMarkup(f) {
  if (!f.branch) return html`<h2>What if it had not waited?</h2><p>${f.says}</p>`;
  const { fork: of, job, mean, others, waited, error, node_name: node, warnings } = f.branch;
  const priced = job[0] && job[1], asked = time(+f.key.split(".")[2]), off = (100 * Math.abs(error)).toFixed(2);
  const price = priced ? html`${worth(job, ` job ${of.job}`)}</b>: ${time(job[0])} with it, ${time(job[1])} without`
    : html`cannot be priced</b>: the job has not ended in this run`;
  const honest = error !== undefined && html` Both are simulations of this run; the mean of the first is ${off} % off,
    and smaller differences say nothing. In the run itself the slot was let pass at ${asked}.`;
  return html`<h2>What if it had not waited?</h2>
    <p>At ${time(of.at)} job ${of.job} let a ${kindName(of.kind)} slot on ${node} pass. <b>This wait${
      waited > 0 && ` of ${time(waited)}`} ${price}.</p>
    <p>In the mean over all jobs it ${worth(mean.map((s) => s * 1e9))}; ${many(others, "other job")} took another
      time.${honest}${warnings?.map((w) => ` ${w}.`)}</p>
    <p><button data-screen="timeline">Show the branch</button> <button data-fork="">Forget it</button> On the timeline
      it is dashed where it differs.</p>`;
}

/** The bars of the branch that the run does not have, in the rows of a plan of the run. */
export function ghosts(f, plan, barsOf) {
  if (f.plan?.of !== plan) f.plan = { ...plan, of: plan, inRows: null };
  return barsOf(f.history, f.plan).filter((b) => f.differs.has(b.attempt));
}
