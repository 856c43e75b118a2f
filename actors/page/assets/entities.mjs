// What a state consists of: nodes with their slots, jobs, and groups, which are pools or queues.

/** A state before the first event. */
export function newState() {
  return {
    now: 0, count: 0, name: "", began: null, policy: null,
    nodes: new Map(), jobs: new Map(), groups: new Map(), attempts: new Map(),
    near: { N: 0, R: 0, O: 0, A: 0 }, recent: [], wait: null, queues: false, ended: [], most: Infinity, past: null,
  };
}

/** What a map has at a key, made when it is first asked for. */
export function within(map, key, make) {
  if (!map.has(key)) map.set(key, make());
  return map.get(key);
}

/** A node of a state, made when it is first heard of; so are jobs and groups. */
export function nodeOf(s, id, name) {
  return within(s.nodes, id, () => ({ id, name: name || `node ${id}`, rack: "", slots: [0, 0], cells: [[], []], held: [], waits: [null, null], live: false, state: "open", decisions: [], version: 0 }));
}

/** What a node of a state or history is called. */
export const nodeName = (s, id) => (s.nodes.get(id) || { name: `node ${id}` }).name;

export function jobOf(s, id) {
  return within(s.jobs, id, () => ({
    id, name: "", user: "", pool: "", priority: "NORMAL", tasks: [0, 0], bytes: 0, places: null, state: "running",
    submitted: s.now, first: -1, finished: -1, running: [0, 0], done: [0, 0], failed: 0, killed: 0, suspended: 0,
    near: { N: 0, R: 0, O: 0, A: 0 }, skips: [null, null], waitsOn: [new Set(), new Set()], decisions: [], begun: new Set(), shares: null, virtual: null, told: false, err: "",
    holder: "", attempts: [], outputs: new Map(), counters: null, levels: [], virtuals: [],
  }));
}

export function groupOf(s, name) {
  return within(s.groups, name, () => ({ name, shares: [0, 0], demand: [0, 0], running: [0, 0], min: [0, 0], max: [0, 0], jobs: 0, need: [0, 0] }));
}
