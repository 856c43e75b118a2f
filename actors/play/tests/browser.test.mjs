// Tests the playground in Chromium, as a reader uses it (make test-play). SITE is the address of
// tarry play, MODULES a directory with playwright-core and axe-core; SLOW and BOUNDS are those of the
// page's test.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, resolve } from "node:path";
import test from "node:test";
import { brotliDecompressSync } from "node:zlib";

import { browser, count, drawn, open, ran, skip, summary, violations } from "./open.mjs";

const { MODULES, SITE, EXPORTED, PICTURES, SLOW, BOUNDS } = process.env;

test("it runs, steps and goes back", { skip }, async () => {
  const { page, faults, close } = await open();
  const paint = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0].startTime);
  console.log(`first paint after ${paint.toFixed(0)} ms; ${await page.textContent("#said")}`);
  if (BOUNDS) assert.ok(paint < 1000, `first paint after ${paint} ms`);
  await page.waitForSelector("#screen-overview .slot");
  await page.focus("#time");
  await page.keyboard.press("Home");
  const clock = () => page.textContent("#clock");
  await page.click("#step");
  const first = await clock();
  for (let i = 0; i < 3; i++) await page.click("#beat");
  const later = await clock();
  for (let i = 0; i < 200 && (await clock()) !== first; i++) await page.click("#back");
  assert.equal(await clock(), first, `back from ${later}`);
  for (const screen of ["Jobs", "Timeline", "Shuffle", "Findings"]) {
    await page.click(`#screens button:text-is("${screen}")`);
    await page.waitForSelector(`#screen-${screen.toLowerCase()} > *`, { state: "attached" });
  }
  if (PICTURES) await page.screenshot({ path: join(PICTURES, "play.png") });
  assert.deepEqual(faults, []);
  await close();
});

test("a slider takes effect at once, and the address shares it", { skip }, async () => {
  const { page, faults, close } = await open();
  const before = await count(page);
  await page.selectOption('fieldset[data-side="0"] .rule', "wait");
  await ran(page, before + 1);
  await page.fill('fieldset[data-side="0"] .w1', "33");
  await ran(page, before + 2);
  const address = await page.getAttribute("#share", "href");
  const other = await open(address.slice(address.indexOf("#")));
  assert.equal(await other.page.inputValue('fieldset[data-side="0"] .w1'), "33");
  await other.page.focus("#time");
  await other.page.keyboard.press("End");
  await page.focus("#time");
  await page.keyboard.press("End");
  await drawn(other.page);
  await drawn(page);
  assert.equal(await summary(other.page), await summary(page));
  assert.deepEqual([...faults, ...other.faults], []);
  await other.close();
  await close();
});

test("Back leads to the set-up before, and a long workload is shared, too", { skip }, async () => {
  const { page, faults, close } = await open();
  const value = (selector) => page.inputValue(selector);
  let before = await count(page);
  await page.fill("#nodes", "12");
  await ran(page, before + 1);
  await page.selectOption('fieldset[data-side="0"] .preset', "fair");
  await ran(page, before + 2);
  await page.goBack();
  await ran(page, before + 3);
  assert.deepEqual([await value("#nodes"), await value('fieldset[data-side="0"] .preset')], ["12", "hfs"]);
  await page.goBack();
  await ran(page, before + 4);
  assert.equal(await value("#nodes"), "20");
  before = await count(page);
  await page.selectOption("#workload", "");
  await ran(page, before + 1);
  assert.ok(await page.isVisible("#workload-text"));
  const work = `jobs:\n${Array.from({ length: 300 }, (_, i) => `  - {name: j${i}, at: ${i}s, maps: 2, map_time: 3s, user: u${i % 3}}\n`).join("")}`;
  before = await count(page);
  await page.fill("#workload-text", work); // without a click on Run
  await ran(page, before + 1);
  const address = await page.getAttribute("#share", "href");
  assert.ok(address.length < work.length / 4, `${address.length} letters for ${work.length}`);
  const other = await open(address.slice(address.indexOf("#")));
  assert.equal(await other.page.inputValue("#workload-text"), work);
  await other.close();
  for (const hash of ["#eyJwb2xpY2llcyI6W251bGxdfQ", "#~AAAA", "#nothing"]) { // an invalid set-up is ignored
    const strange = await open(hash);
    assert.equal(await strange.page.textContent("#fault"), "", hash);
    assert.deepEqual(strange.faults, [], hash);
    await strange.close();
  }
  assert.deepEqual(faults, []);
  await close();
});

test("fields write a workload file, which runs", { skip }, async () => {
  const { page, faults, close } = await open();
  assert.equal(await page.isVisible("#made"), false);
  let n = await count(page);
  await page.selectOption("#workload", "");
  await ran(page, ++n);
  await page.fill("#made-count", "3");
  await ran(page, ++n);
  for (const [field, value, says] of [
    ["maps", "12", "maps: 12"], ["time", "2.5", "map_time: 2.5s"], ["gap", "0", "count: 3\n    maps: 12"], ["spread", "0", "spread: 0"], ["block", "32", "block: 32MiB"], ["reduces", "5", "reduces: 5"],
    ["ratio", "0.7", "shuffle_ratio: 0.7"], ["skew", "1.5", "skew: {shares: 1.5}"],
  ]) {
    await page.fill(`#made-${field}`, value);
    await page.waitForFunction((text) => document.getElementById("workload-text").value.includes(text), says);
    await ran(page, ++n);
    assert.equal(await page.textContent("#fault"), "", field);
  }
  assert.equal(await page.isDisabled("#made-replicas"), true);
  for (const [places, says] of [["shared", "file: input"], ["none", "no_location: true"], ["own", "skew"]]) {
    await page.selectOption("#made-places", places);
    assert.match(await page.inputValue("#workload-text"), new RegExp(says));
    await ran(page, ++n);
  }
  await page.click('#screens button:text-is("Jobs")');
  await page.waitForFunction(() => /3 jobs/.test(document.getElementById("screen").textContent) && document.getElementById("screen").textContent.includes("/12"));
  await page.fill("#made-maps", "0");
  await page.waitForFunction(() => /maps of each: from 1 to 100,000/.test(document.getElementById("fault").textContent));
  if (PICTURES) await page.screenshot({ path: join(PICTURES, "play-made.png") });
  assert.deepEqual(faults, []);
  await close();
});

test("what a control says is done, or said why not", { skip }, async () => {
  const { page, faults, close } = await open();
  const policy = 'fieldset[data-side="0"]', fault = (text) => page.waitForFunction((t) => document.getElementById("fault").textContent.includes(t), text, { timeout: 5000 });
  assert.equal(await page.isVisible('fieldset[data-side="1"]'), false, "there is one policy");
  await page.fill("#nodes", "");
  await fault("nodes: from 1 to 10,000");
  await page.fill("#nodes", "20");
  await page.waitForFunction(() => document.getElementById("fault").textContent === "");
  await page.fill("#jobs", ""); // this run takes a while, and its answer must not replace a later message
  await page.waitForTimeout(300);
  await page.fill(`${policy} .weights`, "user001=x");
  await fault("user001=x: want POOL=WEIGHT");
  await page.waitForTimeout(1500);
  await fault("user001=x: want POOL=WEIGHT");
  await page.fill("#jobs", "10");
  const before = await count(page);
  await page.selectOption(`${policy} .preset`, "fifo");
  await ran(page, before + 1);
  const off = (name) => page.isDisabled(`${policy} .${name}`);
  assert.deepEqual([await off("weights"), await off("preemption"), await off("rule")], [true, true, false]);
  await page.check(`${policy} .own`);
  assert.deepEqual([await off("weights"), await off("preemption"), await off("rule"), await off("reduce")], [false, true, true, true]);
  await page.uncheck(`${policy} .own`);
  const later = await count(page);
  await page.selectOption("#drive", "true");
  await ran(page, later + 1);
  assert.match(await page.evaluate(async () => document.getElementById("share").getAttribute("href")), /#/);
  assert.deepEqual(faults, []);
  await close();
});

test("a scenario is run, and a fault in it has its line", { skip }, async () => {
  const { page, faults, close } = await open();
  await page.click("#scenario summary");
  await page.click("#scenario-run");
  await page.waitForFunction(() => /All is as it says/.test(document.getElementById("scenario-said").textContent));
  assert.match(await page.textContent("#scenario-out"), /2 passed, 0 failed/);
  const text = await page.inputValue("#scenario-text");
  await page.fill("#scenario-text", text.replace("=> J1.m0", "=> J2.m0"));
  await page.click("#scenario-run");
  await page.waitForFunction(() => /does not do/.test(document.getElementById("scenario-said").textContent));
  assert.match(await page.textContent("#scenario-out"), /scenario:6: want J2\.m0, got J1\.m0/);
  await page.fill("#scenario-text", text.replace("submit J1 maps", "submit J1 mpas"));
  await page.click("#scenario-run");
  await page.waitForFunction(() => /scenario:4: /.test(document.getElementById("scenario-out").textContent));
  assert.deepEqual(faults, []);
  await close();
});

test("two at a time part, and both sides say why", { skip }, async () => {
  const { page, faults, close } = await open();
  const before = await count(page);
  await page.check("#two");
  await ran(page, before + 1);
  const text = await page.textContent("#divergence");
  assert.match(text, /Decisions? 1 (to \d+ are|is) the same|differ from the first decision/);
  assert.match(text, /mean sojourn/);
  await page.click("#diverged");
  const time = await page.textContent("#clock");
  const words = / at ([\d.]+ m?s)/.exec(text);
  assert.ok(words && time, `${words} ${time}`);
  assert.match(await summary(page), /^hfs, /);
  await page.click('#runs [data-side="1"]');
  await page.waitForFunction(() => /^fifo, /.test(document.getElementById("summary").textContent));
  await page.waitForFunction(() => /run=2/.test(location.hash));
  assert.equal(await page.textContent("#clock"), time, "at the same moment");
  await page.click('#runs [data-side="0"]');
  await page.waitForFunction(() => /^hfs, /.test(document.getElementById("summary").textContent));
  await page.click('#screens button:text-is("Compare")');
  await page.waitForSelector("#screen-compare svg");
  assert.match(await page.textContent("#screen-compare"), /fifo/);
  await page.evaluate(() => document.querySelector("#time").focus());
  if (PICTURES) await page.screenshot({ path: join(PICTURES, "two.png"), fullPage: true });
  assert.deepEqual(faults, []);
  await close();
});

test("what if a recorded run had had another policy", { skip }, async () => {
  const { page, faults, close } = await open();
  await page.selectOption('fieldset[data-side="0"] .preset', "fifo");
  await ran(page, 2);
  const before = await count(page);
  await page.setInputFiles("#recorded", join(MODULES, "recorded.jsonl"));
  await ran(page, before + 1);
  assert.match(await page.textContent("#divergence"), /simulated: mean sojourn [+-]?0\.00 %/);
  await page.click('#screens button:text-is("Compare")');
  await page.waitForSelector("#screen-compare svg");
  await page.setInputFiles("#recorded", resolve("go.mod"));
  await page.waitForFunction(() => /go.mod: line 1: not an event/.test(document.getElementById("fault").textContent));
  assert.deepEqual(faults, []);
  await close();
});

test("every lesson does what it tells the reader to do, in both languages", { skip }, async () => {
  const { page, faults, close } = await open();
  const ids = await page.$$eval("#lesson option", (list) => list.map((o) => o.value).filter(Boolean));
  assert.equal(ids.length, 13);
  for (const id of ids) {
    let before = await count(page);
    await page.selectOption("#lesson", id);
    await ran(page, before + 1);
    assert.equal(await page.textContent("#fault"), "", id);
    for (const language of ["1", "0"]) {
      await page.selectOption("#language", language);
      const text = await page.textContent("#lesson-text");
      assert.doesNotMatch(text, /[{}]|undefined|NaN/, id);
      assert.equal(/[\u4e00-\u9fff]/.test(text), language === "1", id);
    }
    before = await count(page);
    await page.click("#try");
    await ran(page, before + 1);
    assert.equal(await page.textContent("#fault"), "", id);
    await page.waitForFunction(() => /\d → \d/.test(document.getElementById("after")?.textContent)); // the figures before and after
    const verdicts = [];
    for (let i = 0; i < 3; i++) {
      await page.click(`.answer >> nth=${i}`);
      verdicts.push(/^Right/.test(await page.textContent("#verdict")));
    }
    assert.equal(verdicts.filter(Boolean).length, 1, id);
  }
  if (PICTURES) await page.screenshot({ path: join(PICTURES, "lesson.png") });
  await page.selectOption("#language", "1");
  assert.match(page.url(), /#lesson=nowait,zh\//, "the address says the language");
  await page.goBack();
  await page.waitForFunction(() => /** @type {any} */ (document.getElementById("lesson")).value === "larts");
  const runs = await count(page);
  await page.selectOption("#lesson", "");
  await ran(page, runs + 1);
  assert.ok(await page.isVisible("#setup"));
  assert.doesNotMatch(page.url(), /lesson/);
  assert.deepEqual(faults, []);
  await close();
});

test("lesson 6 draws the formula's curve with the runs on it", { skip }, async () => {
  const { page, faults, close } = await open("#lesson=long,en");
  await page.waitForSelector("#curve .run >> nth=6");
  const places = () => page.evaluate(() => {
    const line = /** @type {SVGPathElement} */ (document.querySelector("#curve .line")), length = line.getTotalLength();
    const off = (dot) => {
      const x = +dot.getAttribute("cx"), y = +dot.getAttribute("cy");
      let low = 0, high = length;
      for (let i = 0; i < 40; i++) {
        const middle = (low + high) / 2;
        if (line.getPointAtLength(middle).x < x) low = middle;
        else high = middle;
      }
      return Math.abs(line.getPointAtLength(high).y - y) / (line.getPointAtLength(0).y - line.getPointAtLength(length).y);
    };
    const of = (kind) => [...document.querySelectorAll(`#curve .${kind}`)].map((dot) => ({ off: off(dot), says: dot.textContent }));
    return { run: of("run"), shown: of("shown") };
  });
  const first = await places();
  for (const dot of [...first.run, ...first.shown]) assert.ok(dot.off < 0.08, `${dot.says} is ${dot.off} of the height off the curve`);
  assert.match(first.shown.map((d) => d.says).join(), /^D = 5: .*,D = 40: /);
  if (PICTURES) await (await page.$("#lesson-text")).screenshot({ path: join(PICTURES, "curve.png") });
  await page.click("#try");
  await page.waitForFunction(() => [...document.querySelectorAll("#curve .shown")].some((d) => /^D = 80: /.test(d.textContent)));
  await page.selectOption("#lesson", "fifo");
  await page.waitForFunction(() => !document.getElementById("curve"));
  assert.deepEqual(faults, []);
  await close();
});

test("a fault has its line and column", { skip }, async () => {
  const { page, faults, close } = await open();
  await page.selectOption("#workload", "");
  await page.fill("#workload-text", "jobs:\n  - {maps: 3, mpas: 4}\n");
  await page.click("#run");
  await page.waitForFunction(() => /workload:2:\d+/.test(document.getElementById("fault").textContent));
  assert.deepEqual(faults, []);
  await close();
});

test("no frame waits for the module", { skip: skip || (SLOW && "frames are slow") }, async () => {
  const { page, faults, close } = await open();
  const worst = await page.evaluate(() => new Promise((done) => {
    let last = performance.now(), most = 0, frames = 0, during = 0;
    const from = last, ran = document.body.dataset.ran;
    const field = /** @type {HTMLInputElement} */ (document.getElementById("jobs"));
    field.value = "1000";
    document.getElementById("setup").requestSubmit();
    const frame = (now) => {
      most = Math.max(most, now - last);
      last = now;
      frames++;
      if (document.body.dataset.ran === ran) during = frames;
      if (during < frames && now - from > 3000) done({ most, frames, during });
      else requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }));
  console.log(`${worst.during} frames while the module ran, ${worst.frames} in all, the longest took ${worst.most.toFixed(0)} ms`);
  assert.ok(worst.during > 5, "frames go on while the module runs");
  if (BOUNDS) assert.ok(worst.most < 400, `a frame took ${worst.most} ms`);
  assert.deepEqual(faults, []);
  await close();
});

test("the module simulates some hundred thousand events a second", { skip }, async () => {
  const { page, faults, close } = await open();
  const rates = await page.evaluate(async () => {
    await import(new URL("wasm_exec.js", location.href).href);
    const packed = (await fetch("tarry.wasm.gz")).body;
    const code = await new Response(packed.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
    const go = new globalThis.Go();
    go.run((await WebAssembly.instantiate(code, go.importObject)).instance);
    const list = [];
    for (let i = 0; i < 5; i++) {
      const from = performance.now();
      const a = JSON.parse(globalThis.tarry(JSON.stringify({ op: "run", setup: { workload: "facebook-mixed", nodes: 100, racks: 10, policy: "hfs" } })));
      list.push((1000 * a.stats.Events) / (performance.now() - from));
    }
    return list.sort((a, b) => a - b);
  });
  console.log(`simulated events a second, of five runs: ${rates.map((r) => Math.round(r / 1000)).join(", ")} thousand`);
  assert.ok(rates[0] > 0);
  if (BOUNDS) assert.ok(rates[2] > 300000, `${rates[2]} events a second`);
  assert.deepEqual(faults, []);
  await close();
});

/** Serves the exported site as any server would, without changes to its files. */
async function exported() {
  const types = { ".html": "text/html", ".mjs": "text/javascript", ".js": "text/javascript", ".css": "text/css" };
  const server = createServer((ask, answer) => {
    const name = ask.url === "/" ? "index.html" : ask.url.slice(1);
    asked.push(name);
    try {
      const data = readFileSync(join(EXPORTED, name));
      answer.writeHead(200, { "Content-Type": types[extname(name)] || "application/octet-stream" }).end(data);
    } catch {
      answer.writeHead(404).end();
    }
  });
  const asked = [];
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { server, asked, address: `http://127.0.0.1:${server.address().port}/` };
}

test("an exported site runs on any server, with gzip, and with brotli where the browser unpacks it", { skip }, async () => {
  const { server, asked, address } = await exported();
  try {
    for (const brotli of [false, true]) {
      const page = await browser.newPage();
      await page.addInitScript((has) => { // emulates a browser without brotli, and one with it
        const Own = globalThis.DecompressionStream;
        globalThis.DecompressionStream = function (format) {
          if (format !== "brotli") return new Own(format);
          if (!has) throw new TypeError("brotli");
          return new TransformStream();
        };
      }, brotli);
      const wasm = brotliDecompressSync(readFileSync(join(EXPORTED, "tarry.wasm.br")));
      await page.route("**/tarry.wasm.br", (route) => route.fulfill({ body: brotli ? Buffer.concat([wasm]) : "" }));
      asked.length = 0;
      await page.goto(address);
      await ran(page, 1);
      assert.equal(asked.includes("tarry.wasm.gz"), !brotli);
      await page.close();
    }
  } finally {
    server.close();
  }
});

test("anybody can use it", { skip }, async () => {
  for (const lesson of ["", "#lesson=fair,en", "#lesson=larts,en"]) {
    const { page, close } = await open(lesson, { bypassCSP: true });
    for (const screen of lesson ? ["compare", "shuffle", "overview"] : ["overview"]) {
      await page.click(`#screens [data-screen="${screen}"]`);
      await page.waitForSelector(`#screen-${screen} > *`, { state: "attached" });
      assert.deepEqual(await violations(page), [], `${lesson} ${screen}`);
    }
    await close();
  }
});

test("a lesson opens at the moment its text speaks of, with both policies", { skip }, async () => {
  for (const [id, screen, clock] of [["sticky", "compare", "1 min 10 s"], ["fifo", "jobs", "40.0 s"], ["queues", "queues", "28.0 s"], ["hfsp", "hfsp", "1 min 0 s"], ["distance", "shuffle", "1 min 0 s"], ["larts", "shuffle", "1 min 40 s"]]) {
    const { page, faults, close } = await open(`#lesson=${id},en`);
    await page.waitForSelector(`#screen-${screen} > *`, { state: "attached" });
    await page.waitForFunction((text) => document.getElementById("clock").textContent.startsWith(text), `${clock} of`);
    assert.equal(await page.locator("#runs button").count(), 2, id);
    assert.equal(await page.getAttribute(`#runs [data-side="${id === "distance" ? 1 : 0}"]`, "aria-pressed"), "true", id);
    if (id === "sticky") {
      await page.waitForSelector(".twin section:last-child .gains");
      const local = await page.$$eval(".twin dl div:nth-child(2) dd", (list) => list.map((d) => parseFloat(d.textContent)));
      assert.ok(local[0] < local[1] / 2, `${local}`);
    }
    if (screen === "shuffle") {
      await page.waitForSelector(".heatmap .center");
      const cut = await page.$eval(".heatmap", (svg) => [...svg.querySelectorAll("text")].filter((t) => t.getBBox().x + t.getBBox().width > svg.viewBox.baseVal.width).map((t) => t.textContent));
      assert.deepEqual(cut, [], `${id}: a text that the picture cuts off`);
    }
    await page.click(`#runs [data-side="${id === "distance" ? 0 : 1}"]`);
    await page.waitForFunction((text) => document.getElementById("clock").textContent.startsWith(text), `${clock} of`);
    await page.waitForSelector(`#screen-${screen} > *`, { state: "attached" }); // also for the other policy
    if (PICTURES) await page.screenshot({ path: join(PICTURES, `lesson-${id}.png`) });
    assert.deepEqual(faults, [], id);
    await close();
  }
});

test("what a lesson says is called on the page as in its text, and nothing needs another page", { skip }, async () => {
  const { page, faults, close } = await open("#lesson=wait,en", { viewport: { width: 1280, height: 800 } });
  await page.waitForSelector("#screen-compare .twin .gains");
  assert.deepEqual(await page.$$eval("#runs button", (list) => list.map((b) => b.textContent)), ["delay D=1", "delay D=20"]);
  assert.match(await page.textContent("#screen-compare .legend"), /map slot.*reduce slot.*N map on a node with its data.*gains: /s);
  assert.doesNotMatch(await page.textContent("#screen-compare"), /reduce at its center|Fairness among users/, "the run has no reduces, and one user");
  const divergence = await page.textContent("#divergence");
  assert.match(divergence, /delay D=1 launches map \d+ of job \d+ on n\d+ at [\d.]+ m?s, .*; delay D=20 /);
  assert.doesNotMatch(divergence, /job_|\(first\)| GB/);
  const gains = await page.$$eval(".twin section", (list) => list.map((x) => x.querySelectorAll(".gains").length));
  assert.ok(gains[1] > 4 * gains[0], `slots by which each side gains: ${gains}`);
  await page.click('#screens button:text-is("Overview")');
  await page.click("#screen .node .name >> nth=0"); // with an explanation open, all racks are visible
  await page.waitForSelector("#side:not([hidden])");
  assert.equal(await page.$eval(".racks", (r) => r.scrollHeight - r.clientHeight), 0);
  assert.deepEqual(faults, []);
  await close();
});

test("the lesson on the center of gravity and its screen have one unit, and the numbers agree", { skip }, async () => {
  const { page, faults, close } = await open("#lesson=distance,en");
  await page.waitForSelector("#screen-shuffle .heatmap");
  const text = await page.textContent("#lesson-text"), total = +/([\d.]+) GiB × links when reduces go anywhere, ([\d.]+) with CoGRS/.exec(text)[2];
  let sum = 0;
  for (const job of await page.$$eval("#shuffle-job option", (list) => list.map((o) => o.getAttribute("value")))) {
    await page.selectOption("#shuffle-job", job);
    await page.waitForFunction((id) => new RegExp(` of job ${id};`).test(document.querySelector(".heatmap").getAttribute("aria-label")), job);
    sum += +/chosen ([\d.]+) GiB × links/.exec(await page.textContent("#screen-shuffle"))[1];
  }
  assert.ok(Math.abs(sum - total) < 0.02 * total, `${sum} on the screen, ${total} in the text`);
  assert.deepEqual(await page.$$eval(".heatmap text", (list) => list.slice(-4).map((t) => t.textContent)), ["0", "1", "2", "3"], "each reduce has its number");
  assert.deepEqual(faults, []);
  await close();
});

test("on a phone the playground is no wider than the screen", { skip }, async () => {
  const { page, faults, close } = await open("#lesson=sticky,en", { viewport: { width: 390, height: 844 } });
  await page.waitForSelector("#screen-compare .twin");
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  await page.click("#sight");
  await page.waitForFunction(() => document.getElementById("controls").getBoundingClientRect().top < 10, null, { timeout: 5000 });
  await page.selectOption("#lesson", "");
  await page.waitForSelector("#setup", { state: "visible" });
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  assert.deepEqual(faults, []);
  await close();
});
