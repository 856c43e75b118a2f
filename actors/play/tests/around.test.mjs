// Tests two parts of the playground around a run: the fork of a decision, and the page in Chinese.

import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";

import { count, open, ran, skip, summary, violations } from "./open.mjs";

const { PICTURES } = process.env;

test("beside a why: what if it had not waited, its price, its branch and its link", { skip }, async () => {
  const { page, faults, close } = await open();
  await page.click(".matter [data-all]");
  await page.click('#why .decisions button:has-text("pass: waiting for locality")');
  await page.click("#why [data-fork]");
  await page.waitForSelector("#fork b");
  const price = /At .* job (\d+) let a map slot on n\d+ pass\. This wait of .* s (saved|cost|made no difference to) job \1/;
  assert.match(await page.textContent("#fork"), price);
  const said = await page.textContent("#fork b");
  await page.click("#fork [data-screen]");
  await page.waitForSelector("#screen-timeline canvas");
  if (PICTURES) await page.screenshot({ path: join(PICTURES, "fork.png") });
  assert.deepEqual(await violations(page), []);
  assert.match(page.url(), /fork=\d+\.0\.\d+\.\d+/);
  const other = await open(page.url().slice(page.url().indexOf("#")));
  await other.page.waitForSelector("#fork b");
  assert.equal(await other.page.textContent("#fork b"), said);
  await page.click('#fork [data-fork=""]');
  await page.waitForFunction(() => !document.getElementById("fork").textContent && !location.hash.includes("fork"));
  assert.deepEqual([...faults, ...other.faults], []);
  await other.close();
  await close();
});

test("with Chinese chosen the page around a lesson is Chinese, and English again", { skip }, async () => {
  const { page, faults, close } = await open("#lesson=wait,zh");
  await page.waitForSelector('#screens button:text-is("对比")');
  const english = () => page.evaluate(() => document.body.innerText.split("\n").filter((line) => /[a-z]{3,} [a-z]{3,}/.test(line.replace(/\b(delay D|hfs reduces)=/g, ""))));
  await page.waitForFunction(() => document.querySelectorAll("#screen-compare svg").length > 1);
  assert.deepEqual(await english(), [], "a sentence in English on Compare");
  await page.click("#screens button >> nth=0");
  await page.waitForSelector('.matter h2:has-text("重要的决定")');
  assert.deepEqual(await english(), [], "a sentence in English");
  for (const [lesson, stage, caption] of [["wait", "", /作业 \d+/], ["distance", "gravity", /重心/]]) {
    const before = await count(page);
    await page.selectOption("#lesson", lesson);
    await ran(page, before + 1);
    if (stage) {
      await page.waitForSelector("#screen-shuffle table");
      assert.deepEqual(await english(), [], "a sentence in English on Shuffle");
    }
    await page.click("#screens button >> nth=0");
    await page.click(`.matter [data-stage="${stage}"]`);
    await page.waitForFunction((text) => new RegExp(text).test(document.querySelector(".caption").textContent), caption.source);
    assert.deepEqual(await english(), [], `a sentence in English beside ${stage || "a wait"}`);
  }
  assert.match(await summary(page), /^hfs，16 个节点，/);
  assert.equal(await page.evaluate(() => document.documentElement.lang), "zh");
  await page.selectOption("#language", "0");
  await page.waitForSelector('#screens button:text-is("Compare")');
  assert.doesNotMatch(await page.evaluate(() => document.body.innerText.replace("中文", "")), /[\u4e00-\u9fff]/);
  assert.deepEqual(faults, []);
  await close();
});
