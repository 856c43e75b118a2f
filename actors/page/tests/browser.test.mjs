// Tests the page in Chromium (make test-page). MODULES is a directory with playwright-core and axe-core,
// PAGES one with pages of runs, PICTURES, if set, the directory for screenshots. SLOW delays each frame
// by N milliseconds, and each step of a test by two thirds of that. A test that does not wait for what it
// checks then fails every time, not once in a hundred runs. BOUNDS=1 checks the figures against their
// goals, on a quiet machine.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import test from "node:test";

import { chromium, drawn, newPage, picture, screens, violations } from "./chromium.mjs";

const { MODULES, PAGES, PICTURES, SLOW, BOUNDS } = process.env;
const skip = !MODULES && "no browser asked for";

/** Returns the names of the screens that a page has buttons for. */
const there = (page) => page.$$eval("#screens button", (list) => list.map((b) => b.textContent));
chromium(skip);

/** Opens a page and collects its errors and network requests. */
async function open(name, options = {}) {
  // the page's policy would refuse axe, so it is bypassed; only the last test keeps it
  const { page, faults, close } = await newPage({ bypassCSP: true, ...options });
  page.on("request", (r) => /^https?:/.test(r.url()) && faults.push(`asks for ${r.url()}`));
  page.on("dialog", (d) => { faults.push(`dialog ${d.message()}`); d.dismiss(); });
  const from = Date.now();
  await page.goto(pathToFileURL(resolve(PAGES, name)).href);
  await page.waitForFunction(() => !/Loading/.test(document.getElementById("summary").textContent), null, { timeout: 60000 });
  await page.waitForSelector("#screen > div > *");
  return { page, faults, took: Date.now() - from, close };
}

const names = skip ? [] : readdirSync(PAGES).filter((n) => n.endsWith(".html"));

for (const name of names) {
  test(`every screen of ${name}`, async () => {
    const { page, faults, took, close } = await open(name);
    const found = [], cut = [];
    await page.focus("#time");
    await page.keyboard.press("End");
    console.log(`${name}: shown in ${took} ms`);
    const all = await there(page);
    for (const screen of screens) assert.ok(all.includes(screen), screen);
    assert.equal(all.includes("HFSP"), name.startsWith("hfsp"));
    assert.equal(all.includes("Queues"), name.startsWith("capacity"));
    for (const screen of [...all, "Job"]) {
      if (screen === "Job") {
        await page.click('#screens button:text-is("Jobs")');
        await page.click("#screen .job >> nth=0");
      } else {
        await page.click(`#screens button:text-is("${screen}")`);
        await page.waitForSelector(`#screen-${screen.toLowerCase()} > *`, { state: "attached" });
        await drawn(page);
      }
      if (screen === "Timeline") assert.match(await page.textContent(".times"), /^0 .*[1-9]/, "a time axis");
      assert.equal(await page.isVisible("#steer"), false, "a run that is over cannot be steered");
      const beyond = await page.evaluate(() => { const s = document.querySelector("#screen > div"); return s.scrollWidth - s.clientWidth; });
      if (beyond > 0) cut.push(`${screen}: ${beyond} pixels`);
      const look = (colors) => picture(page, `${name}-${colors}-${screen}`);
      if (name.startsWith("large")) await look("light"); // it has the same elements, but very many
      else found.push(...(await violations(page, look)).map((v) => `${screen}: ${v}`));
    }
    assert.deepEqual(cut, [], "out of sight at the right");
    assert.deepEqual(found, []);
    assert.deepEqual(faults, []);
    await close();
  });
}

// How smoothly a run plays: with 100 nodes and some thousand attempts, and with 1,000 nodes. The figures
// are in docs/benchmarks.md.
for (const [name, most] of /** @type {[string, number][]} */ ([["hundred.html", 34], ["large.html", 100]])) {
  test(`${name} plays without a jolt`, { skip: skip || (!names.includes(name) && "no such page") || (SLOW && "frames are slow") }, async () => {
    const { page, faults, close } = await open(name);
    for (const screen of ["Overview", "Timeline"]) {
      await page.click(`#screens button:text-is("${screen}")`);
      await page.focus("#time");
      await page.keyboard.press("Home");
      const clock = await page.textContent("#clock");
      await page.click("#play");
      const gaps = await page.evaluate(() => new Promise((done) => {
        const gaps = [], from = performance.now();
        let last = from;
        const frame = (now) => {
          gaps.push(now - last);
          last = now;
          if (now - from > 4000) done(gaps.slice(1).sort((a, b) => a - b));
          else requestAnimationFrame(frame);
        };
        requestAnimationFrame(frame);
      }));
      await page.click("#play");
      assert.notEqual(await page.textContent("#clock"), clock, "time passes");
      const at = (q) => gaps[Math.floor(q * (gaps.length - 1))];
      console.log(`${name}, ${screen}: frames after ${at(0.5).toFixed(0)} ms in the median, 95 of 100 within ${at(0.95).toFixed(0)} ms, the longest ${at(1).toFixed(0)} ms`);
      if (BOUNDS) assert.ok(at(0.5) < most, `${screen}: ${at(0.5)} ms`);
    }
    assert.deepEqual(faults, []);
    await close();
  });
}

test("keys alone play, step, switch and explain", { skip }, async () => {
  const { page, faults, close } = await open("hostile.html");
  const clock = () => page.textContent("#clock");
  const first = await clock();
  await page.keyboard.press(".");
  const second = await clock();
  assert.notEqual(second, first);
  await page.keyboard.press(",");
  await page.keyboard.press(",");
  assert.notEqual(await clock(), second);
  await page.keyboard.press(" ");
  await page.waitForFunction((before) => document.getElementById("clock").textContent !== before, await clock());
  await page.keyboard.press(" ");
  assert.equal(await page.getAttribute("#play", "aria-pressed"), "false");
  await page.keyboard.press("2");
  await page.waitForSelector("#screen-jobs table");
  await page.keyboard.press("1");
  await page.waitForSelector("#screen-overview .slot");
  await page.focus("#screen .node .slot >> nth=0");
  await page.keyboard.press("Enter");
  await page.focus("#why [data-all]"); // it exists as soon as the slot is explained
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => /^Decisions/.test(document.getElementById("why").textContent));
  await page.focus("#why .decisions button >> nth=0");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => /This decision/.test(document.getElementById("why").textContent));
  await page.keyboard.press("3");
  await page.waitForSelector(".times span");
  const axis = () => page.textContent(".times");
  const whole = await axis();
  await page.focus(".gantt");
  await page.keyboard.press("+");
  const closer = await axis();
  assert.notEqual(closer, whole);
  await page.keyboard.press("ArrowLeft");
  assert.notEqual(await axis(), closer);
  for (let i = 0; i < 3; i++) await page.keyboard.press("-");
  assert.equal(await axis(), whole);
  await page.focus("#time");
  await page.keyboard.press("Home");
  assert.match(await clock(), /^0 s of/);
  await page.keyboard.press("."); // a focused slider does not handle the keys of steps and screens
  assert.doesNotMatch(await clock(), /^0 s of/);
  assert.deepEqual(faults, []);
  await close();
});

test("a run by a hostile hand is shown as text, under the page's own policy", { skip }, async () => {
  const { page, faults, close } = await open("hostile.html", { bypassCSP: false });
  for (const screen of screens) {
    await page.click(`#screens button:text-is("${screen}")`);
    await page.waitForSelector(`#screen-${screen.toLowerCase()} > *`, { state: "attached" });
    await drawn(page);
  }
  await page.click('#screens button:text-is("Overview")');
  await page.click("#screen [data-all]");
  await page.waitForSelector("#why .decisions");
  assert.equal(await page.evaluate(() => document.querySelectorAll("#screen img, #screen script, #why img").length), 0);
  assert.deepEqual(faults, []);
  await close();
});

for (const name of names.filter((n) => /^(live|hfs|hundred|large)\./.test(n))) {
  test(`the overview of ${name} fits one screen, and nothing is wider than a phone`, async () => {
    const { page, faults, close } = await open(name, { viewport: { width: 1280, height: 800 } });
    const size = () => page.evaluate(() => {
      const r = document.querySelector(".racks");
      return { high: document.documentElement.scrollHeight, wide: document.documentElement.scrollWidth, cut: r ? r.scrollHeight - r.clientHeight : 0 };
    });
    assert.doesNotMatch(await page.textContent("#summary"), /no job/, "it opens where something is at work");
    assert.deepEqual(await size(), { high: 800, wide: 1280, cut: 0 });
    await page.setViewportSize({ width: 390, height: 844 });
    for (const screen of screens) {
      await page.click(`#screens button:text-is("${screen}")`);
      await page.waitForSelector(`#screen-${screen.toLowerCase()} > *`, { state: "attached" });
      await drawn(page);
      assert.equal((await size()).wide, 390, screen);
      if (PICTURES) await page.screenshot({ path: join(PICTURES, `${name}-phone-${screen}.png`) });
    }
    await page.evaluate(() => { location.hash = "#/jobs"; });
    await page.waitForSelector('[data-screen="jobs"][aria-current]');
    await page.evaluate(() => { document.querySelector("#screens").scrollLeft = 0; location.hash = "#/settings"; });
    await page.waitForFunction(() => document.querySelector('[data-screen="settings"][aria-current]')?.getBoundingClientRect().right <= innerWidth);
    await page.click('#screens button:text-is("Overview")');
    await page.waitForSelector(".picture .pool");
    const below = await page.$$eval(".picture .pool", (list) => list.filter((b) => b.getBoundingClientRect().bottom > b.closest(".picture").getBoundingClientRect().bottom).map((b) => b.textContent));
    assert.deepEqual(below, [], "a pool that the picture cuts off");
    await page.click("#screen .slot >> nth=0");
    await page.waitForSelector("#side:not([hidden])");
    assert.equal((await size()).wide, 390, "with an explanation");
    assert.deepEqual(faults, []);
    await close();
  });
}

test("the address holds screen, job and time, and Back leads back", { skip }, async () => {
  const { page, faults, close } = await open("hostile.html");
  await page.click('#screens button:text-is("Jobs")');
  await page.click('#screen [data-job="1"]');
  await page.focus("#time");
  await page.keyboard.press("Home");
  await page.keyboard.press(".");
  await page.waitForFunction(() => /^#\/jobs\?job=1&t=1$/.test(location.hash));
  const there = page.url(), clock = await page.textContent("#clock");
  await page.click('#screens button:text-is("Findings")');
  await page.waitForSelector("#screen-findings > *");
  await page.goBack();
  await page.waitForFunction(() => /Job 1/.test(document.getElementById("screen").textContent));
  await page.goBack();
  await page.waitForSelector("#screen-jobs table");
  const other = await page.context().newPage();
  await other.goto(there);
  await other.waitForFunction(() => /Job 1/.test(document.getElementById("screen").textContent));
  assert.equal(await other.textContent("#clock"), clock);
  assert.deepEqual(faults, []);
  await close();
});

test("a table of jobs is sorted and filtered, and Escape shuts the explanation", { skip }, async () => {
  const { page, faults, close } = await open("hfs.html");
  await page.focus("#time");
  await page.keyboard.press("End");
  await page.click('#screens button:text-is("Jobs")');
  const ids = () => page.$$eval("#screen tbody .job", (list) => list.map((b) => +/** @type {HTMLElement} */ (b).dataset.job));
  await page.click('#screen [data-sort="job"]');
  await page.waitForSelector('#screen [aria-sort="ascending"]');
  const up = (await ids()).filter(Boolean);
  assert.deepEqual(up.slice(0, 5), [...up].sort((a, b) => a - b).slice(0, 5));
  await page.fill("#job-filter", "user007");
  await page.waitForFunction(() => document.querySelectorAll("#screen .dense tbody tr").length === 1);
  await page.click("#screen .dense .job");
  await page.waitForSelector("#side:not([hidden])");
  await page.keyboard.press("Escape");
  await page.waitForSelector("#side", { state: "hidden" });
  assert.deepEqual(faults, []);
  await close();
});

test("a wait is staged: a ring runs down, and words say who has the slot", { skip }, async () => {
  const { page, faults, close } = await open("hfs.html");
  await page.click("[data-stage]");
  await page.waitForFunction(() => /is first in line|takes the slot/.test(document.querySelector(".caption").textContent));
  const ring = () => page.evaluate(() => parseFloat(document.querySelector(".overlay .ring").getAttribute("stroke-dasharray")));
  const first = await ring();
  await page.waitForFunction((was) => parseFloat(document.querySelector(".overlay .ring").getAttribute("stroke-dasharray")) < was, first);
  if (PICTURES) await page.screenshot({ path: join(PICTURES, "wait.png") });
  await page.waitForFunction(() => /^After .* starts on /.test(document.querySelector(".caption").textContent), null, { timeout: 30000 });
  await page.waitForFunction(() => document.getElementById("play").getAttribute("aria-pressed") === "false");
  await page.keyboard.press(",");
  await page.waitForFunction(() => document.querySelector(".caption").textContent === "");
  assert.deepEqual(faults, []);
  await close();
});

test("a recorded run in one file says what if it had not waited, or that it has no simulator", { skip }, async () => {
  const { page, faults, close } = await open("hfs.html", { bypassCSP: false });
  await page.click(".matter [data-all]");
  await page.click('#why .decisions button:has-text("waiting for locality")');
  await page.click("#why [data-fork]");
  await page.waitForSelector("#fork b", { timeout: 60000 });
  assert.match(await page.textContent("#fork"), /At .* job (\d+) let a map slot on n\d+ pass\. This wait.* (saved|cost|made no difference to) job \1.*Both are simulations of this run; the mean of the first is 0\.00 % off/s);
  await page.click("#fork [data-screen]");
  await page.waitForSelector("#screen-timeline canvas");
  assert.match(page.url(), /fork=\d+\.0\.\d+\.\d+/);
  assert.equal(await page.isVisible("#why .unasked"), false);
  await page.evaluate(() => { delete document.body.dataset.module; }); // as in a page by a program without the simulator
  assert.equal(await page.isVisible("#why [data-fork]"), false);
  assert.match(await page.innerText("#why"), /A page without the simulator cannot say: “make build” makes a tarry whose pages have it\./);
  assert.deepEqual(faults, []);
  await close();
});

test("a center of gravity is staged: it moves on the tree of racks, and words say what the slot cost", { skip: skip || (!names.includes("moving.html") && "no such page") }, async () => {
  const { page, faults, close } = await open("moving.html");
  await page.click('[data-stage="gravity"]');
  const says = (words) => page.waitForFunction((w) => new RegExp(w).test(document.querySelector(".caption").textContent), words, { timeout: 60000 });
  await says("of job \\d+ (is|are) done, with .* for reduce \\d+. (Its center is|It started on) [a-d]");
  await page.waitForSelector(".gravity .mid");
  const at = await page.getAttribute(".gravity .mid", "cx");
  await page.waitForFunction((was) => { const c = document.querySelector(".gravity .mid"); return c && c.getAttribute("cx") !== was; }, at, { timeout: 60000 });
  await page.waitForSelector(".gravity .taken", { timeout: 60000 });
  await says("It started on b");
  if (PICTURES) await page.screenshot({ path: join(PICTURES, "gravity.png") });
  assert.deepEqual(await violations(page), []);
  assert.deepEqual(faults, []);
  await close();
});
