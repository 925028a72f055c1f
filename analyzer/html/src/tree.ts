// A tree of frames with a value per leaf: stacks merged by function, for the flame graph.
// Parents come before their children, so one backward pass sums everything up.
import type { Report, Stacked } from './data';
import type { Metric, Model } from './model';
import type { Names } from './names';

export class Tree {
  readonly parent: number[] = [-1];
  readonly frame: number[] = [-1];
  readonly runtime: boolean[] = [false]; // the allocator's, the C++ library's
  private readonly ids = new Map<number, number>(); // by parent and name
  private readonly nameOf: Int32Array; // of each frame: frames of one function share it

  private readonly own: Set<number>; // modules that ask for blocks: the program's

  constructor(private readonly data: Stacked, names: Names) {
    this.own = new Set(data.sites.id.map((_, site) => data.frames.module[names.siteFrame(site)]));
    const { frames } = data;
    const seen = new Map<number, number>();
    this.nameOf = Int32Array.from(frames.function, (name, i) => {
      const key = name * data.strings.length + frames.module[i];
      return seen.get(key) ?? (seen.set(key, i), i);
    });
  }

  child(parent: number, frame: number, below = false): number {
    const { frames } = this.data;
    const key = parent * frames.line.length + this.nameOf[frame];
    let id = this.ids.get(key);
    if (id === undefined) {
      id = this.parent.length;
      this.ids.set(key, id);
      this.parent.push(parent);
      this.frame.push(frame);
      this.runtime.push(below || !this.own.has(frames.module[frame]));
    }
    return id;
  }
}

export interface Forest {
  tree: Tree;
  leaf: number[]; // of each site, or of each row of `touches`
}

// Callers down to the allocating function.
export function allocationTree(data: Stacked, names: Names): Forest {
  const tree = new Tree(data, names);
  const leaf = data.sites.id.map((_, site) => {
    const frames = names.stack(site);
    let at = 0;
    for (let i = frames.length - 1; i >= 0; i--) at = tree.child(at, frames[i], i < data.sites.top[site]);
    return at;
  });
  return { tree, leaf };
}

// The code that touched, then the stack that had asked for the block, innermost first.
export function touchTree(data: Report, names: Names): Forest {
  const tree = new Tree(data, names);
  const leaf = (data.touches.site ?? []).map((site, i) => {
    let at = tree.child(0, data.touches.frame[i]);
    for (const frame of names.stack(site).slice(data.sites.top[site])) at = tree.child(at, frame);
    return at;
  });
  return { tree, leaf };
}

export function totals({ tree, leaf }: Forest, values: ArrayLike<number>): Float64Array {
  const total = new Float64Array(tree.parent.length);
  for (let i = 0; i < leaf.length; i++) total[leaf[i]] += values[i];
  for (let i = total.length - 1; i > 0; i--) total[tree.parent[i]] += total[i];
  return total;
}

export function valuesOf(model: Model, metric: Metric, touch: boolean): Float64Array {
  if (touch) return metric === 'faults' ? model.touch.faults : model.touch.cost;
  return model.site[metric];
}

// The children of every node with a value, the largest first.
export function childrenByValue(tree: Tree, total: Float64Array): number[][] {
  const children: number[][] = tree.parent.map(() => []);
  for (let i = 1; i < tree.parent.length; i++) if (total[i] > 0) children[tree.parent[i]].push(i);
  for (const list of children) if (list.length > 1) list.sort((a, b) => total[b] - total[a]);
  return children;
}
