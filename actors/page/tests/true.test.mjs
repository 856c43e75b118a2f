// Tests that the page's statements are true. Each of them was false once.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { newState } from "../assets/entities.mjs";
import { apply, newHistory, record } from "../assets/state.mjs";
import { busiest } from "../assets/history.mjs";
import { summary } from "../assets/cluster.mjs";
import { meaning, sentence, why } from "../assets/words.mjs";
import { findings } from "../assets/findings.mjs";
import { jobsMarkup } from "../assets/jobs.mjs";
import { explain } from "../assets/why.mjs";
import { change, differences, inForce, rows, settingsMarkup, settingsOf, told } from "../assets/steer.mjs";
import { moving, run, s } from "./run.mjs";

const stateAt = (t) => run().filter((e) => e.at <= t).reduce(apply, newState());
const whole = (events = run()) => events.reduce(record, newHistory());

test("near enough is said of a reduce that is, and the cost is told", () => {
  const placed = { center: "b", at_center: 100, here: 150, best: 90 };
  assert.equal(why({ cause: "center of gravity" }, { center: "b", at_center: 100, here: 102 }), "near enough: 102 B × links, 100 B × links at its center b (+2.0 %)");
  assert.equal(why({ cause: "center of gravity" }, { ...placed, here: 100 }), "at its center of gravity");
  assert.equal(why({ cause: "no node nearer to its center has a slot" }, placed), "no node nearer to its center has a slot: 150 B × links, 100 B × links at its center b (+50.0 %), 90 B × links at best");
  assert.equal(why({ cause: "waited for locality", wait: 2 * s }, placed), "its wait for its center is over, 2.00 s: 150 B × links, 100 B × links at its center b (+50.0 %), 90 B × links at best");
  assert.equal(why({ cause: "waited for locality", wait: 2 * s }, { ...placed, here: 100 }), "at its center of gravity, after 2.00 s");
  assert.equal(why({ cause: "center of gravity" }, { center: "b", at_center: 0, here: 10 }), "near enough: 10 B × links, all of its input is on b");
  assert.doesNotMatch(meaning("waited for locality", { ...placed, here: 100 }), /as long as it may/);
  assert.match(meaning("waited for locality", null), /as long as it may/);
  assert.match(meaning("no node nearer to its center has a slot", placed), /no slot|full/);
  assert.match(meaning("center of gravity, running maps counted", placed), /[Mm]aps/);
});

test("a node that is lost is down", () => {
  assert.match(explain(stateAt(12 * s), { node: 3 }).toString(), /Rack r1.*, down\./);
});

test("no job is left only when none is to come", () => {
  const h = whole();
  assert.match(summary(stateAt(0.5 * s), h), /1 job/);
  const before = run().filter((e) => e.type !== "submitted");
  const late = [...before.filter((e) => e.at === 0), { at: 9 * s, type: "submitted", node: -1, job: 7, name: "late", tasks: [1, 0] }];
  assert.match(summary(late.slice(0, 5).reduce(apply, newState()), whole(late)), /no job yet, 1 to come/);
  const between = [...run(), { at: 20 * s, type: "submitted", node: -1, job: 7, name: "late", tasks: [1, 0] }];
  assert.match(summary(stateAt(12 * s), whole(between)), /no job now, 1 to come/);
  assert.match(summary(stateAt(12 * s), h), /all jobs are done/);
});

test("a run is opened where most is at work", () => {
  assert.equal(busiest(whole()), 3 * s);
  assert.equal(busiest(newHistory()), 0);
});

test("a job that has ended has no share", () => {
  const events = [
    { at: 0, type: "began", node: -1, name: "fair", policy: { Order: "fair" } },
    { at: 0, type: "submitted", node: -1, job: 1, user: "u", tasks: [2, 0] },
    { at: 1, type: "shares", node: -1, job: 1, shares: [3, 0] },
  ];
  const st = events.reduce(apply, newState());
  assert.match(jobsMarkup(st).toString(), /<td>3\.0<\/td>/);
  apply(st, { at: 2, type: "finished", node: -1, job: 1, state: "succeeded" });
  assert.doesNotMatch(jobsMarkup(st).toString(), /3\.0/);
  assert.doesNotMatch(explain(st, { job: 1 }).toString(), /fair share/);
});

/** The findings of jobs with one map of the given length and six reduces that start with it; one reduce takes extra seconds after the map. */
function slowStart(map, extra, jobs = 1) {
  const list = [{ at: 0, type: "began", node: -1, name: "hfs" }, { at: 0, type: "joined", node: 0, node_name: "n", rack: "r", slots: [9, 99] }];
  for (let j = 1; j <= jobs; j++) {
    const name = (kind, t) => `job_${String(j).padStart(4, "0")}_${kind}_00000${t}_0`, on = { node: 0, node_name: "n", job: j };
    list.push({ at: 0, type: "submitted", node: -1, job: j, name: "j", tasks: [1, 6] }, { at: 0, type: "launched", ...on, attempt: name("m", 0), slot: j });
    for (let r = 0; r < 6; r++) list.push({ at: r < 5 ? map * s : s, type: "launched", ...on, kind: 1, attempt: name("r", r), slot: 6 * j + r });
    list.push({ at: map * s, type: "succeeded", ...on, attempt: name("m", 0) });
    for (let r = 0; r < 6; r++) list.push({ at: (map + 1 + (r === 5 ? extra : 0)) * s, type: "succeeded", ...on, kind: 1, attempt: name("r", r) });
    list.push({ at: (map + 1 + extra) * s, type: "finished", node: -1, job: j, state: "succeeded" });
  }
  list.sort((a, b) => a.at - b.at);
  return findings(list.reduce(record, newHistory()), list.reduce(apply, newState()));
}

test("a reduce that waits for maps is no straggler, but slow start", () => {
  const patient = slowStart(20, 0);
  assert.deepEqual(patient.map((f) => f.kind), ["slow start"]);
  assert.match(patient[0].setting, /slow_start/);
  const slow = slowStart(20, 10);
  assert.ok(slow.some((f) => f.kind === "straggler"), slow.map((f) => f.kind).join());
});

test("findings of many jobs are one, and small ones are none", () => {
  const many = slowStart(20, 0, 5).filter((f) => f.kind === "slow start");
  assert.equal(many.length, 1);
  assert.deepEqual(many[0].jobs.length, 5);
  assert.match(many[0].title, /5 jobs/);
  assert.deepEqual(slowStart(1.2, 0).map((f) => f.kind), [], "0.2 s are not worth a word");
});

const policy = (set, auto) => ({ settings: Object.entries(set).map(([key, value]) => ({ key, value })), pools: [], auto_wait_seconds: auto });

test("the waits that are shown are those that the server uses, automatic ones too", () => {
  const p = policy({ "locality.rule": "wait", "locality.auto": "true", "locality.waits": "5s/10s" }, 0.6);
  assert.deepEqual(rows(p).filter((r) => /^w/.test(r.id)).map((r) => [r.id, r.value]), [["w1", 0.6], ["w2", 0.6]]);
  assert.match(inForce(p), /automatic.*0\.60 s/);
  assert.equal(rows(p).find((r) => r.id === "auto").value, "automatic");
  assert.deepEqual(change("auto", { auto: "set here", w1: "5", w2: "10", rule: "wait" }), { set: { "locality.auto": "false", "locality.waits": "5s/10s" } });
  assert.deepEqual(change("auto", { auto: "automatic", rule: "wait" }), { set: { "locality.auto": "true" } });
  const set = policy({ "locality.rule": "wait", "locality.auto": "false", "locality.waits": "5s/10s" }, 0.6);
  assert.deepEqual(rows(set).filter((r) => /^w/.test(r.id)).map((r) => r.value), [5, 10]);
});

test("a change says what has changed, a reload whether anything has, a kill what came of it", () => {
  const a = policy({ "locality.auto": "true", "locality.waits": "0s" }), b = policy({ "locality.auto": "false", "locality.waits": "2s/4s" });
  assert.equal(differences(a, b), "locality.auto: true → false, locality.waits: 0s → 2s/4s");
  assert.equal(differences(a, a), "");
  assert.equal(told("reload", a, a), "Reloaded: nothing has changed.");
  assert.equal(told("reload", a, b), "Reloaded: locality.auto: true → false, locality.waits: 0s → 2s/4s.");
  assert.equal(told("kill", { id: 3, state: "killed" }, 2), "Job 3 is killed; 2 of its attempts were running.");
  assert.equal(told("kill", { id: 3, state: "succeeded" }, 0), "Job 3 was not killed: it has succeeded.");
  assert.equal(told("node", { name: "n", state: "down" }, 1), "n is down; 1 attempt that it ran is lost, and runs again.");
});

test("a wait in words", () => {
  assert.match(sentence({ at: s, type: "launched", node: 0, node_name: "n", kind: 1, attempt: "job_0001_r_000000_0", reason: { cause: "waited for locality", wait: s }, placed: { center: "n", at_center: 5, here: 5 } }), /at its center of gravity, after 1\.00 s/);
});

test("decisions that are alike are one line, and those that matter stand first", async () => {
  const { grouped, groupSentence, mattering } = await import("../assets/why.mjs");
  const launch = (task, locality, cause, at = 1) => ({ at: at * s, type: "launched", node: task, node_name: `n${task}`, job: 381, locality, attempt: `job_0381_m_0000${10 + task}_0`, reason: { cause } });
  const list = [];
  for (let i = 0; i < 16; i++) list.push(launch(i, "off-rack", "waited for locality"), { ...launch(20 + i, "node-local", "local to its data"), job: 2, attempt: `job_0002_m_0000${10 + i}_0` });
  list.push({ at: 1 * s, type: "skipped", node: -1, job: 9, reason: { cause: "no slot is free" } });
  const groups = grouped(list);
  assert.equal(groups.length, 3);
  assert.deepEqual(groups.map((g) => g.events.length).sort((a, b) => a - b), [1, 16, 16]);
  assert.ok(groups.some((g) => groupSentence(g) === "16 maps of job 381 waited, now go anywhere"));
  assert.equal(groupSentence(mattering(list, 1)[0]), "16 maps of job 381 waited, now go anywhere");
  assert.equal(grouped([launch(1, "off-rack", "waited for locality"), launch(2, "off-rack", "waited for locality", 90)]).length, 2, "a minute and a half apart");
});

test("the table of jobs is sorted by any column, and filtered", async () => {
  const { newTable, sortBy, tableRows } = await import("../assets/jobs.mjs");
  const st = newState();
  [["b", "ann", 5], ["a", "bob", 9], ["c", "ann", 1]].forEach(([name, user, maps], i) => apply(st, { at: i, type: "submitted", node: -1, job: i + 1, name, user, tasks: [maps, 0] }));
  apply(st, { at: 5, type: "finished", node: -1, job: 2, state: "killed" });
  const table = newTable(), ids = () => tableRows(st, table).map((j) => j.id);
  assert.deepEqual(ids(), [1, 3, 2]);
  sortBy(table, "name");
  assert.deepEqual(ids(), [2, 1, 3]);
  sortBy(table, "name");
  assert.deepEqual(ids(), [3, 1, 2]);
  table.filter = "ANN c";
  assert.deepEqual(ids(), [3]);
  Object.assign(table, { filter: "", state: "killed" });
  assert.deepEqual(ids(), [2]);
  assert.match(jobsMarkup(st, table).toString(), /aria-sort="descending"/);
});

test("an address holds screen, job, time and run, beside what the playground keeps there", async () => {
  const { formatAddress, parseAddress } = await import("../assets/address.mjs");
  const all = { play: "lesson=sticky,en", screen: "jobs", job: 7, at: 12_345_678_901, side: 1, fork: "7.0.12345678901.3" };
  assert.equal(formatAddress(all), "#lesson=sticky,en/jobs?job=7&t=12.346&run=2&fork=7.0.12345678901.3");
  assert.deepEqual(parseAddress(formatAddress(all)), { ...all, at: 12_346_000_000 });
  assert.deepEqual(parseAddress("#/overview"), { play: "", screen: "overview", job: 0, at: -1, side: 0, fork: "" });
  assert.deepEqual(parseAddress("#eyJ9-_~"), { play: "eyJ9-_~", screen: "", job: 0, at: -1, side: 0, fork: "" });
  assert.deepEqual(parseAddress("#/x?job=y&t=z&fork=7.<b>"), { play: "", screen: "x", job: 0, at: -1, side: 0, fork: "" });
});

test("a wait is staged as the run has it", async () => {
  const { caption, leftOf, nextWait } = await import("../assets/stage.mjs");
  const skip = { at: 2 * s, type: "skipped", node: 0, node_name: "a", job: 1, until: 6 * s, reason: { cause: "waiting for locality", wait: 1 * s } };
  const on = (at, job, node, locality) => ({ at, type: "launched", node, node_name: "ab"[node], job, locality, attempt: `job_000${job}_m_000004_0` });
  const events = [on(1 * s, 1, 0, "node-local"), skip, on(3 * s, 2, 0, "rack-local"), on(4 * s, 2, 1, "node-local"), on(5 * s, 1, 1, "node-local"), { ...skip, at: 7 * s, until: 9 * s }];
  const wait = nextWait(events, 0);
  assert.deepEqual(wait, { skip, taken: events[2], launch: events[4], from: 1.625 * s, to: 5.375 * s, speed: 0.375 });
  assert.deepEqual(nextWait(events, 5 * s), wait, "the last one never ends: the first comes again");
  assert.equal(nextWait(run().filter((e) => e.type !== "skipped"), 0), null);
  assert.match(caption(wait, 2 * s), /^Job 1 is first in line, but a has none of its blocks\. It lets the slot pass; at most 4\.00 s more\.$/);
  assert.match(caption(wait, 3.5 * s), /^Job 2 takes the slot on a\. Job 1 goes on waiting; at most 2\.50 s more\.$/);
  assert.match(caption(wait, 5 * s), /^After 3\.00 s, map 4 of job 1 starts on b, node-local\.$/);
  assert.deepEqual([2, 4, 6, 9].map((t) => leftOf(skip, t * s)), [0.8, 0.4, 0, 0]);
});

/** The state of one node with two jobs after some launches: [job, slot, kind, locality or center]. */
function oneNode(...launches) {
  const all = [{ at: 0, type: "joined", node: 0, node_name: "n", rack: "r", slots: [3, 1] }, ...[1, 2].map((job) => ({ at: 0, type: "submitted", node: -1, job, name: "j", tasks: [9, 1] }))];
  for (const [job, slot, kind, near] of launches) {
    all.push({ at: 1, type: "launched", node: 0, node_name: "n", job, kind, slot, attempt: `job_000${job}_${"mr"[kind]}_00000${slot}_0`, ...(kind ? { placed: { center: near, at_center: 1, here: near === "n" ? 1 : 2 } } : { locality: near }) });
  }
  return all.reduce(apply, newState());
}

test("twin clusters: the slots by which a run gains, and means over the jobs that both have done", async () => {
  const { gaining, soFar } = await import("../assets/compare.mjs");
  const gains = (a, b) => [...gaining(a, a.nodes.get(0), b)];
  const near = oneNode([1, 1, 0, "node-local"], [1, 2, 0, "rack-local"], [1, 1, 1, "n"]), far = oneNode([1, 1, 0, "off-rack"], [1, 2, 0, "rack-local"], [1, 1, 1, "m"]);
  assert.deepEqual(gains(near, far), ["0 0", "1 0"], "nearer to its data, and at its center");
  assert.deepEqual(gains(far, near), []);
  const other = oneNode([1, 1, 0, "node-local"], [2, 2, 0, "rack-local"], [1, 1, 1, "n"]);
  assert.deepEqual(gains(other, near), ["0 1"], "job 2 waits for its first there");
  assert.deepEqual(gains(near, other), [], "job 1 has one there");
  const late = oneNode([1, 1, 0, "node-local"], [2, 2, 0, "off-rack"], [1, 1, 1, "n"]);
  assert.deepEqual([gains(near, late), gains(late, near)], [[], ["0 1"]], "nearer is nothing where a job has no slot for it");
  apply(near, { at: 2, type: "finished", node: -1, job: 2, state: "succeeded" });
  assert.deepEqual(gains(other, near), [], "job 2 is done there: it does not wait");
  const a = stateAt(3 * s), b = stateAt(2 * s), end = stateAt(12 * s);
  assert.deepEqual([soFar(end, b).both, soFar(end, end).both, soFar(end, end).sojourn], [0, 1, 10 * s]);
  assert.deepEqual([soFar(a, end).local, soFar(a, end).maps], [2, 3]);
});

test("a run under LARTS speaks of the node that holds most, not of centers of gravity", async () => {
  const { gravityCaption } = await import("../assets/stage.mjs"), { caption } = await import("../assets/stage.mjs");
  const { groupsMarkup, grouped } = await import("../assets/why.mjs"), { jobMarkup } = await import("../assets/jobs.mjs"), { legend, nodeMarkup } = await import("../assets/cluster.mjs");
  const placed = { center: "a", at_center: 100, here: 140, best: 90, mean: 400 }, larts = { type: "", kind: 1, node: 1, node_name: "b", job: 1 };
  const refused = { ...larts, at: 6.2 * s, type: "skipped", until: 8 * s, level: "node-local", reason: { cause: "waiting for the node that holds most", wait: s }, placed };
  const with_ = (cause, more) => run().flatMap((e) => (e.type === "began" ? [{ ...e, policy: { Reduce: { Rule: 2 } } }] : e.type === "launched" && e.kind === 1 ? [refused, { ...refused, at: 6.1 * s, reason: { cause: "node has its part of the job's reduces" } }, { ...e, reason: { cause }, placed: { ...placed, ...more } }] : [e]));
  for (const [cause, more, says] of [
    ["the node that holds most", { here: 140 }, "holds nearly as much: 140 B × links, 100 B × links at a, which holds most (+40.0 %), 90 B × links at best"],
    ["the node that holds most", { here: 100 }, "as near as the node that holds most"],
    ["the node that holds most", { center: "b", here: 100 }, "at the node that holds most"],
    ["the node that holds most, running maps counted", {}, "the node that holds most, running maps counted: 140"],
    ["no node that holds more has a slot", {}, "no node that holds more has a slot: 140"],
    ["waited for locality", {}, "its wait for the node that holds most is over: 140"],
  ]) {
    const h = whole(with_(cause, more)), at = (t) => with_(cause, more).filter((e) => e.at <= t * s).reduce(apply, newState()), a = h.attempts.find((x) => x.kind === 1);
    assert.ok(why(a.reason, a.placed).startsWith(says), why(a.reason, a.placed));
    for (const t of [6.5, 7]) {
      const st = at(t), reduces = st.recent.filter((e) => e.kind === 1);
      const texts = [legend(st), groupsMarkup(grouped(st.recent)), jobMarkup(h, 1), explain(st, { job: 1 }, h), explain(st, { job: 1, attempt: a.id }, h), explain(st, { node: 1 }, h), explain(st, { node: 1, kind: 1, slot: 0 }, h), nodeMarkup(st, st.nodes.get(1), 0),
        ...reduces.flatMap((decision) => [sentence(decision), explain(st, { decision }, h)]), caption({ skip: reduces[0], launch: { at: 9 * s } }, 6.5 * s)].map(String);
      for (const text of texts) assert.doesNotMatch(text, /center/i);
      assert.match(texts.join("\n"), /waiting for the node that holds most, a[,;].*it may go only to the node that holds most/);
    }
    assert.match(gravityCaption(h, { reduce: a }, 7 * s), /It started on b after a wait: (\+40.0 % over a|(as near as )?the node that holds most at that time)\. /);
  }
  assert.match(explain(stateAt(7 * s), { job: 1, attempt: "job_0001_r_000000_0" }, whole()).toString(), /Center of gravity: a/, "and CoGRS does of centers");
});

test("the timeline folds slots into nodes, and attempts into jobs", async () => {
  const { barLabel, bars, rows } = await import("../assets/gantt.mjs");
  const h = whole(), nodes = rows(h, "node"), jobs = rows(h, "job");
  assert.deepEqual(nodes.list.map((r) => r.name), ["a", "b", "c", "d"]);
  const all = bars(h, nodes, 0, 99, 0, h.end);
  assert.equal(all.length, 7);
  for (const b of all) assert.ok(b.lane < b.lanes && b.lanes === 3, "two map slots and a reduce slot");
  for (const b of all) assert.ok(!all.some((c) => c !== b && c.row === b.row && c.lane === b.lane && c.from < b.to && b.from < c.to), "a lane is a slot");
  assert.deepEqual(jobs.list.map((r) => r.job.id), [1, 2]);
  const held = bars(h, jobs, 0, 1, 0, h.end);
  assert.deepEqual(held.map((b) => [b.kind, b.from / s, b.to / s, b.slots]), [[0, 1, 3, 1], [0, 3, 3, 2], [0, 3, 4, 3], [0, 4, 5, 2], [0, 5, 5, 1], [0, 5, 6, 2], [0, 6, 6, 1], [1, 7, 8, 1], [1, 9, 10, 1]]);
  assert.ok(held.every((b) => b.part > 0 && b.part <= 1));
  assert.equal(barLabel(h, held[0]), "job 1 holds 1 map slot, 1.00 s to 3.00 s");
});

test("a decision knows its wait, and a fork of it says what it was worth", async () => {
  const { forkKey, priceMarkup } = await import("../assets/fork.mjs");
  const h = whole(), waited = h.attempts.filter((a) => a.waited).map((a) => [a.id, a.waited.at, a.waited.node]);
  assert.deepEqual(waited[0], ["job_0001_m_000001_0", 1 * s, 2], "it began when the job let the slot of c pass");
  assert.equal(h.attempts.find((a) => a.id === "job_0001_m_000000_0").waited, null);
  const launched = run().find((e) => e.attempt === "job_0001_m_000001_0");
  const key = forkKey(1, 0, { at: 1 * s, node: 2 });
  assert.equal(key, "1.0.1000000000.2");
  for (const decision of [launched, run().find((e) => e.type === "skipped")]) assert.match(explain(stateAt(6 * s), { job: 1, decision }, h).toString(), /data-fork="1.0.1000000000.2"/);
  assert.match(explain(stateAt(2 * s), { job: 1 }, h).toString(), /data-fork="1.0.1000000000.2"/);
  const branch = { fork: { at: 1 * s, job: 1, kind: 0, node: 2 }, node_name: "<c>", waited: 2 * s, job: [6 * s, 10.1 * s], mean: [6, 5.5], others: 1 };
  const says = (b) => priceMarkup({ key, branch: { ...branch, ...b } }).toString().replace(/<.*?>/g, "");
  assert.match(says({}), /job 1 let a map slot on &lt;c&gt; pass. This wait of 2.00 s saved job 1 4.10 s: 6.00 s with it, 10.1 s without.*In the mean over all jobs it cost 0.50 s; 1 other job took another time/);
  assert.match(says({ job: [6 * s, 5 * s] }), /cost job 1 1.00 s/);
  assert.match(says({ job: [6 * s, 6 * s + 1] }), /made no difference to job 1:/);
  assert.match(says({ job: [0, 0] }), /cannot be priced: the job has not ended/);
  assert.match(says({ error: -0.02, warnings: ["<w>"] }), /2.00 % off.*let pass at 1.00 s. &lt;w&gt;\./);
});

test("a center of gravity is staged: it moves as maps end, and the slot taken stays", async () => {
  const { center, cost, gravityCaption, gravityMarkup, nextReduce, weights } = await import("../assets/stage.mjs");
  const h = whole(moving());
  const at = (t) => weights(h.jobs.get(1), 0, t * s);
  assert.deepEqual([...at(5)], [[0, 100], [2, 65]]);
  assert.equal(cost(h, at(6), 2), 100 * 4 + 70 * 2, "4 links from the other rack, 2 from the same");
  assert.deepEqual([1, 2, 5, 6].map((t) => center(h, at(t))), [null, 0, 0, 3], "the last map pulls it to the other rack");
  const scene = nextReduce(h, 0);
  assert.equal(scene.reduce.task, 0);
  assert.match(gravityCaption(h, scene, 2 * s), /^1 of 3 maps of job 1 is done, with 100 B for reduce 0. Its center is a: 0 B × links to travel.$/);
  assert.match(gravityCaption(h, scene, 4 * s), /It started on b: all of its input is on a. Its center is a: 0 B × links to travel; to here 200 B × links.$/);
  assert.match(gravityCaption(h, scene, 7 * s), /Its center is d: 530 B × links to travel; to here 740 B × links.$/);
  assert.equal(gravityMarkup(h, scene, 4 * s, 600, 200).toString().match(/class="(taken|mid)"/g).length, 2);
  assert.doesNotMatch(gravityMarkup(h, scene, 2 * s, 600, 200).toString(), /class="taken"/);
  assert.equal(nextReduce(whole(), 0).reduce.task, 0, "a center that stands still is one, too");
  assert.equal(nextReduce(whole(run().filter((e) => e.kind !== 1)), 0), null);
});

test("settings have the names that --set and policy files take", () => {
  const table = readFileSync(new URL("../../../scheduling/policyfile/table.go", import.meta.url), "utf8");
  const policy = {
    Name: "x", Order: "pools", SlowStart: 1, OneTask: true, Spread: true, LoadMaxDiff: 1, ReserveLong: 1, LongTask: 1,
    Locality: { Rule: 2, Skips: [1], Waits: [5 * s, 10 * s], Auto: true, Capped: true },
    Reduce: { Rule: 1, Waits: [1, 2], Theta: 1, SkewCap: 1, NoProjection: true },
    Pools: {
      PoolMaxJobs: 1, UserMaxJobs: 1, PoolMode: 1, MinTimeout: 1, FairTimeout: 1, PoolPerUser: true, Known: true,
      SizeBasedWeight: true, BoostFactor: 1, BoostTime: 1,
    },
    Preemption: { Mode: 1, Interval: 1 },
    HFSP: {
      Reclaim: 1, NoTraining: true, Sample: 1, Delta: 1, Xi: 1, Initial: 1, Estimator: "fit", SuspendHigh: 1,
      SuspendLow: 1, Weighted: true,
    },
    Quincy: { Rule: 1, Rack: 1, Far: 1, Floor: 1, Lost: 1, Interval: 1 },
    Speculation: { Rule: "late", Except: [true, true], Lag: 1, SlowTask: 1, SlowNode: 1, Cap: 1, MinCopies: 1 },
    Avoid: { JobFailures: 1, Jobs: 1, Forgive: 1 },
  };
  const names = settingsOf(policy).map(([name]) => name);
  assert.equal(new Set(names).size, 58);
  for (const name of names) assert.ok(table.includes(`"${name}"`), name);
  assert.deepEqual(settingsOf({ Pools: { Pools: [{ Name: "p", Mode: 2 }] } }).map(([name]) => name), ["pools.list.p.name", "pools.list.p.mode"]);
  assert.match(settingsMarkup({ name: "x", policy }).toString(), /locality\.waits<\/th><td>5\.00 s \/ 10\.0 s</);
});
