// node trace_viewer.mjs TRACE.json VIEWER [PICTURE.png]: opens a trace in the viewer of
// chrome://tracing, whose files Go ships in the folder VIEWER, and prints as JSON what its model holds
// of it. The page embeds the viewer as Go's cmd/trace does. Nothing is served from outside those files.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { browser } from './browser.mjs';

const [, , trace, viewer, picture] = process.argv;
const kFiles = {
  '/': ['text/html', () => `<script src="/webcomponents.min.js"></script>
    <link rel="import" href="/trace_viewer_full.html">
    <style>html, body, #viewer { height: 100%; margin: 0; overflow: hidden }</style><body>`],
  '/trace': ['application/json', () => readFileSync(trace)],
  '/favicon.ico': ['image/x-icon', () => ''],
};
for (const name of ['webcomponents.min.js', 'trace_viewer_full.html'])
  kFiles[`/${name}`] = [name.endsWith('js') ? 'text/javascript' : 'text/html', () => readFileSync(join(viewer, name))];

const context = await browser();
const page = await context.newPage();
const complaints = [];
page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
page.on('pageerror', (error) => complaints.push(error.message));
page.on('dialog', (dialog) => { complaints.push(dialog.message()); void dialog.dismiss(); });
await context.route('**', (route) => {
  const url = new URL(route.request().url());
  const file = url.host === 'viewer.test' && kFiles[url.pathname];
  if (!file) complaints.push(`request: ${url}`);
  return file ? route.fulfill({ contentType: file[0], body: file[1]() }) : route.abort();
});
await page.addInitScript(() => document.addEventListener('WebComponentsReady', () => { window.loaded = true; }));
await page.goto('http://viewer.test/');
await page.waitForFunction(() => window.loaded);

const seen = await page.evaluate(async () => {
  const { tr, Polymer } = window;
  const model = new tr.Model();
  const options = new tr.importer.ImportOptions();
  options.shiftWorldToZero = false;
  const text = await (await fetch('/trace')).text();
  await new tr.importer.Import(model, options).importTracesWithProgressDialog([text]);
  const view = document.createElement('tr-ui-timeline-view');
  view.track_view_container = document.createElement('track-view-container');
  view.track_view_container.id = 'track_view_container';
  Polymer.dom(view).appendChild(view.track_view_container);
  view.id = 'viewer';
  view.globalMode = true;
  Polymer.dom(document.body).appendChild(view);
  view.model = model;
  await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));

  const sum = (slices, of) => slices.reduce((total, slice) => total + of(slice), 0);
  const processes = model.getAllProcesses();
  return {
    warnings: model.importWarnings,
    processes: processes.map(({ pid, name }) => ({ pid, name })),
    threads: processes.flatMap((process) => Object.values(process.threads).map((thread) => {
      const { slices } = thread.sliceGroup;
      return { pid: process.pid, tid: thread.tid, name: thread.name, slices: slices.length,
        faults: sum(slices, (s) => s.args.faults), fault_time_ns: sum(slices, (s) => s.args.fault_time_ns),
        drawn_ms: sum(slices, (s) => s.duration), titles: [...new Set(slices.map((s) => s.title))] };
    })),
    counters: Object.fromEntries(processes.flatMap((process) => Object.values(process.counters).map((counter) =>
      [counter.name, counter.series[0].samples.map((sample) => sample.value)]))),
    marks: model.instantEvents.map((mark) => ({ name: mark.title, at_ms: mark.start })),
    headings: Array.from(document.querySelectorAll('tr-ui-b-heading'), (heading) => heading.innerText.trim()),
    ran: 'pwned' in window,
  };
});
if (picture) await page.screenshot({ path: picture });
console.log(JSON.stringify({ ...seen, complaints }));
await context.close();
