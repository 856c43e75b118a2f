// What the address holds behind its #: what the playground runs, then the screen with job, time and
// run, such as #lesson=sticky,en/jobs?job=7&t=12.5&run=2, and the fork of a decision. A link leads to the same sight; Back leads back.

/** The parts of a fragment; job 0, time -1 and no screen where it has none. */
export function parseAddress(hash) {
  const [play, rest = ""] = hash.replace(/^#/, "").split(/\/(.*)/s), [screen, query = ""] = rest.split("?");
  const of = new URLSearchParams(query), number = (name) => (/^\d+(\.\d+)?$/.test(of.get(name) || "") ? +of.get(name) : -1);
  return { play, screen, fork: /^(\d+\.){3}-?\d+$/.test(of.get("fork") || "") ? of.get("fork") : "", job: Math.max(0, number("job")), at: number("t") < 0 ? -1 : Math.round(number("t") * 1e9), side: number("run") === 2 ? 1 : 0 };
}

/** The fragment of these parts. Times are in seconds, rounded up, so that what happens then has happened. */
export function formatAddress({ play = "", screen, job = 0, at = -1, side = 0, fork = "" }) {
  const query = [job ? `job=${job}` : "", at >= 0 ? `t=${+(Math.ceil(at / 1e6) / 1e3).toFixed(3)}` : "", side ? "run=2" : "", fork ? `fork=${fork}` : ""].filter(Boolean).join("&");
  return `#${play}/${screen}${query ? `?${query}` : ""}`;
}

/** What the playground has put there. */
export function playPart() { return parseAddress(location.hash).play; }

/** Puts what the playground runs there, as a new step of the history unless same. */
export function setPlayPart(play, same = false) {
  const hash = formatAddress({ ...parseAddress(location.hash), play });
  if (location.hash !== hash) history[same ? "replaceState" : "pushState"](null, "", hash);
}
