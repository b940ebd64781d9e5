import { isAlias, isMap, isNode, isScalar, isSeq, type Node, type Pair, type YAMLMap } from 'yaml';
import type { IssuePath, Span } from '../outcome.ts';
import { type Locate, toSpan } from './located.ts';

/** Makes the `Locate` of a parsed YAML document. */
export function locateIn(text: string, root: Node | null): Locate {
  const pairs: PairsOf = new Map();
  return (path, part = 'value') => {
    const spot = walk(root, path, pairs);
    if (!spot) return undefined;
    if (spot.key && ((spot.complete && part === 'key') || isEmpty(spot.value))) return spanOf(text, spot.key);
    return spot.value ? spanOf(text, spot.value) : undefined;
  };
}

interface Spot {
  readonly key: Node | undefined;
  readonly value: Node | undefined;
  /** Whether the whole path exists. */
  readonly complete: boolean;
}

/** The pairs of each mapping by key. Cached, because thousands of issues may point into one mapping. */
type PairsOf = Map<YAMLMap, ReadonlyMap<string, Pair>>;

function walk(root: Node | null, path: IssuePath, pairs: PairsOf): Spot | undefined {
  if (!root) return undefined;
  let spot: Spot = { key: undefined, value: root, complete: true };
  for (const step of path) {
    const next = stepInto(spot.value, step, pairs);
    if (!next) return { ...spot, complete: false };
    spot = next;
  }
  return spot;
}

function stepInto(node: Node | undefined, step: string | number, pairs: PairsOf): Spot | undefined {
  if (isMap(node)) {
    const pair = pairsOf(node, pairs).get(String(step));
    return pair && { key: toNode(pair.key), value: toNode(pair.value), complete: true };
  }
  if (isSeq(node) && typeof step === 'number') {
    const value = toNode(node.items[step]);
    return value && { key: undefined, value, complete: true };
  }
  return undefined;
}

function pairsOf(map: YAMLMap, pairs: PairsOf): ReadonlyMap<string, Pair> {
  const known = pairs.get(map);
  if (known) return known;
  // The first of duplicate keys counts.
  const byKey = new Map(
    map.items
      .toReversed()
      .flatMap((pair) => (isScalar(pair.key) ? [[String(pair.key.value), pair as Pair] as const] : [])),
  );
  pairs.set(map, byKey);
  return byKey;
}

function toNode(value: unknown): Node | undefined {
  return isNode(value) ? value : undefined;
}

function isEmpty(node: Node | undefined): boolean {
  return !node || (!isAlias(node) && node.range?.[0] === node.range?.[1]);
}

function spanOf(text: string, node: Node): Span | undefined {
  if (!node.range) return undefined;
  const [start, end] = node.range;
  return toSpan(text, start, start + text.slice(start, end).trimEnd().length);
}
