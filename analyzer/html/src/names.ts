// Frames and sites as people name them.
import type { Stacked } from './data';

export const base = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

export class Names {
  constructor(private readonly data: Stacked) {}

  function(frame: number): string {
    return this.data.strings[this.data.frames.function[frame]] || '??';
  }

  file(frame: number): string {
    return this.data.strings[this.data.frames.file[frame]];
  }

  module(frame: number): string {
    return this.data.strings[this.data.frames.module[frame]];
  }

  // model.cpp:42, or the module where there is no line; nothing for a place that is no code, as
  // "(inside the call)".
  place(frame: number): string {
    const file = this.file(frame);
    if (!file) return base(this.module(frame)) || (this.function(frame).startsWith('(') ? '' : 'unknown');
    return base(file) + (this.data.frames.line[frame] ? `:${this.data.frames.line[frame]}` : '');
  }

  // The module beside place(), unless that is the place already.
  moduleBeside(frame: number): string {
    return this.file(frame) ? base(this.module(frame)) : '';
  }

  inlined(frame: number): boolean {
    return (this.data.frames.flags[frame] & 1) !== 0;
  }

  nearest(frame: number): boolean {
    return (this.data.frames.flags[frame] & 2) !== 0;
  }

  // Innermost first.
  stack(site: number): number[] {
    const { parent, frame } = this.data.stacks;
    const frames: number[] = [];
    for (let at = this.data.sites.leaf[site]; at >= 0; at = parent[at]) frames.push(frame[at]);
    return frames;
  }

  // The frame that names a site: the first of the program's own.
  siteFrame(site: number): number {
    const frames = this.stack(site);
    return frames[Math.min(this.data.sites.top[site], frames.length - 1)] ?? -1;
  }

  site(site: number): string {
    const frame = this.siteFrame(site);
    return frame < 0 ? '(no stack)' : this.function(frame);
  }

  sitePlace(site: number): string {
    const frame = this.siteFrame(site);
    return frame < 0 ? '' : this.place(frame);
  }
}
