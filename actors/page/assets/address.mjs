// What the address holds behind its #: what the playground runs, then the screen with job, time, run and the fork of a
// decision, such as #lesson=sticky,en/jobs?job=7&t=12.5&run=2. A link leads to the same sight; Back leads back.

/** Splits the fragment of an address into its parts. A part that is missing is job 0, time -1 or no screen. */
export function parseAddress(hash) {
  const [play, rest = ""] = hash.replace(/^#/, "").split(/\/(.*)/s), [screen, query] = rest.split("?");
  const of = new URLSearchParams(query), part = (name, form) => (form.test(of.get(name)) ? of.get(name) : "");
  const [job, t, run] = ["job", "t", "run"].map((name) => part(name, /^\d+(\.\d+)?$/));
  const at = t ? Math.round(+t * 1e9) : -1, side = run === "2" ? 1 : 0;
  return { play, screen, job: +job, at, side, fork: part("fork", /^(\d+\.){3}-?\d+$/) };
}

/** Returns the fragment of these parts. Times are in seconds, rounded up, so that their events have happened. */
export function formatAddress({ play = "", screen, job = 0, at = -1, side = 0, fork = "" }) {
  const t = at < 0 ? "" : +(Math.ceil(at / 1e6) / 1e3).toFixed(3);
  const all = { job: job || "", t, run: side ? 2 : "", fork };
  const query = Object.entries(all).filter(([, value]) => value !== "").map((one) => one.join("=")).join("&");
  return `#${play}/${screen}${query && `?${query}`}`;
}

/** Returns the parts of the page's address. */
export const address = () => parseAddress(location.hash);

/** Changes parts of the address. Unless same, that is a new step of the browser's history. */
export function setAddress(parts, same = false) {
  const hash = formatAddress({ ...address(), ...parts });
  if (location.hash !== hash) history[same ? "replaceState" : "pushState"](null, "", hash);
}
