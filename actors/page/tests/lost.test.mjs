// Stops and restarts a server: its page reports the lost connection, and continues. A recording of the
// server is simulated again without one wait. TARRY is the program, BOOK a text.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import test, { after } from "node:test";

import { browser, chromium } from "./chromium.mjs";

const { TARRY, BOOK, PICTURES } = process.env;
const skip = !TARRY && "no program asked for";
const children = [];

chromium(skip);
after(() => { for (const child of children) child.kill("SIGKILL"); }); // after a failed test Node would wait for them

/** Starts a server and returns its address and a function that stops it. */
async function serve(listen) {
  const args = ["--racks", "4", "--nodes", "8", "--map-slots", "2", "--block-size", "64KiB", "--set", "locality.rule=skips", "--set", "locality.skips=2"];
  const child = spawn(TARRY, ["serve", "--listen", listen, ...args], { stdio: ["ignore", "pipe", "ignore"] });
  children.push(child);
  const gone = new Promise((done) => { child.on("exit", done); });
  const url = await new Promise((done) => { child.stdout.once("data", (d) => done(String(d).trim())); });
  return { url, stop: () => { child.kill("SIGKILL"); return gone; } };
}

/** Runs a job to its end. */
function submit(url, output) {
  const child = spawn(TARRY, ["submit", "--server", url, "--wait", "-q", "wordcount", BOOK, "--reduces", "3", "--output", output], { stdio: "ignore" });
  return new Promise((done) => { child.on("exit", done); });
}

test("a server that stops and comes back", { skip }, async () => {
  let server = await serve("127.0.0.1:0");
  assert.equal(await submit(server.url, "dfs:first"), 0);
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage(), faults = [];
  page.on("pageerror", (e) => faults.push(e.message));
  await page.goto(`${server.url}/watch/`);
  const says = (words) => page.waitForFunction((w) => new RegExp(w).test(document.getElementById("connection").textContent), words, { timeout: 30000 });
  await page.waitForFunction(() => document.body.dataset.connected === "true" && /all jobs are done/.test(document.getElementById("summary").textContent));
  assert.equal(await page.textContent("#connection"), "");

  const waits = page.locator('#why .decisions button:has-text("waiting for")'), fork = page.locator("#why [data-fork]:visible").first();
  for (let i = 0, n = 1; i < n && !await fork.isVisible(); i++) { // a click may replace the list
    await page.click(".matter [data-all]");
    await page.waitForSelector("#why .decisions");
    n = await waits.count();
    if (i < n) await waits.nth(i).click();
  }
  if (await fork.isVisible()) { // a small run may have no wait of a map
    await fork.click();
    await page.waitForFunction(() => /Both are simulations of this run|cannot be said: in the simulation of this run, the job lets no slot/.test(document.getElementById("fork").textContent), null, { timeout: 30000 });
  }

  await server.stop();
  await says("^The connection is lost: .*What you see is as of .*Trying again");
  assert.equal(await page.evaluate(() => document.body.dataset.connected), "false");
  await page.waitForFunction(() => document.getElementById("mode").textContent === "", null, { timeout: 5000 }); // the page does not claim to be live
  assert.match(await page.textContent("#summary"), /8 nodes/, "what was there stays");
  if (PICTURES) await page.screenshot({ path: join(PICTURES, "lost.png") });
  server = await serve(new URL(server.url).host);
  await page.waitForFunction(() => document.body.dataset.connected === "true", null, { timeout: 30000 });
  await says("^$");
  for (const name of ["dfs:a", "dfs:b"]) assert.equal(await submit(server.url, name), 0);
  await page.click('#screens button:text-is("Jobs")');
  await page.waitForSelector('#screen-jobs [data-job="2"]'); // only the new server has it
  assert.deepEqual(faults, []);
  await server.stop();
});
