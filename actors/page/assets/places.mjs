// Where the data lies that jobs wait for, as far as events told.

/** The nodes on which a job's map has its block. */
export function placesOf(job, task) {
  const p = job.places;
  if (!p || !p.nodes) return [];
  if (p.each) return p.nodes.slice(task * p.each, (task + 1) * p.each);
  let from = 0;
  for (let i = 0; i < task; i++) from += p.counts[i];
  return p.nodes.slice(from, from + (p.counts[task] || 0));
}

/** The nodes that a wait is for: those with data of maps that are yet to begin, or the center of a reduce. */
export function awaited(s, wait, most = 3) {
  const job = s.jobs.get(wait.job);
  if (wait.kind === 0) return job ? wanted(job, most) : [];
  for (const n of s.nodes.values()) if (n.name === wait.center) return [n.id];
  return [];
}

/** The nodes that hold data of maps that a job has yet to begin, a few at most. */
export function wanted(job, most = 3) {
  const found = new Set();
  for (let t = 0; t < job.tasks[0] && found.size < most; t++) {
    if (!job.begun.has(t)) placesOf(job, t).forEach((n) => found.size < most && found.add(n));
  }
  return [...found];
}
