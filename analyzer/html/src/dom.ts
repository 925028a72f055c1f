// Elements without markup: text always arrives as text, so nothing from a profiled program is
// ever parsed as HTML.

export type Child = Node | string | null | undefined | false;
type Props = Record<string, unknown>;

function assign(element: Element, props: Props): void {
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value as EventListener);
    else element.setAttribute(key, value === true ? '' : String(value));
  }
}

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K, props: Props = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  assign(element, props);
  element.append(...children.filter((c): c is Node | string => Boolean(c)));
  return element;
}

export const text = (className: string, ...children: Child[]): HTMLElement =>
  h('span', { class: className }, ...children);

// A name from the profiled program: isolated, left to right, in the code face.
export const code = (name: string, className = ''): HTMLElement =>
  h('code', { class: className, dir: 'ltr' }, name);

export function replace(parent: Element, ...children: Child[]): void {
  parent.replaceChildren(...children.filter((c): c is Node | string => Boolean(c)));
}

// A share as a bar behind its figure.
export function meter(part: number, whole: number, className = 'cost'): HTMLElement {
  const bar = h('span', { class: `meter ${className}`, 'aria-hidden': 'true' });
  const fill = h('i');
  fill.style.width = `${whole > 0 ? Math.min(100, (100 * part) / whole) : 0}%`;
  bar.append(fill);
  return bar;
}

// A choice of one among few, as buttons.
export function choice<T extends string>(
  label: string, options: readonly (readonly [T, string])[], chosen: T,
  pick: (value: T) => void): HTMLElement {
  const group = h('div', { class: 'choice', role: 'group', 'aria-label': label });
  for (const [value, name] of options) {
    const button = h('button', {
      type: 'button', 'data-value': value, 'aria-pressed': String(value === chosen),
      onclick: () => {
        for (const other of group.children)
          other.setAttribute('aria-pressed', String(other === button));
        pick(value);
      },
    }, name);
    group.append(button);
  }
  return group;
}

// A command with a button that copies it. Without a clipboard the text is selected instead.
export function command(line: string): HTMLElement {
  const shown = code(line);
  const said = h('span', { class: 'said', role: 'status' });
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(line);
      said.textContent = 'Copied';
    } catch {
      getSelection()?.selectAllChildren(shown);
      said.textContent = 'Selected';
    }
  };
  return h('div', { class: 'command' }, shown,
    h('button', { type: 'button', onclick: copy, 'aria-label': `Copy ${line}` }, 'Copy'), said);
}

// A list of name and figure.
export const facts = (pairs: readonly (readonly [string, Child])[]): HTMLElement =>
  h('dl', { class: 'facts' },
    ...pairs.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))));

// Holds what may be wider than the page; a keyboard can scroll it.
export const wide = (label: string, ...children: Child[]): HTMLElement =>
  h('div', { class: 'wide', tabindex: 0, role: 'region', 'aria-label': label }, ...children);
