// What the tests of the playground in a browser have in common: one browser, and the site opened in it. SITE
// is the address of tarry play, MODULES a directory with playwright-core and axe-core; SLOW is that of the
// page's test.

import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, before } from "node:test";

const { MODULES, SITE, SLOW, CHROMIUM = "/usr/bin/chromium" } = process.env;
export const skip = !SITE && "no site asked for";
export let browser, axe;

before(async () => {
  if (skip) return;
  const require = createRequire(join(resolve(MODULES), "node_modules", "x.js"));
  browser = await require("playwright-core").chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"], slowMo: +(SLOW || 0) * 2 / 3 });
  axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
});
after(() => browser && browser.close());

/** Opens the site, gathers what goes wrong, and waits until the first run is shown. */
export async function open(fragment = "", options = {}) {
  const context = await browser.newContext({ viewport: { width: 1300, height: 1000 }, ...options });
  if (SLOW) {
    await context.addInitScript((ms) => {
      const next = globalThis.requestAnimationFrame;
      globalThis.requestAnimationFrame = (draw) => +setTimeout(() => next(draw), ms);
    }, +SLOW);
  }
  const page = await context.newPage();
  const faults = [];
  page.on("pageerror", (e) => faults.push(e.message));
  page.on("console", (m) => m.type() === "error" && faults.push(m.text()));
  await page.goto(SITE + fragment);
  await ran(page, 1);
  return { page, faults, close: () => context.close() };
}

export const ran = (page, n) => page.waitForFunction((least) => +(document.body.dataset.ran || 0) >= least, n, { timeout: 60000 });
export const count = (page) => page.evaluate(() => +document.body.dataset.ran);
export const drawn = (page) => page.evaluate(() => new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(done)); })); // what has been asked for
export const summary = (page) => page.textContent("#summary");
