// The browser of the tests: Debian's Chromium with nothing of its own on the network, and a page
// that fails the test on a console error or on any request but for the file itself.
import { mkdtempSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const { chromium } = createRequire(join(process.env.FTPROF_NPM, 'index.js'))('playwright-core');

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
