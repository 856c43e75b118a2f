// A workload out of the fields of the form: they write the workload file, which stands below them.

/** The fields with what they mean when nothing is entered. */
const fields = { count: 10, gap: 10, maps: 40, time: 10, spread: 0.2, block: 64, reduces: 4, ratio: 0.3, skew: 0, replicas: 3 };

/** What is entered, by name; places is "own", "shared" or "none". */
export function madeOf(form) {
  const out = { places: form.querySelector("#made-places").value };
  for (const name in fields) {
    const field = form.querySelector(`#made-${name}`);
    out[name] = field.value === "" ? fields[name] : +field.value;
  }
  return out;
}

/** The workload file that says so. */
export function workloadText(m) {
  const shared = m.places === "shared";
  const job = [`name: job`, `count: ${m.count}`, ...(m.gap > 0 ? [`gap: exponential ${m.gap}s`] : []), `maps: ${m.maps}`, `map_time: ${m.time}s`, `spread: ${m.spread}`, `user: ann`];
  if (m.reduces > 0) job.push(`reduces: ${m.reduces}`, `shuffle_ratio: ${m.ratio}`);
  if (m.reduces > 0 && m.skew > 0) job.push(`skew: {shares: ${m.skew}}`);
  if (shared) job.push("file: input");
  if (m.places === "none") job.push("no_location: true");
  return `name: mine\nblock: ${m.block}MiB\n${shared ? `files:\n  - {name: input, blocks: ${m.maps}, replicas: ${m.replicas}}\n` : ""}jobs:\n  - ${job.join("\n    ")}\n`;
}
