// Reads the data, builds the page.
import { drawAbout } from './about';
import { dearest, figuresOfBill, header, ledger } from './bill';
import { BlockMapView } from './block_map';
import { header as compareHeader, variants, verdicts, views as compareViews } from './compare';
import type { Comparison } from './compare_data';
import { load, type Report } from './data';
import { h, replace } from './dom';
import { FlameView } from './flame_view';
import { MatrixView } from './matrix';
import { Model } from './model';
import { Names } from './names';
import { PoolView } from './pool';
import { drawProcesses } from './processes';
import { SitesView } from './sites';
import { sources } from './sources';
import { Tabs, type Tab } from './tabs';
import { themeChoice } from './theme';
import { Timeline } from './timeline';
import * as tip from './tip';

function views(model: Model, names: Names, sites: SitesView): Tab[] {
  const { data } = model;
  const flame = new FlameView(model, names);
  const map = new BlockMapView(model, names);
  const pool = new PoolView(model, names);
  const matrix = new MatrixView(model, names);
  const tabs: Tab[] = [
    { id: 'sites', name: 'Sites', draw: (panel) => sites.draw(panel) },
    { id: 'flame', name: 'Flame graph', draw: (panel) => flame.draw(panel) },
    { id: 'blocks', name: 'Block map', draw: (panel) => map.draw(panel) },
    { id: 'pool', name: 'Pool', draw: (panel) => pool.draw(panel) },
    { id: 'threads', name: 'Threads', draw: (panel) => matrix.draw(panel) },
    { id: 'processes', name: data.processes.rank.some(Boolean) ? 'Ranks' : 'Processes', draw: (panel) => drawProcesses(model, panel) },
    { id: 'about', name: 'The rest', draw: (panel) => drawAbout(model, names, panel) },
  ];
  return tabs.filter(({ id }) => id !== 'processes' || data.processes.name.length > 1);
}

function report(page: HTMLElement, data: Report): void {
  const model = new Model(data);
  const names = new Names(data);
  const sites = new SitesView(model, names);
  const tabs = new Tabs(views(model, names, sites));
  const open = (site: number) => {
    tabs.show('sites');
    sites.reveal(site);
  };
  document.title = `ftprof: ${data.run.command.join(' ')}`;
  replace(page, themeChoice(), header(model),
    h('main', {}, figuresOfBill(model), h('div', { class: 'lead' }, dearest(model, names, open), ledger(model)),
      sources(model), new Timeline(model).element, tabs.element));
}

function comparison(page: HTMLElement, data: Comparison): void {
  document.title = `ftprof: ${data.command.join(' ')}, compared`;
  replace(page, themeChoice(), compareHeader(data),
    h('main', {}, verdicts(data), variants(data), compareViews(data).element));
}

async function start(): Promise<void> {
  const page = document.getElementById('page')!;
  try {
    const data = await load();
    tip.mount();
    if (data.kind === 'compare') comparison(page, data as Comparison);
    else report(page, data as Report);
  } catch (error) {
    replace(page, h('p', { class: 'lone', role: 'alert' }, `This report cannot be shown: ${(error as Error).message}`));
    throw error;
  } finally {
    page.removeAttribute('aria-busy');
  }
}

void start();
