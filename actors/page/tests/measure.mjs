// Measures the page of a busy server: how soon it shows a change, its memory, and the time per frame.
// LIVE is the server's address, TASKS the number of tasks that should run.

import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const { MODULES, LIVE, TASKS = "10000", CHROMIUM = "/usr/bin/chromium", SECONDS = "60" } = process.env;
const { chromium } = createRequire(join(resolve(MODULES), "node_modules", "x.js"))("playwright-core");
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--enable-precise-memory-info"] });
const page = await browser.newPage({ viewport: { width: 1300, height: 900 } });
const faults = [];
page.on("pageerror", (e) => faults.push(e.message));
const began = Date.now();
await page.goto(`${LIVE}/watch/`);
await page.waitForSelector("#screen-cluster .slot", { timeout: 60000 });
console.log(`first slots shown after ${Date.now() - began} ms`);
const running = () => page.evaluate(() => document.querySelectorAll("#screen .slot:not(.free):not(.waits)").length);
for (let i = 0; i < 120 && (await running()) < +TASKS; i++) await page.waitForTimeout(1000);
console.log(`${await running()} running tasks shown`);
const cdp = await page.context().newCDPSession(page);
await cdp.send("Performance.enable");
const metric = async (name) => (await cdp.send("Performance.getMetrics")).metrics.find((m) => m.name === name).value;
const collected = async () => {
  await cdp.send("HeapProfiler.collectGarbage");
  return (await metric("JSHeapUsedSize")) / 2 ** 20;
};
const latencies = [], until = Date.now() + 1000 * +SECONDS;
let most = 0;
await page.evaluate(() => {
  window.gaps = [];
  let last = performance.now();
  const tick = (now) => { window.gaps.push(now - last); last = now; requestAnimationFrame(tick); };
  requestAnimationFrame(tick);
});
const busy = await metric("TaskDuration");
for (let n = 0; Date.now() < until; n++) {
  const what = n % 2 ? "uncordon" : "cordon", from = Date.now();
  const shown = page.waitForFunction((on) => !!document.querySelector("#node-0 em") === on, n % 2 === 0, { polling: 50 });
  await fetch(`${LIVE}/api/v1/nodes/node-00/${what}`, { method: "POST" }).then(async (r) => { if (!r.ok) throw new Error(await r.text()); });
  await shown;
  latencies.push(Date.now() - from);
  most = Math.max(most, (await metric("JSHeapUsedSize")) / 2 ** 20);
  await page.waitForTimeout(1000);
}
const gaps = await page.evaluate(() => window.gaps.slice(1).sort((a, b) => a - b));
latencies.sort((a, b) => a - b);
console.log(`a change shown after ${latencies[latencies.length >> 1]} ms in the median, ${latencies[latencies.length - 1]} ms at most, of ${latencies.length}`);
console.log(`frames: median ${gaps[gaps.length >> 1].toFixed(0)} ms, 99 of 100 within ${gaps[Math.floor(gaps.length * 0.99)].toFixed(0)} ms; the page's thread was busy ${(100 * ((await metric("TaskDuration")) - busy) / +SECONDS).toFixed(0)} % of the time`);
console.log(`memory of scripts: ${(await collected()).toFixed(0)} MB, ${most.toFixed(0)} MB at most before it was collected`);
console.log(`errors: ${faults.length} ${faults.slice(0, 3)}`);
await browser.close();
