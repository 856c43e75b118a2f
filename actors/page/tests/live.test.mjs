// Tests the page of a server in Chromium, while its cluster works and is steered (make test-page). LIVE is
// the address of a server without users, GUARDED that of one with tokens; MODULES, PICTURES and SLOW are
// those of browser.test.mjs.

import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";

import { chromium, drawn, newContext, newPage, picture, screens, violations } from "./chromium.mjs";

const { LIVE, GUARDED, PICTURES } = process.env;
const skip = !LIVE && "no server asked for";
chromium(skip);

test("a cluster that works is watched as it does", { skip }, async () => {
  const context = await newContext({});
  const page = await context.newPage();
  const faults = [];
  page.on("pageerror", (e) => faults.push(e.message));
  page.on("console", (m) => m.type() === "error" && faults.push(m.text()));
  await page.goto(LIVE);
  await page.waitForSelector("#screen-overview .slot");
  await page.click('#screens button:text-is("Jobs")');
  await page.waitForSelector('#screen-jobs td.state:has-text("succeeded")', { timeout: 60000 });
  assert.equal(await page.getAttribute("#live", "aria-pressed"), "true");
  const held = await page.evaluate(async () => { // a focused button keeps the focus while the table changes
    const jobs = () => [...document.querySelectorAll("#screen .job")].map((b) => /** @type {any} */ (b).dataset.job);
    const button = /** @type {any} */ (document.querySelector("#screen tr.running .job, #screen .job")), job = button.dataset.job, before = document.getElementById("screen").textContent;
    button.focus();
    for (let i = 0; i < 600 && document.getElementById("screen").textContent === before; i++) await new Promise((next) => setTimeout(next, 50));
    return { changed: document.getElementById("screen").textContent !== before, on: /** @type {any} */ (document.activeElement).dataset.job, job, jobs: jobs().length };
  });
  assert.deepEqual([held.changed, held.on], [true, held.job]);
  await page.keyboard.press(",");
  assert.equal(await page.getAttribute("#live", "aria-pressed"), "false", "who steps back looks at the past");
  await page.waitForFunction(() => document.getElementById("mode").textContent === "PAST" && /^Back to now/.test(document.getElementById("live").textContent));
  if (PICTURES) {
    await page.keyboard.press("1");
    await page.waitForSelector("#screen-overview .slot");
    await page.screenshot({ path: join(PICTURES, "served.png") });
  }
  assert.deepEqual(faults, []);
  await context.close();
});

test("every screen of a cluster that works", { skip }, async () => {
  const { page, faults, found, check, close } = await watch(LIVE);
  await page.waitForSelector("#screen-overview .slot");
  for (const screen of screens) {
    await page.click(`#screens button:text-is("${screen}")`);
    await page.waitForSelector(`#screen-${screen.toLowerCase()} > *`, { state: "attached" });
    await drawn(page);
    await check(`live-${screen}`);
    if (screen === "Jobs") {
      await page.click("#screen .job >> nth=0");
      await check("live-Job");
    }
  }
  assert.deepEqual(found, []);
  assert.deepEqual(faults, []);
  await close();
});

/** Opens the page of a server and collects its errors. */
async function watch(url) {
  const { page, faults, close } = await newPage({ bypassCSP: true }), found = [];
  await page.goto(url);
  const check = async (name) => {
    found.push(...(await violations(page, (colors) => picture(page, `${name}-${colors}`))).map((v) => `${name}: ${v}`));
  };
  return { page, faults, found, check, close };
}

test("a cluster is steered from the page", { skip }, async () => {
  const { page, faults, found, check, close } = await watch(LIVE);
  const policy = async (key) => (await (await fetch(new URL("/api/v1/policy", LIVE))).json()).settings.find((x) => x.key === key).value;
  await page.click('#screens button:text-is("Settings")');
  await page.waitForSelector("#steer-d1");
  await page.focus("#steer-d1");
  const before = +(await page.inputValue("#steer-d1"));
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => /^Changed: locality\.skips: \d+ → \d+/.test(document.querySelector("#screen .says").textContent));
  assert.equal(+(await policy("locality.skips")), before + 1, "keys alone move the slider");
  await page.selectOption("#steer-rule", "wait");
  await page.waitForSelector("#steer-w1");
  assert.equal(await policy("locality.rule"), "wait");
  await page.selectOption("#steer-preemption", "log");
  await page.waitForFunction(() => /^Changed: preemption\.mode: .* → log/.test(document.querySelector("#screen .says").textContent));
  assert.equal(await policy("preemption.mode"), "log");
  await page.waitForSelector('[id^="steer-weight "]'); // a pool is shown while it has jobs; those of bob take longest
  const says = (text) => page.waitForFunction((x) => document.querySelector("#screen .says").textContent.includes(x), text, { timeout: 3000 });
  for (let tries = 1, done = false; !done; tries++) {
    const pools = await page.$$eval('[id^="steer-weight "]', (list) => list.map((x) => x.id.slice("steer-weight ".length)));
    const pool = pools.includes("bob") ? "bob" : pools[0];
    try {
      await page.focus(`[id="steer-weight ${pool}"]`, { timeout: 1000 });
      await page.keyboard.press("Home");
      await says("→ 0.1");
      await page.keyboard.press("End");
      await says("→ 10");
      done = true;
    } catch (e) {
      if (tries === 5) throw e; // otherwise its jobs may have ended meanwhile
    }
  }
  await check("steer");
  await page.selectOption("#steer-preemption", "off");
  await page.selectOption("#steer-rule", "skips");
  await page.waitForSelector("#steer-d1");

  await page.click('#screens button:text-is("Overview")'); // a focused list handles digits itself
  await page.click("#screen .node .name >> nth=0");
  await page.click('#steer button:text-is("Cordon")');
  await page.waitForSelector('#steer button:text-is("Uncordon")');
  await check("steer-node");
  await page.click('#steer button:text-is("Uncordon")');
  await page.waitForSelector('#steer button:text-is("Cordon")');

  const jobs = async () => (await (await fetch(new URL("/api/v1/jobs?state=running", LIVE))).json()).items;
  let job;
  for (let tries = 1, found = false; !found; tries++) {
    await page.keyboard.press("2");
    for (let i = 0; i < 150 && !job; i++) { // dan's jobs last until one is killed
      job = (await jobs()).find((j) => j.user === "dan" && j.stages.length);
      if (!job) await page.waitForTimeout(200);
    }
    try {
      await page.click(`#screen [data-job="${+job.stages[0].id.slice(4)}"]`, { timeout: 10000 });
      await page.waitForSelector("#job-priority", { timeout: 10000 });
      found = true;
    } catch (e) {
      if (tries === 5) throw e; // otherwise it has ended meanwhile
      job = undefined;
    }
  }
  await page.selectOption("#job-priority", "very_high");
  await page.waitForFunction(() => /very_high/.test(document.querySelector("#steer .says").textContent));
  await check("steer-job");
  await page.click('#steer button:text-matches("^Kill job")');
  await page.waitForSelector('#steer button:text-is("Keep it")'); // nothing is killed by one click
  assert.equal((await (await fetch(new URL(`/api/v1/jobs/${job.id}`, LIVE))).json()).state, "running");
  await check("steer-kill");
  await page.click('#steer button:text-is("Keep it")');
  await page.waitForSelector('#steer button:text-is("Kill it")', { state: "hidden" });
  await page.click('#steer button:text-matches("^Kill job")');
  await page.click('#steer button:text-is("Kill it")');
  await page.waitForFunction(() => /^Job \d+ is killed; /.test(document.querySelector("#steer .says").textContent));
  assert.equal((await (await fetch(new URL(`/api/v1/jobs/${job.id}`, LIVE))).json()).state, "killed");
  assert.deepEqual(found, []);
  assert.deepEqual(faults, []);
  await close();
});

test("who has no right is shown no controls, a wrong token is refused, and a refusal says why", { skip }, async () => {
  const { page, faults, found, check, close } = await watch(GUARDED);
  await page.waitForSelector("#token[open]");
  await check("token");
  const enter = async (token) => {
    await page.fill("#token input", token);
    await page.keyboard.press("Enter");
  };
  await enter("no-such-token-at-all");
  await page.waitForFunction(() => /not known/.test(document.querySelector("#token span").textContent));
  await enter("bobs-secret-0123456789");
  await page.waitForSelector("#screen-overview .slot");
  await page.click('#screens button:text-is("Settings")');
  await page.waitForSelector("#screen-settings table");
  assert.equal(await page.locator("#steer-rule").count(), 0, "who may not change them sees the settings");
  await page.click('#screens button:text-is("Overview")');
  await page.click("#screen .node .name >> nth=0");
  assert.equal(await page.locator("#steer button").count(), 0);
  await page.reload();
  await page.waitForSelector("#token[open]"); // the token was only in memory
  await enter("anns-secret-0123456789");
  await page.click('#screens button:text-is("Settings")');
  await page.waitForSelector("#steer-rule");
  await page.evaluate(() => { // a value that the server refuses
    const slider = document.getElementById("steer-w1") || document.getElementById("steer-d1");
    slider.min = -5;
    slider.value = -5;
    slider.dispatchEvent(new Event("change", { bubbles: true }));
  });
  await page.waitForFunction(() => /was refused: .*locality/.test(document.querySelector("#screen .says").textContent));
  await check("refused");
  assert.deepEqual(found, []);
  assert.deepEqual(faults.filter((f) => !/status of (401|422)/.test(f)), []);
  await close();
});
