// node speedscope.mjs FILE WORDS: opens FILE in speedscope, waits until it shows WORDS, and prints
// what it shows as JSON: the title, the profile's name and place, and its table of functions.
import { join } from 'node:path';
import { browser } from './browser.mjs';

const context = await browser();
const page = await context.newPage();
const errors = [];
page.on('pageerror', (error) => errors.push(error.message));
await page.goto(`file://${join(process.env.FTPROF_NPM, 'node_modules/speedscope/dist/release/index.html')}`);
await page.setInputFiles('input[type=file]', process.argv[2]);
const shows = (words) => page.waitForFunction((text) => document.body.innerText.includes(text), words);
await shows(process.argv[3]);
await page.keyboard.press('3'); // the table
await shows('Symbol Name');
console.log(JSON.stringify({
  title: await page.title(), text: await page.evaluate(() => document.body.innerText), errors }));
await context.close();
