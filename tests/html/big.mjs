// node big.mjs REPORT.html: opens a large report, looks at its heaviest views, and prints what it
// found and how long each took, for a person to read.
import { browser, open } from './browser.mjs';

const context = await browser();
const begun = performance.now();
const { page, complaints } = await open(context, process.argv[2]);
await page.waitForSelector('#page:not([aria-busy])', { timeout: 300000 });
const took = { open_ms: Math.round(performance.now() - begun) };
for (const id of ['flame', 'threads', 'blocks', 'sites'])
  took[`${id}_ms`] = await page.evaluate(async (tab) => {
    const begun = performance.now();
    document.getElementById(`tab-${tab}`).click();
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    return Math.round(performance.now() - begun);
  }, id);
console.log(JSON.stringify({
  ...took, sites: await page.locator('#view-sites .found').first().innerText(),
  elements: await page.evaluate(() => document.querySelectorAll('*').length), complaints }));
await context.close();
