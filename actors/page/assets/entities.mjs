// What a state consists of: nodes with their slots, jobs, and groups, which are pools or queues; and where
// the data lies that jobs wait for, as far as events told.

/** Returns the state of a cluster before its first event. */
export const newState = () => ({
  now: 0, name: "", began: null, policy: null, near: { N: 0, R: 0, O: 0, A: 0 }, wait: null, past: null,
  nodes: new Map(), jobs: new Map(), groups: new Map(), attempts: new Map(), recent: [], ended: [], most: Infinity,
});

/** Returns the value of a key in a map; if there is none, stores and returns make(). */
export function within(map, key, make) {
  if (!map.has(key)) map.set(key, make());
  return map.get(key);
}

/** Returns a node of a state. The first event that names it creates it; so it is with jobs and groups. */
export const nodeOf = (s, id, name) => within(s.nodes, id, () => ({
  id, name: name || `node ${id}`, rack: "", slots: [0, 0], cells: [[], []], held: [], waits: [null, null],
  live: false, state: "open", decisions: [],
}));

export const jobOf = (s, id) => within(s.jobs, id, () => ({
  id, name: "", user: "", pool: "", holder: "", priority: "NORMAL", tasks: [0, 0], bytes: 0, places: null,
  state: "running", submitted: s.now, first: -1, finished: -1, err: "", counters: null,
  running: [0, 0], done: [0, 0], failed: 0, killed: 0, suspended: 0, near: { N: 0, R: 0, O: 0, A: 0 },
  skips: [null, null], waitsOn: [new Set(), new Set()], decisions: [], begun: new Set(),
  shares: null, virtual: null, told: false, attempts: [], outputs: new Map(), levels: [], virtuals: [],
}));

export const groupOf = (s, name) => within(s.groups, name, () => ({
  name, shares: [0, 0], demand: [0, 0], running: [0, 0], min: [0, 0], max: [0, 0], jobs: 0, need: [0, 0],
}));

/** Returns the jobs that have not ended. */
export const openJobs = (s) => [...s.jobs.values()].filter((j) => j.finished < 0);
export const hasSucceeded = (j) => j.state === "succeeded" && j.finished >= 0;
/** Returns the name of a node in a state or history. */
export const nodeName = (s, id) => s.nodes.get(id)?.name ?? `node ${id}`;
export const nodeNames = (s, ids) => ids.map((id) => nodeName(s, id)).join(", ");

/** Returns the nodes of a state or history, sorted by rack and number. */
export const byRack = (s) => [...s.nodes.values()].sort((a, b) => (
  a.rack < b.rack ? -1 : a.rack > b.rack ? 1 : a.id - b.id));

/** Returns the ids of the nodes with a replica of a map's block. */
export function placesOf(job, task) {
  const { nodes, each, counts } = job?.places ?? {};
  if (!nodes) return [];
  const from = each ? task * each : counts.slice(0, task).reduce((sum, n) => sum + n, 0);
  return nodes.slice(from, from + (each || counts[task] || 0));
}

/** Returns the ids of at most `most` nodes with data of maps that a job has not begun. */
export function wanted(job, most = 3) {
  const found = new Set();
  for (let t = 0; t < job.tasks[0] && found.size < most; t++) {
    if (!job.begun.has(t)) placesOf(job, t).forEach((n) => found.add(n));
  }
  return [...found].slice(0, most);
}

/** Returns the ids of nodes for which a job waits: with data of maps not begun, or the center of its reduce. */
export function awaited(s, wait, most = 3) {
  const job = s.jobs.get(wait.job);
  if (wait.kind === 0) return job ? wanted(job, most) : [];
  return [...s.nodes.values()].filter((n) => n.name === wait.center).slice(0, 1).map((n) => n.id);
}
