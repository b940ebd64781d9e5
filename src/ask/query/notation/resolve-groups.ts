import type { Span } from '../../outcome.ts';
import type { Granularity } from '../../time/granularity.ts';
import type { NameScope, ResolvedName } from '../name-scope.ts';
import type { Places } from '../places.ts';
import type { GroupNode } from './syntax.ts';

/** A time that is cut into buckets; without a dimension it is the cube's usual one. */
export interface TimeGroup {
  readonly dimension: string | undefined;
  readonly granularity: Granularity;
  readonly span: Span;
}

/** What stands behind `by`, sorted into dimensions and buckets of time. */
export function resolveGroups(nodes: readonly GroupNode[], scope: NameScope, places: Places): {
  readonly dimensions: readonly string[];
  readonly times: readonly TimeGroup[];
} {
  const resolved = nodes.map((node) => (node.kind === 'name' ? scope.resolve(node.name, 'group') : undefined));
  const owners = new Map(nodes.flatMap((node, index) => {
    const owner = node.kind === 'bucket' && node.after ? node.after.group : undefined;
    return owner !== undefined && node.kind === 'bucket' && takesBucket(resolved[owner], node.after?.joined === true) ? [[index, owner] as const] : [];
  }));
  const owned = new Set(owners.values());
  const dimensions: string[] = [];
  const times: TimeGroup[] = [];
  nodes.forEach((node, index) => {
    if (node.kind === 'bucket') {
      const owner = owners.get(index);
      times.push({ dimension: owner === undefined ? undefined : resolved[owner]?.name, granularity: node.granularity, span: node.span });
      return;
    }
    const found = resolved[index];
    if (!found || owned.has(index)) return;
    if (found.granularity) times.push({ dimension: found.name, granularity: found.granularity, span: node.name.span });
    else {
      places.put(['dimensions', dimensions.length], node.name.span);
      dimensions.push(found.name);
    }
  });
  return { dimensions, times };
}

/** `utcTime by day`: the bucket belongs to the name. Where nobody knows what the name is, `by` decides. */
function takesBucket(name: ResolvedName | undefined, joined: boolean): boolean {
  if (!name || name.granularity) return false;
  return name.kind === 'time' || (name.kind === 'unknown' && joined);
}
