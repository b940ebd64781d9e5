import { membersOf } from '../template.ts';
import type { SqlText } from './read-context.ts';
import { reportError, type Findings } from './site.ts';

/** That no member is made of itself, by however many steps. Each circle is told once, at its first member. */
export function checkCircles(texts: readonly SqlText[], findings: Findings): void {
  const byMember = new Map<string, SqlText[]>();
  for (const text of texts) {
    if (text.member === undefined) continue;
    const name = `${text.cube}.${text.member}`;
    byMember.set(name, [...(byMember.get(name) ?? []), text]);
  }
  const done = new Set<string>();
  for (const start of byMember.keys()) {
    // Depth first with a stack of its own: a model may be any number of members deep.
    const stack: { readonly name: string; readonly next: string[] }[] = [];
    const enter = (name: string) => stack.push({ name, next: (byMember.get(name) ?? []).flatMap(namesIn) });
    if (!done.has(start)) enter(start);
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const name = top.next.shift();
      if (name === undefined) {
        done.add(top.name);
        stack.pop();
      } else if (!done.has(name)) {
        const from = stack.findIndex((entry) => entry.name === name);
        if (from < 0) enter(name);
        else reportCircle(stack.slice(from).map((entry) => entry.name), byMember, findings);
      }
    }
  }
}

function namesIn({ template }: SqlText): string[] {
  return membersOf(template).map(({ cube, member }) => `${cube}.${member}`);
}

function reportCircle(names: readonly string[], byMember: ReadonlyMap<string, readonly SqlText[]>, findings: Findings): void {
  const first = names[0] as string;
  const second = names[1] ?? first;
  const text = byMember.get(first)?.find((candidate) => namesIn(candidate).includes(second));
  if (!text) return;
  const isOneCube = names.every((name) => name.startsWith(`${text.cube}.`));
  const shown = [...names, first].map((name) => (isOneCube ? name.slice(text.cube.length + 1) : name)).join(' → ');
  const hint = names.length === 1 ? `For the column write \`{CUBE}.${text.member}\`.` : undefined;
  reportError(findings, text.site, 'circular-reference', `Members are made of each other in a circle: ${shown}.`, hint);
}
