// The page in a browser: `make test-page`, where Chromium is there. MODULES is a directory with
// playwright-core and axe-core, PAGES one with pages of runs, PICTURES, if set, where pictures go.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import test, { after, before } from "node:test";

const { MODULES, PAGES, PICTURES, LIVE, CHROMIUM = "/usr/bin/chromium" } = process.env;
const skip = !MODULES && "no browser asked for";
const screens = ["Cluster", "Shares", "Jobs", "Job", "Gantt", "Shuffle", "HFSP", "Queues", "Findings", "Compare"];
let browser, axe;

before(async () => {
  if (skip) return;
  const require = createRequire(join(resolve(MODULES), "node_modules", "x.js"));
  browser = await require("playwright-core").chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
});
after(() => browser && browser.close());

/** Opens a page and gathers what goes wrong in it, and what it asks of the network. */
async function open(name, options = {}) {
  // axe is put in by hand, which the page's policy would refuse; the last test is without that
  const context = await browser.newContext({ viewport: { width: 1300, height: 900 }, bypassCSP: true, ...options });
  const page = await context.newPage();
  const faults = [];
  page.on("pageerror", (e) => faults.push(e.message));
  page.on("console", (m) => m.type() === "error" && faults.push(m.text()));
  page.on("request", (r) => /^https?:/.test(r.url()) && faults.push(`asks for ${r.url()}`));
  page.on("dialog", (d) => { faults.push(`dialog ${d.message()}`); d.dismiss(); });
  const from = Date.now();
  await page.goto(pathToFileURL(resolve(PAGES, name)).href);
  await page.waitForFunction(() => !/Loading/.test(document.getElementById("summary").textContent), null, { timeout: 60000 });
  return { page, faults, took: Date.now() - from, close: () => context.close() };
}

const names = skip ? [] : readdirSync(PAGES).filter((n) => n.endsWith(".html"));

for (const name of names) {
  for (const colorScheme of ["light", "dark"]) {
    test(`every screen of ${name}, ${colorScheme}`, async () => {
      const { page, faults, took, close } = await open(name, { colorScheme });
      const violations = [];
      console.log(`${name}: shown in ${took} ms`);
      for (const screen of screens) {
        await page.click(`#screens button:text-is("${screen}")`);
        await page.waitForSelector(`#screen-${screen.toLowerCase()} > *`, { state: "attached" });
        if (screen === "Jobs") await page.click("#screen .job >> nth=0");
        if (PICTURES) await page.screenshot({ path: join(PICTURES, `${name}-${colorScheme}-${screen}.png`) });
        if (name.startsWith("large")) continue;
        await page.evaluate(axe);
        const found = await page.evaluate(() => axe.run());
        violations.push(...found.violations.map((v) => `${screen}: ${v.id}: ${v.nodes.length}: ${v.nodes[0].html.slice(0, 200)}`));
      }
      assert.deepEqual(violations, []);
      assert.deepEqual(faults, []);
      await close();
    });
  }
}

test("a cluster that works is watched as it does", { skip: skip || (!LIVE && "no server asked for") }, async () => {
  const context = await browser.newContext({ viewport: { width: 1300, height: 900 } });
  const page = await context.newPage();
  const faults = [];
  page.on("pageerror", (e) => faults.push(e.message));
  page.on("console", (m) => m.type() === "error" && faults.push(m.text()));
  await page.goto(LIVE);
  await page.waitForSelector("#screen-cluster .slot");
  await page.click('#screens button:text-is("Jobs")');
  await page.waitForFunction(() => /succeeded/.test(document.getElementById("screen").textContent), null, { timeout: 60000 });
  assert.equal(await page.getAttribute("#live", "aria-pressed"), "true");
  await page.keyboard.press(",");
  assert.equal(await page.getAttribute("#live", "aria-pressed"), "false", "who steps back looks at the past");
  if (PICTURES) {
    await page.keyboard.press("1");
    await page.waitForSelector("#screen-cluster .slot");
    await page.screenshot({ path: join(PICTURES, "served.png") });
  }
  assert.deepEqual(faults, []);
  await context.close();
});

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
  await page.keyboard.press("3");
  await page.waitForSelector("#screen-jobs table");
  await page.keyboard.press("1");
  await page.waitForSelector("#screen-cluster .slot");
  await page.focus("#screen .node .slot >> nth=0");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => /slot|run on/.test(document.getElementById("why").textContent));
  await page.focus("#time");
  await page.keyboard.press("Home");
  assert.match(await clock(), /^0 s of/);
  assert.deepEqual(faults, []);
  await close();
});

test("a run by a hostile hand is shown as text, under the page's own policy", { skip }, async () => {
  const { page, faults, close } = await open("hostile.html", { bypassCSP: false });
  for (const screen of screens) {
    await page.click(`#screens button:text-is("${screen}")`);
    await page.waitForSelector(`#screen-${screen.toLowerCase()} > *`, { state: "attached" });
  }
  assert.equal(await page.evaluate(() => document.querySelectorAll("#screen img, #screen script, #why img").length), 0);
  assert.deepEqual(faults, []);
  await close();
});
