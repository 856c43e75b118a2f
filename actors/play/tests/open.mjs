// Common parts of the playground's tests in a browser: they open the site. SITE is the address of
// tarry play; MODULES and SLOW are those of the page's tests.

import { browser, chromium, drawn, newPage, violations } from "../../page/tests/chromium.mjs";

export { browser, drawn, violations };
const { SITE } = process.env;
export const skip = !SITE && "no site asked for";
chromium(skip);

/** Opens the site, collects its errors, and waits until the first run is shown. */
export async function open(fragment = "", options = {}) {
  const opened = await newPage({ viewport: { width: 1300, height: 1000 }, ...options });
  await opened.page.goto(SITE + fragment);
  await ran(opened.page, 1);
  return opened;
}

export const ran = (page, n) => page.waitForFunction((least) => +(document.body.dataset.ran || 0) >= least, n, { timeout: 60000 });
export const count = (page) => page.evaluate(() => +document.body.dataset.ran);
export const summary = (page) => page.textContent("#summary");
