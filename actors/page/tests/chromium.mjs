// Common parts of tests in a browser: one Chromium per file, windows with separate storage, and their
// errors. MODULES is a directory with playwright-core and axe-core. SLOW delays each frame by N milliseconds,
// and each step of a test by two thirds of that.

import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, before } from "node:test";

const { MODULES, PICTURES, SLOW, CHROMIUM = "/usr/bin/chromium" } = process.env;
export const screens = ["Overview", "Jobs", "Timeline", "Shuffle", "Findings", "Compare", "Settings"];
export let browser;
let axe;

/** Starts Chromium and loads the text of axe, unless the tests of a file are skipped. */
export function chromium(skip) {
  before(async () => {
    if (skip) return;
    const require = createRequire(join(resolve(MODULES), "node_modules", "x.js"));
    browser = await require("playwright-core").chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"], slowMo: +(SLOW || 0) * 2 / 3 });
    axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
  });
  after(() => browser && browser.close());
}

/** Opens a window with its own storage. */
export async function newContext(options = {}) {
  const context = await browser.newContext({ viewport: { width: 1300, height: 900 }, ...options });
  if (SLOW) {
    await context.addInitScript((ms) => {
      const next = globalThis.requestAnimationFrame;
      globalThis.requestAnimationFrame = (draw) => +setTimeout(() => next(draw), ms);
    }, +SLOW);
  }
  return context;
}

/** Opens a page in its own window and collects its errors. */
export async function newPage(options) {
  const context = await newContext(options), page = await context.newPage(), faults = [];
  page.on("pageerror", (e) => faults.push(e.message));
  page.on("console", (m) => m.type() === "error" && faults.push(m.text()));
  return { page, faults, close: () => context.close() };
}

/** Keeps what a page looks like, if PICTURES is set. */
export const picture = (page, name) => PICTURES && page.screenshot({ path: join(PICTURES, `${name}.png`) });

/** Waits two frames, after which pending draws are done. */
export const drawn = (page) => page.evaluate(() => new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(done)); }));

/**
 * Returns what axe finds on a page, by all its rules in light colors and by that of contrast in dark ones.
 * look is called in both.
 */
export async function violations(page, look = async (_colorScheme) => {}) {
  if (!await page.evaluate(() => "axe" in globalThis)) await page.evaluate(axe);
  const found = [];
  for (const [colorScheme, rules] of [["dark", { runOnly: ["color-contrast"] }], ["light", {}]]) {
    await page.emulateMedia({ colorScheme });
    await look(colorScheme);
    const list = (await page.evaluate((options) => globalThis["axe"].run(options), rules)).violations;
    found.push(...list.map((v) => `${colorScheme}: ${v.id}: ${v.nodes.length}: ${v.nodes[0].html.slice(0, 200)}`));
  }
  return found;
}
