import { Refusal } from './refusal.ts';

/** A parameter of a form or an address: text, or what several with brackets in their names make together. */
export type FormValue = string | readonly FormValue[] | { readonly [key: string]: FormValue };

/** Brackets in a name may nest so deep, and no more parameters than so many are read. */
const deepest = 32;
const most = 2_000;

type Node = string | Branch;

interface Branch {
  /** Entries by name; numbers and `[]` make a list. */
  readonly entries: Map<string, Node>;
  next: number;
}

/**
 * Parameters as the platform's API takes them: `name=v`, `name[]=v` repeated, `name[key]=v`, `name[0][key]=v`. Of a name
 * that comes twice the last one counts. Refused: too many, too deep, and names that mean two things at once.
 */
export function readForm(text: string): ReadonlyMap<string, FormValue> {
  const root = newBranch();
  let count = 0;
  for (const [name, value] of new URLSearchParams(text)) {
    if ((count += 1) > most) throw new Refusal(400, `There are more than ${most} parameters.`);
    const path = pathOf(name);
    let branch = root;
    for (const step of path.slice(0, -1)) branch = stepInto(branch, keyOf(branch, step), name);
    branch.entries.set(keyOf(branch, path.at(-1) as string), value);
  }
  return new Map([...root.entries].map(([name, node]) => [name, toValue(node)]));
}

/** `a[b][]` → `a`, `b`, ``. Brackets that do not pair are part of the name. */
function pathOf(name: string): readonly string[] {
  const match = /^([^[\]]+)((?:\[[^[\]]*\])+)$/.exec(name);
  if (!match) return [name];
  const steps = [...(match[2] as string).matchAll(/\[([^[\]]*)\]/g)].map((step) => step[1] as string);
  if (steps.length > deepest) throw new Refusal(400, `Parameters nest deeper than ${deepest} levels.`);
  return [match[1] as string, ...steps];
}

function keyOf(branch: Branch, step: string): string {
  if (step !== '') return step;
  const key = String(branch.next);
  branch.next += 1;
  return key;
}

function stepInto(branch: Branch, key: string, name: string): Branch {
  const there = branch.entries.get(key);
  if (typeof there === 'string') throw new Refusal(400, `The parameter ${JSON.stringify(name.slice(0, 100))} is both a text and more than one.`);
  if (there) return there;
  const made = newBranch();
  branch.entries.set(key, made);
  return made;
}

function newBranch(): Branch {
  return { entries: new Map(), next: 0 };
}

function toValue(node: Node): FormValue {
  if (typeof node === 'string') return node;
  const entries = [...node.entries];
  if (entries.every(([key]) => /^\d{1,6}$/.test(key))) return entries.toSorted(([a], [b]) => Number(a) - Number(b)).map(([, value]) => toValue(value));
  // Without a prototype a name such as __proto__ is a name like any other.
  return Object.assign(Object.create(null) as Record<string, FormValue>, Object.fromEntries(entries.map(([key, value]) => [key, toValue(value)])));
}
