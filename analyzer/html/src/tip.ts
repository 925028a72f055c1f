// The one tooltip: follows the pointer, or stands under the focused element.
import { h, replace, type Child } from './dom';

const box = h('div', { class: 'tip', role: 'tooltip', hidden: true });

export function mount(): void {
  document.body.append(box);
}

export function show(x: number, y: number, ...children: Child[]): void {
  replace(box, ...children);
  box.hidden = false;
  const { offsetWidth: width, offsetHeight: height } = box;
  const left = Math.max(8, Math.min(x + 14, innerWidth - width - 8));
  const top = y + 18 + height > innerHeight ? y - height - 12 : y + 18;
  box.style.left = `${left}px`;
  box.style.top = `${Math.max(8, top)}px`;
}

export function hide(): void {
  box.hidden = true;
}
