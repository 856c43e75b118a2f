import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { html, escapeText } from "../assets/markup.mjs";
import { firstRun, parseLines } from "../assets/events.mjs";
import { apply, isDecision, newHistory, record } from "../assets/state.mjs";
import { newState } from "../assets/entities.mjs";
import { placesOf, wanted } from "../assets/entities.mjs";
import { below } from "../assets/findings.mjs";
import { quantiles, ran, sample } from "../assets/history.mjs";
import { beat, add, newPlayer, seek, step, stepBack } from "../assets/player.mjs";
import { bytes, parseAttempt, sentence, time, why, worse } from "../assets/words.mjs";
import { nodeMarkup, poolsTable, slotLabel, summary, waitLines } from "../assets/cluster.mjs";
import { brushMarkup, sharesMarkup, sharesSVG } from "../assets/shares.mjs";
import { jobsMarkup } from "../assets/jobs.mjs";
import { attemptsAt, jobMarkup } from "../assets/jobs.mjs";
import { bars, colors, ganttSVG, paleParts, phases, rows } from "../assets/gantt.mjs";
import { shuffleMarkup } from "../assets/shuffle.mjs";
import { queuesMarkup, virtualMarkup } from "../assets/virtual.mjs";
import { findings, findingsMarkup } from "../assets/findings.mjs";
import { compareMarkup, fairness, figures, waterFill } from "../assets/compare.mjs";
import { decisionOf, explain, explainGroup } from "../assets/why.mjs";
import { cell, chromeTrace, jobsCSV, sharesCSV } from "../assets/export.mjs";
import { settingsMarkup } from "../assets/steer.mjs";
import { grouped, groupsMarkup } from "../assets/why.mjs";
import { seconds } from "../assets/steer.mjs";
import { hostile, run, s } from "./run.mjs";

const stateAt = (t) => run().filter((e) => e.at <= t).reduce(apply, newState());
const whole = () => run().reduce(record, newHistory());

test("markup escapes all but markup", () => {
  assert.equal(html`<a title="${hostile}">${[html`<b>`, "<i>"]}${null}${0}</a>`.toString(), `<a title="${escapeText(hostile)}"><b>&lt;i&gt;0</a>`);
  assert.doesNotMatch(escapeText(hostile), /[<>"']/);
});

test("no screen lets a name become markup, at any moment", () => {
  const h = whole();
  for (let t = 0; t <= 12; t++) {
    const st = stateAt(t * s);
    const screens = [
      html`${[...st.nodes.values()].map((n) => nodeMarkup(st, n, 0))}`, poolsTable(st), jobsMarkup(st), html`${summary(st)}`, queuesMarkup(st), virtualMarkup(st, h), sharesMarkup(h, 0, hostile, t * s),
      jobMarkup(h, 1), jobMarkup(h, 2), ganttSVG(h), shuffleMarkup(h, 1), findingsMarkup(h, st), compareMarkup(h, hostile, h, hostile), settingsMarkup(st), groupsMarkup(grouped(st.recent)), brushMarkup(h, t * s, [0, 5 * s]), ganttSVG(h),
      explain(st, null), explain(st, { job: 1 }), explain(st, { job: 2 }), explain(st, { node: 3 }), explain(st, { node: 2, kind: 0, slot: 0 }), explain(st, { node: 99 }), explain(st, { group: hostile }), ...st.recent.map((decision) => explain(st, { decision })), explain(st, { job: 2, attempt: "job_0002_m_000000_0" }, h),
    ];
    for (const m of screens) {
      assert.doesNotMatch(m.toString(), /<\/?(script|img)/i);
      assert.doesNotMatch(m.toString(), /(undefined|NaN|\[object)/);
      assert.doesNotMatch(m.toString(), / (style|on[a-z]+)="/, "the page's policy forbids these");
    }
  }
});

test("lines that are no events are named", () => {
  assert.equal(parseLines('{"at":1}\n\n{"at":2}').length, 2);
  assert.throws(() => parseLines('{"at":1}\nno\n'), /^Error: line 2: /);
  assert.throws(() => parseLines('{"at":1},{"at":2}\n'), /^Error: line 1: /);
  const many = Array.from({ length: 40000 }, (_, i) => `{"at":${i},"type":"joined","node":${i}}\n`); // in several pieces
  assert.deepEqual(parseLines(many.join("")).map((e) => e.at), many.map((_, i) => i));
  many[35000] = "\n";
  assert.equal(parseLines(many.join("")).length, 39999);
  many[36000] = "no\n";
  assert.throws(() => parseLines(many.join("")), /^Error: line 36001: /);
  assert.equal(firstRun([{ type: "began" }, { type: "joined" }, { type: "began" }]).length, 2);
});

test("slots hold what runs, and nothing else", () => {
  const st = stateAt(3 * s);
  assert.equal(st.nodes.get(3).cells[0][1].job, 2, "the slot that was told");
  assert.deepEqual(st.jobs.get(1).running, [3, 0]);
  assert.deepEqual(st.groups.get("p").running, [3, 0]);
  const end = stateAt(20 * s);
  for (const n of end.nodes.values()) assert.ok(n.cells.flat().every((c) => c === null), n.name);
  assert.equal(end.attempts.size, 0);
  assert.deepEqual(end.jobs.get(1).done, [3, 1]);
  assert.deepEqual(end.jobs.get(1).near, { N: 3, R: 0, O: 1, A: 0 });
  assert.equal(end.nodes.get(3).live, false);
  const held = stateAt(8 * s);
  assert.equal(held.nodes.get(1).cells[1][0], null, "a suspended reduce gives its slot back");
  assert.equal(held.nodes.get(1).held.length, 1);
});

test("a slot that waits says for what, until the job launches", () => {
  const st = stateAt(1 * s);
  assert.equal(summary(st), "hfs, 4 nodes, 1 job, 100 % node-local; job 1 waits for a or another node with its data, 2.00 s left");
  assert.deepEqual(waitLines(st).map(({ wait, ...line }) => line), [{ from: 2, to: 0, kind: 0, job: 1 }]);
  assert.match(slotLabel(st, st.nodes.get(2), 0, 0), /job 1 waits for a better one/);
  assert.match(explain(st, { node: 2, kind: 0, slot: 0 }).toString(), /waiting for locality, 0.50 s so far; it may go only to a node with its data, 2.00 s left/);
  assert.deepEqual(waitLines(stateAt(3 * s)), []);
});

test("the order of a job's places", () => {
  assert.deepEqual(placesOf({ places: { each: 2, nodes: [1, 2, 3, 4] } }, 1), [3, 4]);
  assert.deepEqual(placesOf({ places: { counts: [0, 2], nodes: [5, 6] } }, 1), [5, 6]);
  assert.deepEqual(placesOf({ places: { omitted: 9 } }, 0), []);
  assert.deepEqual(wanted({ tasks: [3, 0], begun: new Set([0]), places: { each: 1, nodes: [7, 8, 8] } }), [8]);
});

test("the player goes anywhere, forth and back, to the same state", () => {
  const p = newPlayer();
  add(p, run());
  for (const t of [5, 12, 1, 8, 0, 3]) {
    seek(p, t * s);
    assert.deepEqual(strip(p.state), strip(Object.assign(stateAt(t * s), { now: t * s })));
  }
  seek(p, 0);
  const decisions = run().filter(isDecision);
  for (const d of decisions) assert.deepEqual(step(p), d);
  assert.equal(step(p), null);
  stepBack(p);
  stepBack(p);
  assert.deepEqual(p.events[p.at - 1], decisions[decisions.length - 3]);
});

function strip(st) {
  return JSON.parse(JSON.stringify(st, (k, v) => (k === "version" || k === "past" ? undefined : v instanceof Map ? [...v] : v instanceof Set ? [...v].sort() : v)));
}

test("going back from snapshots leads to the state that all events lead to", () => {
  const p = newPlayer();
  p.snapshots.gap = 1;
  add(p, run());
  seek(p, p.history.end);
  assert.ok(p.snapshots.list.length > 2 && p.snapshots.list.length <= 8 && p.snapshots.gap > 1, `${p.events.length} events`);
  for (const t of [12, 3, 9, 1, 11, 5, 0, 12, 7]) {
    seek(p, t * s);
    assert.deepEqual(strip(p.state), strip(Object.assign(stateAt(t * s), { now: t * s })), `${t} s`);
    for (const n of p.state.nodes.values()) for (const a of n.cells.flat()) assert.ok(!a || p.state.attempts.get(a.id) === a, "one attempt is one thing");
  }
  seek(p, p.history.end);
  const others = newPlayer();
  add(others, run());
  seek(others, others.history.end);
  for (let i = 0; i < 30; i++) {
    for (const x of [p, others]) stepBack(x);
    assert.deepEqual([strip(p.state), p.at, p.time], [strip(others.state), others.at, others.time]);
  }
});

test("events that come in pieces give the same history", () => {
  const p = newPlayer();
  p.follow = true;
  for (const e of run()) add(p, [e]);
  assert.equal(p.time, 12 * s);
  assert.deepEqual(strip(p.history), strip(whole()));
  assert.deepEqual(strip(p.state), strip(stateAt(12 * s)));
});

test("time in a slot leaves suspension out", () => {
  const a = whole().attempts.find((x) => x.kind === 1);
  assert.equal(ran(a, 0), 2 * s);
  assert.deepEqual(a.segments, [[7 * s, 8 * s, 1], [9 * s, 10 * s, 1]]);
});

test("samples keep the area", () => {
  const steps = [[0, 2], [3, 0], [5, 4], [9, 0]];
  for (const n of [1, 3, 7, 10, 100]) {
    const sum = sample(steps, 0, 10, n).reduce((a, b) => a + (b * 10) / n, 0);
    assert.ok(Math.abs(sum - 22) < 1e-6, `${n}: ${sum}`);
  }
  assert.deepEqual([...sample(steps, 0, 10, 5)], [2, 1, 2, 4, 2]);
  assert.deepEqual(quantiles([4, 1, 3, 2, 5]), { least: 1, low: 2, median: 3, high: 4, most: 5 });
});

test("bars are in the rows of their slots, hatched where killed, with gaps", () => {
  const h = whole(), plan = rows(h);
  assert.equal(plan.list.length, 12);
  const all = bars(h, plan, 0, 99, 0, h.end);
  assert.equal(all.length, 7);
  assert.equal(all.filter((b) => b.hatched).length, 2);
  for (const least of [1, s / 2, 2 * s, 20 * s]) { // an omitted bar is within a pixel of a shown one
    const some = bars(h, plan, 0, 99, 0, h.end, least);
    for (const b of all) assert.ok(some.some((c) => c.row === b.row && (c.attempt === b.attempt || (c.from <= b.from && b.to < c.from + least))), `${least}`);
    if (least === 20 * s) assert.equal(some.length, new Set(all.map((b) => b.row)).size);
  }
  for (let i = 0; i < all.length; i++) {
    for (const b of all.slice(i + 1)) assert.ok(all[i].row !== b.row || all[i].to <= b.from || b.to <= all[i].from, "one slot, one bar");
  }
});

test("bars have the colors of the slots and of the legend", () => {
  const css = readFileSync(new URL("../assets/style.css", import.meta.url), "utf8");
  for (const [letter, color] of Object.entries(colors)) assert.match(css, new RegExp(`\\.is-${letter} \\{ background: ${color};`));
});

test("words", () => {
  assert.deepEqual([0, 5e5, 2.5e8, 12e9, 75e9, 3.7e12].map(time), ["0 s", "0.500 ms", "0.25 s", "12.0 s", "1 min 15 s", "1 h 1 min"]);
  assert.deepEqual([10, 1536, 5 << 20].map(bytes), ["10 B", "1.5 KiB", "5.0 MiB"]);
  assert.deepEqual(parseAttempt("job_0012_r_000003_1"), { job: 12, kind: 1, task: 3, try: 1 });
  assert.equal(parseAttempt("job_x"), null);
  assert.equal(worse({ center: "node-15", at_center: 100, here: 102 }), "+2.0 % over node-15");
  assert.equal(why({ cause: "user limit", count: 1, of: 2 }), "user limit, 1 of 2");
  for (const e of run().filter(isDecision)) assert.match(sentence(e), /^(map|reduce|job) \d+ \w/, e.type);
});

test("counters stand by map, reduce and total; those of the job at its end", () => {
  const h = newHistory();
  const count = (value) => [{ group: "G", name: "records", value }];
  const a = (kind) => `job_0001_${kind}_000000_0`;
  for (const e of [
    { at: 0, type: "submitted", node: -1, job: 1, tasks: [1, 1] },
    { at: 1, type: "launched", node: 0, job: 1, attempt: a("m"), slot: 1 }, { at: 2, type: "succeeded", node: 0, job: 1, attempt: a("m"), counters: count(5) },
    { at: 2, type: "launched", node: 0, job: 1, attempt: a("r"), slot: 1 }, { at: 4, type: "succeeded", node: 0, job: 1, attempt: a("r"), counters: count(7) },
  ]) record(h, e);
  assert.match(jobMarkup(h, 1).toString(), /<td>G<\/td><th scope="row">records<\/th><td>5<\/td><td>7<\/td><td>12<\/td>/);
  record(h, { at: 5, type: "finished", node: -1, job: 1, state: "succeeded", counters: count(13) });
  assert.match(jobMarkup(h, 1).toString(), /<td>5<\/td><td>7<\/td><td>13<\/td>/);
});

test("a job is shown as it stood", () => {
  const h = whole(), says = (t, job = 1) => jobMarkup(h, job, stateAt(t * s)).toString();
  const at = (t) => attemptsAt(h.jobs.get(1).attempts, t * s);
  assert.deepEqual([1, 3, 5, 9, 12].map((t) => at(t).filter((a) => a.end === "").length), [1, 3, 2, 1, 0]);
  assert.equal(at(8.5).at(-1).suspended, true);
  assert.match(says(4), /<p>running · .*submitted at 0 s, first slot after 1\.00 s · /);
  assert.match(says(12), /<p>succeeded · .*, done after 10\.0 s · maps 75\.0 % node-local, 0\.0 % rack-local, 25\.0 % off-rack/);
  assert.match(says(1), /maps 100 % node-local/);
  assert.match(says(1, 2), /It comes at 2\.00 s/);
  const forgotten = stateAt(12 * s);
  forgotten.jobs.delete(1);
  assert.equal(jobMarkup(h, 1, forgotten).toString(), says(12), "a state may have forgotten it");
});

/** Returns a history of two users with six maps each on four slots; they run `first` and `second` of them. */
function shared(first, second) {
  const h = newHistory();
  record(h, { at: 0, type: "joined", node: 0, node_name: "n", slots: [4, 0] });
  [first, second].forEach((n, i) => {
    record(h, { at: 0, type: "submitted", node: -1, job: i + 1, user: `u${i}`, tasks: [6, 0] });
    for (let t = 0; t < n; t++) record(h, { at: 0, type: "launched", node: 0, job: i + 1, attempt: `job_000${i + 1}_m_00000${t}_0`, slot: 1 });
  });
  record(h, { at: 100, type: "lost", node: 9 });
  return h;
}

test("fairness sees who has nothing, and takes no one for poor who wants no more", () => {
  assert.ok(fairness(shared(2, 2)).every((x) => Math.abs(x - 1) < 1e-9));
  assert.ok(fairness(shared(4, 0)).every((x) => Math.abs(x - 0.5) < 1e-9), "one has all");
  assert.deepEqual(waterFill([1, 9, 9], 7), [1, 3, 3]);
  assert.deepEqual(waterFill([1, 2], 7), [1, 2]);
  assert.match(sharesMarkup(shared(4, 0), 0, "", 0).toString(), /data-pool="u0"/, "where there are no pools users hold the slots");
});

test("a map that has to run again waits for its data again, and a reduce for its center", () => {
  assert.deepEqual(wanted(stateAt(3 * s).jobs.get(1)), []);
  assert.deepEqual(wanted(apply(stateAt(3 * s), { at: 4 * s, type: "failed", node: 2, job: 1, attempt: "job_0001_m_000001_0" }).jobs.get(1)), [0]);
  const st = stateAt(6 * s);
  apply(st, { at: 6.5 * s, type: "skipped", node: 2, node_name: "c", job: 1, kind: 1, reason: { cause: "waiting for its center of gravity" }, until: 8.5 * s, level: "node-local", placed: { center: "b", at_center: 10, here: 20 } });
  assert.match(summary(st), /job 1 waits for b with a reduce, 2\.00 s left/);
  assert.deepEqual(waitLines(st).map(({ wait, ...line }) => line), [{ from: 2, to: 1, kind: 1, job: 1 }]);
  assert.match(explain(st, { job: 1 }).toString(), /Its center is b\./);
  assert.match(sentence(st.recent.at(-1)), /waiting for its center of gravity, b; it may go only to its center, anywhere 2\.00 s later at the latest$/);
});

test("phases fill a bar, and none is drawn beyond what is in sight", () => {
  const bar = { from: 10, to: 100, attempt: { end: "succeeded", segments: [[10, 100, 1]], phases: { start: 20, wait: 10, read: 5, work: 40, commit: 5 } } };
  assert.deepEqual(phases(bar).map((p) => [p.name, p.from, p.to]), [["launch", 10, 20], ["wait", 20, 30], ["read", 30, 35], ["work", 35, 75], ["commit", 75, 80], ["report", 80, 100]]);
  assert.deepEqual(paleParts(bar, (t) => t, 25, 78).map((p) => [p.name, p.from, p.to]), [["wait", 25, 30], ["read", 30, 35], ["commit", 75, 78]]);
});

test("jobs that only wait for a slot are not held back by their queue", () => {
  const st = newState();
  const wait = (job, cause) => apply(st, { at: 1, type: "skipped", node: -1, job, reason: { cause } });
  apply(st, { at: 0, type: "began", node: -1, name: "capacity", policy: { Order: "capacity", Queues: [{ Name: "q" }] } });
  for (const job of [1, 2, 3]) apply(st, { at: 0, type: "submitted", node: -1, job, pool: "q", tasks: [1, 0] });
  wait(1, "no slot is free");
  wait(2, "enough jobs of the queue wait initialized");
  wait(3, "queue at its maximum capacity");
  assert.deepEqual([...queuesMarkup(st).toString().matchAll(/data-job="(\d)"/g)].map((m) => +m[1]), [2, 3]);
});

test("a node has its last decisions, and each says what it was weighed by", () => {
  const st = stateAt(20 * s);
  assert.deepEqual(st.nodes.get(2).decisions.map((e) => e.type), ["skipped", "launched"]);
  const text = explain(st, { node: 1 }).toString();
  const key = /data-decision="([^"]*launched[^"]*_r_[^"]*)"/.exec(text)[1];
  const decision = decisionOf(st, { node: 1 }, key);
  assert.equal(decision.type, "launched");
  const said = explain(st, { node: 1, decision }).toString();
  assert.match(said, /near enough: 102 B × links, 100 B × links at its center a \(\+2\.0 %\)/);
  assert.match(said, /the best node 100 B × links, the mean of all 400 B × links/);
  assert.match(said, /<th scope="row">b \(chosen\)<\/th><td>102 B × links<\/td>/);
  assert.match(explain(st, { job: 1, attempt: "job_0001_r_000000_0" }, whole()).toString(), /held slot 1 for 2\.00 s, suspended 1 times/);
  assert.match(explainGroup(stateAt(1 * s), "p").toString(), /1 job, 1 \+ 0 slots held.*Fair share 4\.0 \+ 1\.0, minimum 1 \+ 0, maximum 6 \+ 0/);
});

test("a picture that is saved stands alone, with lines and a legend", () => {
  const svg = sharesSVG(whole(), 0, "", 0);
  assert.match(svg, /^<svg xmlns=.*<style>.*\.limit\{stroke:/s);
  assert.match(svg, /class="limit fair"/, "nobody chose a pool: the first has its lines");
  assert.match(svg, />p<\/text>/);
  assert.ok(svg.endsWith("</svg>"));
});

test("numbers of the other screens", () => {
  const h = whole();
  assert.match(shuffleMarkup(h, 1).toString(), /center of gravity/);
  assert.match(shuffleMarkup(h, 1).toString(), /\+2\.0 % over a/);
  assert.match(shuffleMarkup(h, 1).toString(), />1 reduce was placed by its input/);
  const same = run().map((e) => (e.placed ? { ...e, placed: { ...e.placed, here: e.placed.at_center } } : e));
  assert.match(shuffleMarkup(same.reduce(record, newHistory()), 1).toString(), /as near as its center/);
  const larts = run().map((e) => (e.type === "began" ? { ...e, policy: { Reduce: { Rule: 2 } } } : e));
  assert.match(shuffleMarkup(larts.reduce(record, newHistory()), 1).toString(), /ring: the node that holds most/);
  assert.match(settingsMarkup({ name: "x", policy: { Locality: { Rule: 2 }, Avoid: { Forgive: 86400e9 } } }).toString(), /<td>wait<.*<td>24 h 0 min</);
  assert.match(summary({ ...stateAt(12 * s), nodes: new Map([[0, { live: true }]]), wait: null }), /, 1 node,/);
  assert.equal(figures(h).times.length, 1);
  assert.ok(fairness(h).every((x) => x > 0 && x <= 1 + 1e-9));
  assert.ok(findings(h, stateAt(12 * s)).some((f) => /failed/.test(f.title)));
  assert.equal(below([[0, 1], [4, 3]], [{ at: 0, fair: [4, 0] }], 0, 10), 4);
  assert.equal(jobsCSV(h).trim().split("\n").length, 3);
  assert.match(sharesCSV(h, 0), /^seconds,/);
  assert.equal(cell("=1+1"), "'=1+1");
  const trace = JSON.parse(chromeTrace(h));
  assert.equal(trace.filter((b) => b.ph === "X").length, 7);
});

test("a straggler is one that holds its job up", () => {
  const job = (slow) => [
    { at: 0, type: "began", node: -1, name: "hfs" },
    { at: 0, type: "joined", node: 0, node_name: "n", rack: "r", slots: [9, 0] },
    { at: 0, type: "submitted", node: -1, job: 1, name: "j", tasks: [9, 0] },
    ...Array.from({ length: 9 }, (_, i) => [
      { at: i * s, type: "launched", node: 0, node_name: "n", job: 1, attempt: `job_0001_m_00000${i}_0`, locality: "node-local", slot: 1, reason: { cause: "local to its data" } },
      { at: i * s + (i === 3 ? slow : 0.1) * s, type: "succeeded", node: 0, node_name: "n", job: 1, attempt: `job_0001_m_00000${i}_0` },
    ]).flat().sort((a, b) => a.at - b.at),
    { at: 10 * s, type: "finished", node: -1, job: 1, state: "succeeded" },
  ];
  const told = (slow) => findings(job(slow).reduce(record, newHistory()), stateAt(12 * s)).filter((f) => /straggler/.test(f.title)).map((f) => f.text);
  assert.deepEqual(told(0.9), [], "nine times as long, but what is 0.8 s of ten");
  assert.deepEqual(told(2), ["map 3 of job 1 ran 2.00 s, 20.0 times as long as the median, on n; the job took 10.0 s."]);
});

test("shares are drawn by pool, by user and by job, with what each was told", () => {
  const job = (id, user, pool) => [
    { at: 0, type: "submitted", node: -1, job: id, name: "j", user, pool, tasks: [5, 0] },
    { at: id, type: "launched", node: 0, node_name: "n", job: id, attempt: `job_000${id}_m_000000_0`, slot: id },
  ];
  const of = (...events) => [{ at: 0, type: "joined", node: 0, node_name: "n", slots: [10, 0] }, ...events].reduce(record, newHistory());
  const plain = of(...job(1, "ann"), ...job(2, "ann"),
    { at: 3, type: "shares", node: -1, job: 1, shares: [4, 0], demand: [5, 0], running: [1, 0] },
    { at: 4, type: "shares", node: -1, job: 2, demand: [3, 0], running: [1, 0] },
    { at: 5, type: "shares", node: -1, job: 1, shares: [2, 0], demand: [2, 0] },
    { at: 6, type: "finished", node: -1, job: 1, state: "killed" });
  assert.deepEqual(plain.limits.get("ann").map((l) => [l.at, l.fair[0], l.demand[0]]), [[3, 4, 5], [4, 4, 8], [5, 2, 5], [6, 0, 3]], "a user wants what their jobs want");
  const byUser = sharesMarkup(plain, 0, "ann", 5).toString(), byJob = sharesMarkup(plain, 0, "job 2", 5, "job").toString();
  const signs = (m) => [...m.toString().matchAll(/<span><svg[^>]*><path class="limit (\w+)".*?<\/svg> ([a-z ]+)<\/span>/g)].map((x) => x.slice(1).join(": "));
  assert.match(byUser, /ann: <span><svg/);
  assert.deepEqual(signs(byUser), ["fair: fair share", "demand: demand"]);
  assert.match(byJob, /job 2: <span><svg/);
  assert.deepEqual(signs(byJob), ["demand: demand"], "nothing but what was told has a line");
  assert.match(byJob, /by job\. job 1: 0\.8 in the mean; job 2: 0\.7 in the mean/);
  assert.match(sharesSVG(plain, 0, "job 2", 5, "job"), /job 2: demand thin/);
  assert.match(sharesCSV(plain, 0, "job"), /^seconds,job 1,job 2\n/);
  const pools = of(...job(1, "ann", "p"), { at: 3, type: "shares", node: -1, pool: "p", shares: [4, 0], demand: [6, 0], min: [1, 0], max: [8, -1] },
    { at: 3, type: "shares", node: -1, job: 1, pool: "p", virtual: [{ slots: 2.5 }, {}] });
  assert.deepEqual([...pools.limits.keys()], ["p"]);
  assert.deepEqual(signs(sharesMarkup(pools, 0, "", 5)), ["fair: fair share", "min: minimum", "max: maximum", "demand: demand"]);
  assert.deepEqual(pools.jobs.get(1).levels[0].fair, [2.5, 0], "of hfsp the slots of the virtual cluster");
});

test("a share of none is told from no share", () => {
  const row = (policy, ...events) => {
    const st = newState();
    for (const e of [{ at: 0, type: "began", node: -1, name: "x", policy }, { at: 0, type: "submitted", node: -1, job: 1, pool: "p", tasks: [1, 0] }, ...events]) apply(st, e);
    return /<\/progress> 0\/1<\/td><td>0<\/td><td>([^<]*)/.exec(jobsMarkup(st).toString())[1];
  };
  const told = { at: 1, type: "shares", node: -1, job: 1, demand: [1, 0] };
  assert.equal(row({ Order: "pools" }), "NA", "nothing was told");
  assert.equal(row({ Order: "pools" }, told), "0.0");
  assert.equal(row({ Order: "pools", Pools: { PoolMode: 2 } }, told), "NA", "first in first out");
  assert.equal(row({ Order: "fifo" }, told), "NA");
  assert.equal(row({ Order: "fair" }, { ...told, shares: [1, 0] }), "1.0");
});

test("queues and the virtual cluster show what was told", () => {
  const st = newState(), h = newHistory();
  const events = [
    { at: 0, type: "began", node: -1, name: "capacity", policy: { Order: "capacity", Queues: [{ Name: "top" }, { Name: "sub", Parent: "top" }] } },
    { at: 0, type: "joined", node: 0, node_name: "n", slots: [10, 0] },
    { at: 0, type: "submitted", node: -1, job: 1, name: "j", pool: "sub", tasks: [5, 0] },
    { at: 0, type: "shares", node: -1, pool: "sub", shares: [4, 0], max: [8, 0] },
    { at: 1, type: "launched", node: 0, node_name: "n", job: 1, attempt: "job_0001_m_000000_0", slot: 1 },
    { at: 2, type: "shares", node: -1, job: 1, shares: [0, 0], virtual: [{ left: 7e9, slots: 2.5, finish: 9e9 }, {}] },
  ];
  for (const e of events) { apply(st, e); record(h, e); }
  assert.match(queuesMarkup(st).toString(), /1 of 4, at most 8/);
  assert.match(queuesMarkup(st).toString(), /top[\s\S]*1 of 0/, "a parent has what its children hold");
  assert.match(virtualMarkup(st, h).toString(), /2\.5 \+ 0\.0<\/td><td>7\.00 s<\/td><td>9\.00 s/);
});

test("a hundred thousand attempts on a thousand nodes load and seek in time", () => {
  const events = [{ at: 0, type: "began", node: -1, name: "hfs" }];
  for (let n = 0; n < 1000; n++) events.push({ at: 0, type: "joined", node: n, node_name: `n${n}`, rack: `r${n % 20}`, slots: [4, 2] });
  events.push({ at: 0, type: "submitted", node: -1, job: 1, name: "big", pool: "p", tasks: [100000, 0] });
  for (let i = 0; i < 100000; i++) {
    const a = { node: i % 1000, node_name: `n${i % 1000}`, job: 1, attempt: `job_0001_m_${String(i).padStart(6, "0")}_0` };
    events.push({ at: i * 1e6, type: "launched", ...a, locality: "node-local", slot: 1, reason: { cause: "local to its data" } });
    events.push({ at: i * 1e6 + 1, type: "succeeded", ...a });
  }
  const spent = (before) => process.cpuUsage(before).user / 1000; // not the clock, because other programs use the machine, too
  const began = process.cpuUsage();
  const p = newPlayer();
  add(p, events);
  seek(p, p.history.end);
  const loaded = spent(began);
  const back = process.cpuUsage();
  for (let i = 0; i < 100; i++) stepBack(p);
  const stepped = spent(back) / 100;
  assert.equal(p.state.jobs.get(1).done[0], events.slice(0, p.at).filter((e) => e.type === "succeeded").length);
  seek(p, p.history.end);
  const h = p.history, plan = rows(h);
  const first = process.cpuUsage();
  const every = bars(h, plan, 100, 160, 0, h.end);
  const begun = spent(first);
  const drawn = process.cpuUsage();
  const few = bars(h, plan, 100, 160, 0, h.end, h.end / 50);
  const frame = spent(drawn);
  assert.equal(every.length, 1000);
  assert.ok(few.length <= 510 && few.length > 200, `${few.length}`);
  assert.equal(p.state.jobs.get(1).done[0], 100000);
  console.log(`loaded in ${loaded.toFixed(0)} ms, a step back in ${stepped.toFixed(1)} ms, rows in ${begun.toFixed(0)} ms, then a frame of bars in ${frame.toFixed(0)} ms`);
  const slack = process.env.BOUNDS ? 1 : 10; // a cost that grows with the square of the run exceeds it on any machine
  assert.ok(loaded < 3000 * slack && stepped < 30 * slack && begun < 1000 * slack && frame < 50 * slack);
});

test("a heartbeat is all that comes of its moment and node", () => {
  const p = newPlayer();
  const e = (at, node, type = "launched") => ({ at, type, node, node_name: `n${node}`, job: 1, attempt: `job_0001_m_00000${at}_0`, slot: 1 });
  add(p, [e(1, 0), e(1, 0, "skipped"), e(1, 1), e(2, 1)]);
  beat(p);
  assert.equal(p.at, 2);
  beat(p);
  assert.equal(p.at, 3);
  beat(p);
  assert.equal(p.at, 4);
  assert.equal(beat(p), null);
});
