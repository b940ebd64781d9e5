import type { EventKinds } from './event-kinds.ts';
import type { FunnelRules, FunnelWalk } from './funnel-rules.ts';
import { openOrderedWalk } from './walk-ordered.ts';
import { openStrictWalk } from './walk-strict.ts';
import { openUnorderedWalk } from './walk-unordered.ts';

const walks = { ordered: openOrderedWalk, strict: openStrictWalk, unordered: openUnorderedWalk } as const;

/** Finds how far users came, one after the other. */
export function openWalk(rules: FunnelRules, kinds: EventKinds): FunnelWalk {
  return walks[rules.order](rules, kinds);
}
