// node page.mjs REPORT.html REPORT.json [PICTURES]: opens a report, goes through every view as a
// person would, and holds what it shows against the JSON report. Pictures of every view, light and
// dark, go into a folder. Ends like any node:test run.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { browser, count, fits, hasNoBarrier, isReachedByTab, obeysArrowKeys, press, ready, tabs } from './browser.mjs';

const [, , html, jsonPath, pictures] = process.argv;
const report = JSON.parse(readFileSync(jsonPath, 'utf8'));
const sum = (rows, of) => rows.reduce((total, row) => total + of(row), 0);

let context, page, complaints;
before(async () => {
  context = await browser();
  ({ page, complaints } = await ready(context, html));
});
after(() => context.close());

const tab = (id) => press(page, id);
const hasTab = async (id) => (await page.locator(`#tab-${id}`).count()) > 0;
const text = (selector) => page.locator(selector).first().innerText();
const number = (words) => Number(words.replace(/[^\d.-]/g, ''));

test('opens without an error, a warning or a request', async () => {
  assert.match(await page.title(), /^ftprof: /);
  assert.equal(await page.locator('[role=alert]').count(), 0);
  assert.deepEqual(complaints, []);
});

test('the bill is the report’s', async () => {
  const { ledger, pool } = report;
  assert.equal(await text('.figure .value'), count(ledger.minor_faults + ledger.major_faults));
  const rows = await page.locator('.ledger tbody tr').evaluateAll((all) => all.map((row) => row.cells[1].innerText));
  assert.deepEqual(rows, ledger.rows.map((row) => count(row.faults) + (row.error === null ? '' : ` ±${count(row.error)}`)));
  if (pool.handouts) assert.ok((await text('.figures')).includes(count(pool.warm)));
});

// Only `ftprof run` counts it, and a hundredth of the run is not worth a line.
test('what left no trace is beside the bill, and adds up to the whole run', async () => {
  const { minor_faults, major_faults, untraced_faults, run_faults } = report.ledger;
  const shown = await page.locator('.ledger tfoot tr').evaluateAll((all) => all.map((row) => row.cells[1].innerText));
  const worth = untraced_faults > run_faults / 100;
  assert.deepEqual(shown, [minor_faults + major_faults, ...(worth ? [untraced_faults, run_faults] : [])].map(count));
  if (!worth || !(await hasTab('processes'))) return;
  await tab('processes');
  assert.ok((await text('#view-processes .untraced')).includes(count(untraced_faults)));
  await tab('sites');
});

test('how faults were recorded is told as the share that was', async () => {
  const { ledger, run } = report;
  const own = ledger.rows.find((row) => row.owner === 'profiler')?.faults ?? 0;
  const part = run.recorded_faults / (ledger.minor_faults + ledger.major_faults - own);
  if (run.fault_source !== 'perf' || !run.recorded_faults) return;
  assert.match(await text('.sources'), part >= 0.98 ? /Every fault was recorded/ : part >= 0.5 ? /of the faults were/ : /One fault in/);
});

test('the dearest site is named first, with what it paid', async () => {
  if (!report.sites.length) return;
  const site = report.sites[0];
  const shown = await text('.dearest');
  assert.ok(shown.includes(count(site.faults.count)), shown);
  const rows = page.locator('table.sites > tbody > tr[data-site]');
  assert.equal(await rows.count(), Math.min(100, report.sites.length));
  assert.ok((await rows.first().innerText()).includes(count(site.faults.count)));
});

test('sites can be sorted, filtered and opened', async () => {
  if (!report.sites.length) return;
  await page.getByRole('button', { name: 'Faults', exact: true }).last().click();
  const column = await page.locator('table.sites > tbody > tr[data-site]').evaluateAll((rows) =>
    rows.map((row) => Number(row.cells[row.cells.length - 4].innerText.replaceAll(',', ''))));
  assert.deepEqual(column, [...column].sort((a, b) => b - a));
  assert.equal(column[0], Math.max(...report.sites.map((site) => site.faults.count)));
  await page.getByLabel('Filter sites').fill('no such function anywhere');
  assert.equal(await page.locator('table.sites > tbody > tr').count(), 0);
  await page.getByLabel('Filter sites').fill('');
  await page.locator('.opener').first().click();
  const details = await text('.site-details');
  for (const part of ['The stack that asked', 'Who touched it first', 'Kinds of fault', 'Price'])
    assert.ok(details.includes(part), part);
});

test('an advice’s command can be copied', async () => {
  const copy = page.locator('.site-details .command button');
  if (!(await copy.count())) return;
  await copy.first().click();
  await page.waitForFunction(() => /Copied|Selected/.test(document.querySelector('.site-details .said').innerText));
});

test('the flame graph shows each measure along each stack', async () => {
  await tab('flame');
  const total = async () => (await page.locator('.frame.all').getAttribute('aria-label'));
  for (const [measure, expected] of [['faults', sum(report.sites, (s) => s.faults.count)], ['warm', sum(report.sites, (s) => s.reuse.warm)]]) {
    await page.locator(`#view-flame [data-value=${measure}]`).click();
    if (expected) assert.equal(number((await total()).split('(')[0]), expected);
  }
  for (const measure of ['untouched', 'cost']) await page.locator(`#view-flame [data-value=${measure}]`).click();
  await page.locator('#view-flame [data-value=touch]').click();
  await page.locator('#view-flame [data-value=faults]').click();
  const touches = sum(report.sites, (s) => sum(s.touch_sites, (t) => t.faults));
  if (touches) assert.equal(number((await total()).split('(')[0]), touches);
  await page.locator('#view-flame [data-value=allocation]').click();
  await page.locator('#view-flame [data-value=cost]').click();
});

test('the flame graph zooms, searches, tells and obeys the keyboard', async () => {
  const frames = page.locator('.flame .frame:not(.all)');
  if (!(await frames.count())) return;
  await frames.first().hover();
  assert.match(await text('.tip'), /fault time/);
  const name = (await frames.first().getAttribute('aria-label')).split(',')[0];
  await page.getByLabel('Search functions').fill(name.slice(0, 12));
  assert.ok((await page.locator('.frame.hit').count()) > 0);
  assert.match(await text('#view-flame .found'), /%/);
  await page.getByLabel('Search functions').fill('');
  await frames.first().click();
  assert.ok((await page.locator('.frame.outside').count()) > 0);
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('.frame.outside').count(), 0);
  await page.locator('.frame.all').focus();
  await page.keyboard.press('ArrowDown');
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-level')), '2');
});

test('a brush restricts the rest to its span', async () => {
  if (!report.phases.length || !(await page.locator('.span input').count())) return;
  await tab('sites');
  for (const which of ['cost', 'resident', 'handouts', 'all', 'faults'])
    await page.locator(`.timeline [data-value=${which}]`).click();
  const box = await page.locator('.chart .u-over').first().boundingBox();
  await page.mouse.move(box.x + box.width * 0.25, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.5, box.y + 30, { steps: 5 });
  await page.mouse.up();
  await page.locator('.span.restricted').waitFor();
  const whole = sum(report.sites, (s) => s.faults.count);
  const part = number(/([\d,]+) faults?,/.exec(await text('.span'))[1]);
  assert.ok(part > 0 && part < whole, `${part} of ${whole}`);
  for (const id of ['flame', 'blocks', 'threads', 'sites']) await tab(id);
  await page.getByRole('button', { name: 'Whole run' }).click();
  assert.equal(await page.locator('.span.restricted').count(), 0);
});

// A phase's faults in the JSON report are those of every owner; the page restricts the blocks'.
test('the phases’ buttons restrict to their faults, and together they have all', async () => {
  const buttons = page.locator('.phases button');
  if (!report.phases.length || !(await page.locator('.span input').count())) return;
  let all = 0;
  for (const [i, phase] of report.phases.entries()) {
    await buttons.nth(i).click();
    const shown = number(/([\d,]+) faults?,/.exec(await text('.span'))[1]);
    await page.getByRole('button', { name: 'Whole run' }).click();
    assert.ok(shown <= phase.faults * 1.005 + 1, `${shown} of ${phase.faults} in ${phase.name}`);
    all += shown;
  }
  const whole = sum(report.sites, (s) => s.faults.count);
  assert.ok(Math.abs(all - whole) <= report.phases.length + whole / 100, `${all} of ${whole}`);
});

test('the block map paints what was touched, in three ways', async () => {
  await tab('blocks');
  if (!(await page.locator('.block-map canvas').count())) return;
  for (const mode of ['when', 'who', 'price']) {
    await page.locator(`#view-blocks [data-value=${mode}]`).click();
    await page.waitForFunction(() => {
      const painted = (canvas) => canvas.getContext('2d', { willReadFrequently: true }).getImageData(0, 0, canvas.width, 1).data.some((v) => v > 0);
      return [...document.querySelectorAll('.block-map canvas')].some((canvas) => canvas.width > 100 && painted(canvas));
    });
  }
  await page.locator('.block-map canvas').first().hover({ position: { x: 2, y: 8 } });
  assert.match(await text('.tip'), /page/);
});

test('the pool, the threads, the processes and the rest are there', async () => {
  await tab('pool');
  if (report.pool.handouts) assert.ok((await text('#view-pool')).includes(count(report.pool.warm)));
  await tab('threads');
  const dearest = report.sites[0]?.touch_threads?.[0];
  if (dearest) {
    await page.locator('#view-threads [data-value=faults]').click();
    assert.ok((await text('#view-threads')).includes(count(dearest.faults)));
  }
  if (await hasTab('processes')) {
    await tab('processes');
    assert.equal(await page.locator('#view-processes tbody tr').count(), report.run.processes);
  }
  await tab('about');
  assert.ok((await text('#view-about')).includes('Huge pages'));
});

test('every control is reached by Tab', async () => {
  await press(page, 'about');
  await isReachedByTab(page);
});
test('the tabs obey the arrow keys', () => obeysArrowKeys(page));
test('nothing that assistive technology needs is missing', () => hasNoBarrier(page));
test('it fits 100 columns and a wide screen', () => fits(page));

test('it prints with every view', async () => {
  const pdf = await page.pdf({ format: 'A4' });
  assert.ok(pdf.length > 20000);
  await page.emulateMedia({ media: 'print' });
  for (const panel of await page.locator('[role=tabpanel]').all()) assert.ok(await panel.isVisible());
  await page.emulateMedia({ media: 'screen' });
});

test('no text of the program became markup, and no script of its would run', async () => {
  const found = await page.evaluate(() => ({
    pwned: 'pwned' in window, scripts: document.scripts.length,
    images: document.images.length, bold: document.querySelectorAll('code b, code img, code script').length }));
  assert.deepEqual(found, { pwned: false, scripts: 2, images: 0, bold: 0 });
  const ran = await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'window.smuggled = 1';
    document.body.append(script);
    script.remove();
    return 'smuggled' in window;
  });
  assert.equal(ran, false);
  const unsafe = await page.evaluate(() =>
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/.exec(document.body.textContent)?.[0]?.charCodeAt(0));
  assert.equal(unsafe, undefined);
  complaints.splice(0, complaints.length, ...complaints.filter((c) => !c.includes('Content Security Policy')));
});

test('nothing complained on the way', () => assert.deepEqual(complaints, []));

test('pictures of every view', { skip: !pictures && 'no folder for them' }, async () => {
  for (const theme of ['light', 'dark']) {
    await page.locator(`.theme [data-value=${theme}]`).click();
    for (const id of await tabs(page)) {
      await tab(id);
      await page.mouse.move(0, 0);
      await page.screenshot({ path: join(pictures, `${id}-${theme}.png`), fullPage: true });
    }
  }
});
