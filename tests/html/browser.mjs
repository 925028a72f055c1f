// The browser of the tests: Debian's Chromium with nothing of its own on the network, and a page
// that fails the test on a console error or on any request but for the file itself. And what every
// page of ours has to pass.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const packages = createRequire(join(process.env.FTPROF_NPM, 'index.js'));
const { chromium } = packages('playwright-core');
const axe = readFileSync(packages.resolve('axe-core'), 'utf8');

const kArguments = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync'];

export async function browser() {
  const profile = mkdtempSync(join(tmpdir(), 'ftprof-chromium-'));
  return chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: kArguments,
    viewport: { width: 1360, height: 900 } });
}

// `complaints` gathers what a good page never does.
export async function open(context, path, { theme = 'light', width = 1360 } = {}) {
  const page = await context.newPage();
  const complaints = [];
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia({ colorScheme: theme });
  page.on('console', (message) => {
    // That warning is of the tests' own look at what was painted.
    if (['error', 'warning'].includes(message.type()) && !message.text().startsWith('Canvas2D'))
      complaints.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(`script: ${error.message}`));
  page.on('dialog', (dialog) => { complaints.push(`dialog: ${dialog.message()}`); void dialog.dismiss(); });
  page.on('request', (request) => {
    const url = request.url();
    if (url !== `file://${path}` && !url.startsWith('data:')) complaints.push(`request: ${url}`);
  });
  await page.goto(`file://${path}`);
  return { page, complaints };
}

// A page of ours once it has drawn itself.
export async function ready(context, html) {
  const opened = await open(context, html);
  opened.page.setDefaultTimeout(60000);
  await opened.page.waitForSelector('#page:not([aria-busy])');
  return opened;
}

export const count = (n) => Math.round(n).toLocaleString('en-US');
export const tabs = (page) => page.locator('[role=tab]').evaluateAll((all) => all.map((t) => t.id.slice(4)));
// Without the pointer, which waits for a page that a loaded machine may draw seconds later.
export const press = (page, id) => page.locator(`#tab-${id}`).evaluate((button) => button.click());

// Nothing that assistive technology needs is missing, in any view, light or dark.
export async function hasNoBarrier(page) {
  for (const theme of ['light', 'dark']) {
    await page.locator(`.theme [data-value=${theme}]`).click();
    for (const id of await tabs(page)) {
      await press(page, id);
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => axe.run(document, { resultTypes: ['violations'], runOnly: ['wcag2a', 'wcag2aa'] }));
      const grave = violations.filter((v) => ['serious', 'critical'].includes(v.impact));
      assert.deepEqual(grave.map((v) => `${id} ${theme}: ${v.id}: ${v.nodes[0].html.slice(0, 160)} ${v.nodes[0].failureSummary}`), []);
    }
  }
  await page.locator('.theme [data-value=auto]').click();
}

// It fits 100 columns and a wide screen.
export async function fits(page) {
  for (const width of [820, 1360, 2200]) {
    await page.setViewportSize({ width, height: 900 });
    for (const id of await tabs(page)) {
      await press(page, id);
      await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
      const [needed, have] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      assert.ok(needed <= have, `${id} at ${width}: ${needed}`);
    }
  }
  await page.setViewportSize({ width: 1360, height: 900 });
}

export async function obeysArrowKeys(page) {
  const all = await tabs(page);
  await page.locator(`#tab-${all[0]}`).focus();
  for (const id of [...all.slice(1), all[0]]) {
    await page.keyboard.press('ArrowRight');
    assert.equal(await page.locator(`#tab-${id}`).getAttribute('aria-selected'), 'true');
  }
}

// Every control is reached by Tab alone, none is a trap, and each shows that it has the focus.
export async function isReachedByTab(page) {
  await page.evaluate(() => document.activeElement?.blur());
  const expected = await page.evaluate(() =>
    [...document.querySelectorAll('button, select, input, a[href], [tabindex="0"]')].filter((e) =>
      e.tabIndex >= 0 && !e.disabled && e.checkVisibility({ visibilityProperty: true })).length);
  const seen = new Set();
  for (let i = 0; i < expected + 5; ++i) {
    await page.keyboard.press('Tab');
    const at = await page.evaluate(() => {
      const e = document.activeElement;
      if (!e || e === document.body) return null;
      e.dataset.seen ??= String(document.querySelectorAll('[data-seen]').length + 1);
      const style = getComputedStyle(e);
      return { id: e.dataset.seen, html: e.outerHTML.slice(0, 120), shown: style.outlineStyle !== 'none' || style.boxShadow !== 'none' };
    });
    if (!at) continue;
    assert.ok(at.shown, `no focus to be seen: ${at.html}`);
    seen.add(at.id);
  }
  assert.equal(seen.size, expected);
}
