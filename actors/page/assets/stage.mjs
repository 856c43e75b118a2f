// A wait, staged: the page goes to where a job lets a slot pass, and plays slowly until it launches,
// with what happens in words. All of it is the run itself.

import { kindName, parseAttempt, taskName, time } from "./words.mjs";

/** How long a wait takes on the stage. */
const shown = 8e9;

/** The next wait of a run after a time, or the first: the skip with which it begins, the first launch of
 * another job that the slot was given to, and the launch that ends it; null if none has both. */
export function nextWait(events, after) {
  const waits = (e) => e.type === "skipped" && /^waiting for/.test((e.reason || {}).cause || "") && e.node >= 0;
  const found = (from) => {
    for (let i = events.findIndex((e) => e.at > from); i >= 0 && i < events.length; i++) {
      const skip = events[i], kind = skip.kind || 0;
      if (!waits(skip)) continue;
      const launches = (e) => e.type === "launched" && (e.kind || 0) === kind;
      const end = events.findIndex((e, k) => k > i && launches(e) && e.job === skip.job);
      if (end < 0 || events[end].at - skip.at < 1e6) continue;
      const taken = events.slice(i + 1, end).find((e) => launches(e) && e.job !== skip.job && e.node === skip.node) || null;
      return { skip, taken, launch: events[end] };
    }
    return null;
  };
  return found(after) || found(-1);
}

/** From when to when a wait is played, and how fast. */
export function scene(wait) {
  const span = wait.launch.at - wait.skip.at;
  return { from: Math.max(0, wait.skip.at - span / 8), to: wait.launch.at + span / 8, speed: span / shown };
}

/** What happens at a time of a wait, in words. */
export function caption(wait, now) {
  const { skip, taken, launch } = wait, a = parseAttempt(launch.attempt), kind = kindName(skip.kind || 0);
  const job = `Job ${skip.job}`, why = skip.kind ? `${skip.larts ? "holds less than the node that holds most" : "is far from its center"}${skip.placed ? `, ${skip.placed.center}` : ""}` : "has none of its blocks";
  if (now < skip.at) return `A ${kind} slot on ${skip.node_name} is about to be offered to job ${skip.job}.`;
  if (now >= launch.at) return `After ${time(launch.at - skip.at)}, ${taskName(a)} starts on ${launch.node_name}${launch.locality ? `, ${launch.locality}` : ""}.`;
  const left = skip.until > now ? `; at most ${time(skip.until - now)} more` : "";
  if (taken && now >= taken.at) return `Job ${taken.job} takes the slot on ${skip.node_name}. Job ${skip.job} goes on waiting${left}.`;
  return `${job} is first in line, but ${skip.node_name} ${why}. It lets the slot pass${left}.`;
}

/** How much of a wait is left, of all of it: 1 when it begins, 0 when it is over. */
export function leftOf(wait, now) {
  const all = (wait.reason.wait || 0) + wait.until - wait.at;
  return wait.until > wait.at && all > 0 ? Math.max(0, Math.min(1, (wait.until - now) / all)) : 1;
}
