import { go } from 'fuzzysort';

/** An item that can be searched by name. */
export interface NamedMember {
  readonly name: string;
  readonly title: string;
  readonly description: string;
}

/** Matches below this score are noise. */
const leastScore = 0.3;

/** Items whose name, title or description matches the typed text, best first: `browser` finds `agentName`. */
export function findNamed<T extends NamedMember>(things: readonly T[], typed: string): readonly T[] {
  const wanted = typed.trim().toLowerCase();
  if (wanted === '') return things;
  const said = (text: string) =>
    text
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
      .some((word) => word.startsWith(wanted));
  const rank = new Map<T, number>();
  for (const { obj, score } of go(wanted, things, { keys: ['name', 'title'], threshold: leastScore }))
    rank.set(obj, score);
  for (const thing of things) {
    const { name, title, description } = thing;
    if ([name, title].some((text) => text.toLowerCase().startsWith(wanted))) rank.set(thing, 3);
    else if (said(title)) rank.set(thing, 2);
    else if (said(description)) rank.set(thing, Math.max(rank.get(thing) ?? 0, leastScore));
  }
  return things.filter((thing) => rank.has(thing)).sort((a, b) => (rank.get(b) ?? 0) - (rank.get(a) ?? 0));
}
