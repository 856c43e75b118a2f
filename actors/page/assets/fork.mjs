// A fork at a decision: the same run without one wait, which the simulator runs in the browser, and what
// the wait was worth. The timeline shows the branch where it differs.

import { html } from "./markup.mjs";
import { ask } from "./module.mjs";
import { newHistory, record } from "./state.mjs";
import { kindName, many, time } from "./words.mjs";

/** Returns the key of a wait for the address: job, kind, and time and node of the refusal that began it. */
export const forkKey = (job, kind, first) => `${job}.${kind}.${first.at}.${first.node}`;

/** Returns the button "what if it had not waited?", or nothing if the job did not wait. */
export const forkButton = (job, kind, first) => (
  first && html`<p><button data-fork="${forkKey(job, kind, first)}">What if it had not waited?</button>
    <small class="unasked">What if it had not waited? A page without the simulator cannot say: “make build” makes a
    tarry whose pages have it.</small></p>`);

/** Returns a text by which to find an equal attempt in another simulation; times are in hundredths of a second. */
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

/** Says what a wait was worth, from a time with it and a time without it. */
function worth([waiting, without], whom = "") {
  const by = Math.abs(without - waiting);
  if (by < Math.min(5e6, waiting / 1000)) return `made no difference${whom && ` to${whom}`}`;
  return `${without > waiting ? "saved" : "cost"}${whom} ${time(by)}`;
}

/** Says what the wait of a fork cost or saved its job, and all jobs. */
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

/** Returns the bars of a fork that its run does not have, in the rows of the run's plan. */
export function ghosts(f, plan, barsOf) {
  if (f.plan?.of !== plan) f.plan = { ...plan, of: plan, inRows: null };
  return barsOf(f.history, f.plan).filter((b) => f.differs.has(b.attempt));
}
