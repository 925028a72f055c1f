// The views, one at a time on screen and all of them in print. A view is drawn when first shown.
import { h } from './dom';

export interface Tab {
  id: string;
  name: string;
  draw: (panel: HTMLElement) => void;
}

export class Tabs {
  readonly element: HTMLElement;
  private readonly buttons: HTMLButtonElement[];
  private readonly panels: HTMLElement[];
  private readonly drawn = new Set<number>();

  constructor(private readonly tabs: Tab[]) {
    this.buttons = tabs.map((tab, i) => h('button', {
      type: 'button', role: 'tab', id: `tab-${tab.id}`, 'aria-controls': `view-${tab.id}`,
      onclick: () => this.select(i),
      onkeydown: (event: KeyboardEvent) => this.key(event, i),
    }, tab.name));
    this.panels = tabs.map((tab) => h('section', {
      role: 'tabpanel', id: `view-${tab.id}`, 'aria-labelledby': `tab-${tab.id}`, tabindex: 0 }));
    this.element = h('div', { class: 'views' },
      h('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Views' }, ...this.buttons), ...this.panels);
    addEventListener('beforeprint', () => this.panels.forEach((_, i) => this.draw(i)));
    this.select(Math.max(0, tabs.findIndex((tab) => `#${tab.id}` === location.hash)));
  }

  show(id: string): void {
    this.select(this.tabs.findIndex((tab) => tab.id === id));
  }

  private select(index: number): void {
    this.buttons.forEach((button, i) => {
      button.setAttribute('aria-selected', String(i === index));
      button.tabIndex = i === index ? 0 : -1;
      this.panels[i].classList.toggle('shown', i === index);
    });
    this.draw(index);
  }

  private draw(index: number): void {
    if (this.drawn.has(index)) return;
    this.drawn.add(index);
    this.panels[index].append(h('h2', { class: 'print-only' }, this.tabs[index].name));
    this.tabs[index].draw(this.panels[index]);
  }

  private key(event: KeyboardEvent, index: number): void {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = (index + step + this.tabs.length) % this.tabs.length;
    this.select(next);
    this.buttons[next].focus();
    event.preventDefault();
  }
}
