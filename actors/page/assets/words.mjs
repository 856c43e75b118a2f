// What events and numbers say in words.

/** Formats a time in nanoseconds, such as 12.5 s. */
export function time(ns) {
  const s = ns / 1e9;
  if (s < 0) return `-${time(-ns)}`;
  if (s >= 3600) return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
  if (s >= 60) return `${Math.floor(s / 60)} min ${Math.floor(s % 60)} s`;
  if (s >= 0.1) return `${s.toFixed(s >= 10 ? 1 : 2)} s`;
  return s > 0 ? `${(s * 1000).toPrecision(3)} ms` : "0 s";
}

export function bytes(n) {
  const i = n < 1024 ? 0 : Math.min(5, Math.floor(Math.log2(n) / 10)), x = n / 1024 ** i;
  return `${i === 0 ? n : x.toFixed(x < 10 ? 1 : 0)} ${["B", "KiB", "MiB", "GiB", "TiB", "PiB"][i]}`;
}

export const percent = (part, all) => (all > 0 ? `${((100 * part) / all).toFixed(part === all ? 0 : 1)} %` : "–");
/** Formats a number with its noun, such as 1 job or 2 jobs. */
export const many = (n, thing) => `${n} ${thing}${n === 1 ? "" : "s"}`;
/** Formats a number of maps and one of reduces, such as 3 + 1. */
export const pair = (/** @type {any[]} */ [maps, reduces]) => `${maps} + ${reduces}`;
/** Formats a weighted distance: bytes × the links that they cross. */
export const links = (n) => `${bytes(n)} × links`;
export const kindName = (kind) => (kind === 1 ? "reduce" : "map");
/** Formats a task, such as "map 3 of job 7"; a second try is named. */
export const taskName = ({ kind, task, job, try: n }) => (
  `${kindName(kind)} ${task} of job ${job}${n > 0 ? `, try ${n + 1}` : ""}`);

/** Parses the name of an attempt, such as job_0001_m_000003_0, into job, kind, task and try. */
export function parseAttempt(name) {
  const m = /^job_(\d+)_([mr])_(\d+)_(\d+)$/.exec(name || "");
  return m && { job: +m[1], kind: m[2] === "r" ? 1 : 0, task: +m[3], try: +m[4] };
}

/** Returns how many launched maps had a place of their data. */
export const located = (near) => near.N + near.R + near.O;
/** Formats the percentage of those maps that ran on their data. */
export const localPart = (near) => percent(near.N, located(near));
/** Returns the cause of a decision, or "". */
export const causeOf = (e) => e.reason?.cause || "";
/** Reports whether a job with this cause lets a slot pass for a better one. */
export const isWait = (cause) => /^waiting for|has its part/.test(cause);
/** Reports whether a policy places reduces by LARTS. */
export const isLarts = (policy) => policy?.Reduce?.Rule === 2;
/** Names the node that the rule wants for a reduce: LARTS the one with most of its input, CoGRS the center. */
export const aim = (larts) => (larts ? "the node that holds most" : "its center of gravity");

/** Returns an event, marked with larts if it is about a reduce that the policy places by LARTS. */
export function underPolicy(policy, e) {
  if (!e.kind || !e.reason || !isLarts(policy)) return e;
  return { ...e, larts: true, placed: e.placed && { ...e.placed, larts: e.node_name } };
}

/** Reports whether a reduce is where its rule wants it. */
const atAim = (placed) => placed?.center && placed.here <= placed.at_center;
/** Where a reduce stands that is as near as its rule wants: LARTS may choose another node that holds as much. */
export const atOrNear = ({ larts, center }) => `${larts && larts !== center ? "as near as" : "at"} ${aim(larts)}`;

/** Says how much worse a reduce's node is than its center; "" if it is not. */
export function worse(placed) {
  if (!placed?.center || atAim(placed)) return "";
  if (!placed.at_center) return `all of its input is on ${placed.center}`;
  return `+${((100 * (placed.here - placed.at_center)) / placed.at_center).toFixed(1)} % over ${placed.center}`;
}

/** Says what a reduce's node costs, beside the one that its rule wants and the best, if known. */
function paid(placed) {
  const { at_center: least, center, best, larts } = placed, more = worse(placed);
  const whose = larts ? `${center}, which holds most` : `its center ${center}`;
  const wanted = least ? `${links(least)} at ${whose} (${more.split(" over ")[0]})` : more;
  return `${links(placed.here)}, ${wanted}${best && best < least ? `, ${links(best)} at best` : ""}`;
}

/** Says a reason in words; placed is what the event says of a reduce's node. */
export function why(reason, placed) {
  if (!reason?.cause) return "";
  const { cause, wait, of, count = 0 } = reason, larts = placed?.larts, waited = cause === "waited for locality";
  const chosen = /^(center of gravity|the node that holds most)/.test(cause), took = wait ? `, ${time(wait)}` : "";
  if (atAim(placed) && (chosen || waited)) return `${atOrNear(placed)}${wait ? `, after ${time(wait)}` : ""}`;
  const far = placed?.center && !atAim(placed) ? `: ${paid(placed)}` : "";
  if (far && chosen && !/counted$/.test(cause)) return `${larts ? "holds nearly as much" : "near enough"}${far}`;
  if (far && waited) return `its wait for ${larts ? aim(true) : "its center"} is over${took}${far}`;
  const counted = of ? `, ${count} of ${of}` : count ? `, offers refused: ${count}` : "";
  return `${cause}${took && `${took} so far`}${counted}${far}`;
}

/** What becomes of an attempt, or of several, by the type of the decision. */
export const becomes = {
  killed: ["is killed", "are killed"], suspended: ["is suspended", "are suspended"], resumed: ["goes on", "go on"],
  victim: ["would be killed by preemption", "would be killed by preemption"],
};

/** Describes a decision in a sentence. */
export function sentence(e) {
  const skipped = e.type === "skipped", reason = why(e.reason, skipped ? null : e.placed);
  const because = reason && `: ${reason}`, on = e.node_name ? ` on ${e.node_name}` : "";
  if (skipped) return skipSentence(e, because);
  const near = e.type === "launched" && e.locality ? `, ${e.locality}` : "";
  return `${taskName(parseAttempt(e.attempt))} ${becomes[e.type]?.[0] ?? "starts"}${on}${near}${because}`;
}

function skipSentence(e, because) {
  const where = e.node_name ? ` passes over a free slot on ${e.node_name}` : " waits", left = e.until - e.at;
  const to = e.placed?.center, named = /center of gravity|the node that holds most/;
  let says = because;
  if (to && named.test(because)) says = because.replace(named, (name) => `${name}, ${to}`);
  else if (to) says = `${because} (${e.larts ? aim(true) : "the center"} is ${to})`;
  if (e.level) says += `; it may go ${mayGo(e.kind, e.level, e.larts)}`;
  if (left > 0 && e.kind === 1) says += `, anywhere ${time(left)} later at the latest`;
  else if (left > 0) says += ` for ${time(left)} more${e.reason.wait ? `, of ${time(e.reason.wait + left)}` : ""}`;
  return `job ${e.job}${where} (${kindName(e.kind)}s)${says}`;
}

/** Says how far a job may go from its data, or from the nodes that its rule wants for its reduces. */
export function mayGo(kind, level, larts) {
  const from = kind !== 1 ? "its data" : larts ? aim(true) : "its center";
  if (level === "node-local") return `only to ${kind === 1 ? from : `a node with ${from}`}`;
  return level === "rack-local" ? `as far as the rack of ${from}` : "anywhere";
}

/** Explains the cause of a reason to a reader who does not know it; "" if its words suffice. */
export function meaning(cause, placed = null) {
  if (cause !== "waited for locality" || !placed?.center) return meanings[cause] || "";
  if (atAim(placed)) return `Its wait for a nearer node is over, and this one is as near as ${aim(placed.larts)}.`;
  return `It has waited for ${aim(placed.larts)} as long as it may, and takes what is free.`;
}

const meanings = {
  "first fit":
    "The rule of this scheduler is greedy: whatever map comes first takes the slot, near its data or not.",
  "waited for locality": "It has waited for a nearer slot as long as it may, and takes this one.",
  "waiting for locality":
    "Delay scheduling: the job lets this slot pass, since a slot near its data is likely to free soon.",
  "center of gravity":
    "The node from which the reduce has least to fetch over the network, or one that is nearly as good.",
  "center of gravity, running maps counted": "Maps of the job still run near this node. " +
    "With their outputs it is the center, though what is known so far lies elsewhere.",
  "no node nearer to its center has a slot": "The nodes nearer to its center are full, " +
    "and none is likely to free a slot within its wait. Of the nodes with a slot this is among the best.",
  "waiting for its center of gravity":
    "The job lets this slot pass: its reduces would have much more to fetch here than at their center.",
  "the node that holds most": "LARTS: the node that holds most of the reduce's input, " +
    "or one that holds nearly as much, wherever the rest of the input is.",
  "the node that holds most, running maps counted": "Maps of the job still run on this node. " +
    "With their outputs it holds most, though of what is known so far another holds more.",
  "no node that holds more has a slot":
    "The nodes that hold more of its input are full, and none is likely to free a slot within its wait.",
  "waiting for the node that holds most":
    "The job lets this slot pass: other nodes hold much more of its reduces' input.",
  "no gain in waiting": "No node is better by enough to wait for it.",
  "node has its part of the job's reduces": "More of them here would make this node's link the bottleneck.",
  "slow start: too few maps done":
    "Reduces launch only when a part of the maps is done; till then they would only hold slots.",
  "load cap of the node": "The cluster has more slots than tasks, and this node has its part of them.",
  "last slot kept for short tasks": "The node's last slot is not given to long tasks.",
  "the slot was not offered to it": "Others come first in the order of the policy.",
  "no slot is free": "All slots are taken, or others come first.",
  "cheapest here": "The least cost of all ways to give slots to maps.",
  "enough jobs of the queue wait initialized":
    "The queue lets only so many jobs of a user be ready at once; this one comes after them.",
};

/** Returns the letter of an attempt: how near a map is to its data, or whether a reduce is where its rule wants it. */
export function letter(attempt) {
  if (attempt.kind === 1) return atAim(attempt.placed) ? "G" : "r";
  return { "node-local": "N", "rack-local": "R", "any-place": "A" }[attempt.locality] || "O";
}

export const letters = {
  N: "map on a node with its data", R: "map in a rack with its data", O: "map far from its data",
  A: "map without a place", G: "reduce at its center of gravity", r: "reduce elsewhere",
};

/** Returns what a letter means under the rule of the reduces. */
export const meaningOf = (l, larts) => (
  l === "G" && larts ? "reduce at the node that holds most of its input, or as near" : letters[l]);
