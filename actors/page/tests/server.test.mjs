// Tests the page of a server: the stream of events, a run without end, the digest of earlier events, and the controls.

import assert from "node:assert/strict";
import test from "node:test";

import { add, newPlayer, seek } from "../assets/player.mjs";
import { sharesMarkup } from "../assets/shares.mjs";
import { eventReader } from "../assets/remote.mjs";
import { change, jobControls, nodeControls, rows as steerRows, seconds, steerMarkup } from "../assets/steer.mjs";
import { reset } from "../assets/player.mjs";
import { hostile, run, s } from "./run.mjs";

test("events are read from a stream in pieces of any size", () => {
  const text = "id: A-1\nevent: joined\ndata: {\"at\":1}\n\n: still here\n\nevent: missed\ndata: {}\n\ndata: a\ndata:b\n\n";
  const want = [{ id: "A-1", kind: "joined", data: '{"at":1}' }, { id: "", kind: "missed", data: "{}" }, { id: "", kind: "", data: "a\nb" }];
  for (let size = 1; size < text.length; size++) {
    const read = eventReader(), got = [];
    for (let i = 0; i < text.length; i += size) got.push(...read(text.slice(i, i + size)));
    assert.deepEqual(got, want, `pieces of ${size}`);
  }
});

test("a run without end is kept in bounds, and what is left is as if all were there", () => {
  const all = newPlayer(), p = newPlayer();
  all.follow = p.follow = true;
  p.most = 500;
  p.state.most = 20;
  p.snapshots.gap = 7;
  let at = 0;
  for (let j = 1; j <= 400; j++) {
    const name = (t) => `job_${String(j).padStart(4, "0")}_m_00000${t}_0`;
    const events = [{ type: "submitted", job: j, pool: "p", tasks: [2, 0], at: at++, node: -1 }];
    if (j === 1) events.unshift({ type: "joined", node: 0, node_name: "n", slots: [2, 0], at: 0 });
    for (const t of [0, 1]) events.push({ type: "launched", job: j, attempt: name(t), node: 0, slot: t + 1, locality: "node-local", at: at++ });
    if (j < 400) for (const t of [0, 1]) events.push({ type: "succeeded", job: j, attempt: name(t), node: 0, at: at++ });
    if (j < 400) events.push({ type: "finished", job: j, state: "succeeded", at: at++, node: -1 });
    add(all, events);
    add(p, events, 100 * events.length);
  }
  assert.ok(p.events.length <= 500 && p.history.attempts.length <= 300 && p.history.jobs.size <= 150 && p.state.jobs.size <= 21);
  assert.ok(p.text <= 50000, `${p.text}`);
  for (const x of [p, all]) seek(x, at);
  assert.deepEqual(p.state.near, all.state.near);
  assert.deepEqual(p.state.groups, all.state.groups);
  assert.deepEqual(p.state.nodes.get(0).cells[0].map((a) => a.id), all.state.nodes.get(0).cells[0].map((a) => a.id));
  for (const t of [at - 20, at - 90]) {
    for (const x of [p, all]) seek(x, t);
    assert.deepEqual([p.state.near, [...p.state.attempts.keys()]], [all.state.near, [...all.state.attempts.keys()]], `back to ${t}`);
  }
  const middle = p.history.from + 3;
  for (const x of [p, all]) seek(x, middle);
  assert.deepEqual(p.state.near, all.state.near, "back within what is kept");
  assert.deepEqual([...p.state.attempts.keys()], [...all.state.attempts.keys()]);
  seek(p, 0);
  assert.equal(p.time, p.history.from, "no further back than what is kept");
  reset(p);
  assert.equal(p.events.length + p.history.attempts.length + p.state.nodes.size, 0);
  assert.equal(p.state.most, 20);
});

test("a server's digest leads to the state it stands for", () => {
  const p = newPlayer();
  p.follow = true;
  const job = "job_0007_m_000004_0";
  add(p, [
    { type: "joined", node: 0, node_name: "n", slots: [1, 1], at: 1 },
    { type: "submitted", job: 7, pool: "p", tasks: [9, 1], at: 5 * s, node: -1 },
    { type: "launched", job: 7, attempt: job, node: 0, slot: 1, locality: "rack-local", at: 6 * s },
    { type: "counts", job: 7, done: [4, 0], failed: 1, killed: 2, near: [3, 1, 0, 0], at: 0, node: -1 },
    { type: "counts", done: [0, 0], failed: 0, killed: 0, near: [30, 10, 0, 0], at: 0, node: -1 },
    { type: "succeeded", job: 7, attempt: job, node: 0, at: 8 * s },
  ]);
  const j = p.state.jobs.get(7);
  assert.deepEqual([j.done, j.failed, j.killed, j.near], [[5, 0], 1, 2, { N: 3, R: 2, O: 0, A: 0 }]);
  assert.deepEqual(p.state.near, { N: 30, R: 11, O: 0, A: 0 });
  assert.equal(p.history.from, 6 * s);
  sharesMarkup(p.history, 0, "p", p.time).toString().split(/[^0-9.e-]+/).forEach((n) => assert.ok(!(+n < 0), n));
});

const policy = (set, pools) => ({ settings: Object.entries(set).map(([key, value]) => ({ key, value })), pools });

test("what can be steered is what the policy has, and changes say all that belongs together", () => {
  const waiting = policy({ "locality.rule": "wait", "locality.waits": "2s/1m0.5s", "preemption.mode": "log" }, [{ name: hostile, weight: 12 }, { name: "queue" }]);
  const list = steerRows(waiting);
  assert.deepEqual(list.map((r) => [r.id, r.value]), [["rule", "wait"], ["auto", "set here"], ["w1", 2], ["w2", 60.5], [`weight ${hostile}`, 12], ["preemption", "log"]]);
  assert.deepEqual(change("w2", { w1: "2", w2: "7" }), { set: { "locality.waits": "2s/7s", "locality.auto": "false" } });
  assert.deepEqual(change(`weight ${hostile}`, { [`weight ${hostile}`]: "3" }), { weights: { [hostile]: 3 } });
  assert.deepEqual(change("preemption", { preemption: "on" }), { set: { "preemption.mode": "on" } });
  assert.deepEqual(steerRows(policy({ "locality.rule": "skips", "locality.skips": "3" }, [])).map((r) => [r.id, r.value]), [["rule", "skips"], ["d1", 3], ["d2", 0], ["preemption", ""]]);
  assert.deepEqual(change("d1", { d1: "4", d2: "0" }).set["locality.skips"], "4");
  assert.deepEqual(change("d2", { d1: "4", d2: "2" }).set["locality.skips"], "4/2");
  assert.equal(change("rule", { rule: "greedy" }).set["locality.waits"], undefined);
  assert.deepEqual([seconds("1h2m3.5s"), seconds("250ms"), seconds("0s")], [3723.5, 0.25, 0]);
  assert.ok(Number.isNaN(seconds("auto")));
  const job = { id: 3, pool: hostile, priority: "normal", may_change: true };
  for (const m of [steerMarkup({ ...waiting, reload: { error: hostile } }, list), jobControls(job, [hostile]), nodeControls({ id: 0, live: true, state: hostile, name: hostile })]) {
    assert.doesNotMatch(m.toString(), /<\/?(script|img)|undefined|NaN| (style|on[a-z]+)="/i);
  }
  assert.equal(jobControls({ ...job, may_change: false }, []).toString(), "", "no controls without the right");
  assert.equal(jobControls({ ...job, ended: "2026-01-01T00:00:00Z" }, []).toString(), "");
});

