// node compare.mjs COMPARE.html COMPARE.json: opens a comparison and holds it against its JSON.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { browser, count, fits, hasNoBarrier, isReachedByTab, obeysArrowKeys, ready } from './browser.mjs';

const [, , html, jsonPath] = process.argv;
const report = JSON.parse(readFileSync(jsonPath, 'utf8'));

let context, page, complaints;
before(async () => {
  context = await browser();
  ({ page, complaints } = await ready(context, html));
});
after(() => context.close());

test('the variants stand side by side', async () => {
  const cells = await page.locator('.variants tbody tr').first().locator('td').allInnerTexts();
  assert.equal(cells.length, report.variants.length);
  const faults = report.variants.map((v) => v.faults?.median ?? v.quantities?.faults?.median);
  if (faults.every((f) => typeof f === 'number'))
    faults.forEach((f, i) => assert.ok(cells[i].includes(count(f)), `${cells[i]} is not ${f}`));
  assert.ok((await page.locator('.failure').count()) > 0);
});

test('the sites that differ most come first', async () => {
  const first = await page.locator('#view-sites tbody tr').first().innerText();
  assert.match(first, /FrameBuffer/);
});

test('the flame graph is blue where a variant paid less', async () => {
  await page.locator('#tab-flame').click();
  assert.ok((await page.locator('.frame.less-3').count()) > 0);
  assert.equal(await page.locator('.frame.more-3').count(), 0);
  await page.locator('#view-flame select').nth(0).selectOption({ index: 1 });
  await page.locator('#view-flame select').nth(1).selectOption({ index: 0 });
  assert.ok((await page.locator('.frame.more-3').count()) > 0);
  await page.locator('.frame.more-3').first().hover();
  assert.match(await page.locator('.tip').innerText(), /difference/);
});

test('every control is reached by Tab', () => isReachedByTab(page));
test('the tabs obey the arrow keys', () => obeysArrowKeys(page));
test('nothing that assistive technology needs is missing', () => hasNoBarrier(page));
test('it fits 100 columns and a wide screen', () => fits(page));

test('nothing ran and nothing complained', async () => {
  assert.equal(await page.evaluate(() => document.querySelectorAll('script').length), 2);
  assert.ok(!(await page.content()).includes('\u202e'));
  assert.deepEqual(complaints, []);
});
