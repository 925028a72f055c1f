// Light, dark, or as the system says; charts ask here for their colours.
import { choice } from './dom';

type Theme = 'auto' | 'light' | 'dark';
const listeners: (() => void)[] = [];

export const colour = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

export function onTheme(listener: () => void): void {
  listeners.push(listener);
}

const dark = matchMedia('(prefers-color-scheme: dark)');
let chosen: Theme = 'auto';

function apply(theme: 'light' | 'dark'): void {
  if (document.documentElement.dataset.theme === theme) return;
  document.documentElement.dataset.theme = theme;
  for (const listener of listeners) listener();
}

function choose(theme: Theme): void {
  chosen = theme;
  apply(theme !== 'auto' ? theme : dark.matches ? 'dark' : 'light');
}

// Follows the system until someone chooses; paper is always white.
export function themeChoice(): HTMLElement {
  dark.addEventListener('change', () => choose(chosen));
  addEventListener('beforeprint', () => apply('light'));
  addEventListener('afterprint', () => choose(chosen));
  choose('auto');
  const element = choice<Theme>('Colours', [['auto', 'Auto'], ['light', 'Light'], ['dark', 'Dark']], 'auto', choose);
  element.classList.add('theme');
  return element;
}
