import { describeValue } from './describe-value.ts';
import type { core, ZodType } from 'zod';
import { bad, badWith, errorIssue, good, type Issue, type IssuePath, type Outcome } from '../outcome.ts';
import { didYouMean } from '../suggest.ts';
import { plural, quote } from '../text.ts';
import { tooDeepPath } from './depth.ts';

/**
 * Checks plain data (such as a parsed JSON body) by a schema. Issues carry paths and no spans. Never throws, whatever
 * the value is.
 *
 * A message that the schema sets itself stays as it is; the text after a line break in it becomes the hint.
 */
export function readValue<T>(value: unknown, schema: ZodType<T>): Outcome<T> {
  if (tooDeepPath(value)) return badWith('too-deep', 'It is nested too deeply, or contains itself.');
  const wording = openWording();
  const result = schema.safeParse(value, { error: wording.remember });
  return result.success ? good(result.data) : bad(wording.toIssues(result.error.issues));
}

/** Details of a raised issue that zod's finished issues no longer hold. */
interface RaisedIssue {
  readonly input: unknown;
  /** Keys that the mapping accepts. */
  readonly keys: readonly string[];
  /** Keys of each branch of a union. */
  readonly branches: readonly (readonly string[] | undefined)[];
}

/** The wording of one parse: `remember` is zod's error map, `toIssues` converts zod's issues. */
interface Wording {
  readonly remember: (raw: core.$ZodRawIssue) => string;
  readonly toIssues: (found: readonly core.$ZodIssue[], above?: IssuePath) => readonly Issue[];
}

/**
 * Words zod's issues for people. While zod parses, each issue gets a ticket as its message. The ticket leads back to
 * the input and the schema, from which the sentence and the hint follow once the full path is known. A message without
 * a ticket comes from the author of the schema.
 */
function openWording(): Wording {
  const raised = new Map<string, RaisedIssue>();

  const remember = (raw: core.$ZodRawIssue): string => {
    const ticket = `\u0000${raised.size}`;
    raised.set(ticket, {
      input: raw.input,
      keys: keysOf(raw.inst as core.$ZodType | undefined) ?? [],
      branches: raw.code === 'invalid_union' ? branchesOf(raw.inst as core.$ZodType | undefined) : [],
    });
    return ticket;
  };

  const toIssues = (found: readonly core.$ZodIssue[], above: IssuePath = []): readonly Issue[] =>
    found.flatMap((issue): readonly Issue[] => {
      const path = [...above, ...issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step))];
      const known = raised.get(issue.message);
      if (!known) return [ownIssue(issue, path)];
      if (issue.code === 'invalid_union') {
        const branch = bestBranch(issue, known);
        return branch.kind === 'issues' ? toIssues(branch.issues, path) : [branch.toIssue(path)];
      }
      return wordIssue(issue, path, known);
    });

  return { remember, toIssues };
}

function ownIssue(issue: core.$ZodIssue, path: IssuePath): Issue {
  const [message = '', hint] = issue.message.split('\n', 2);
  const params: Readonly<Record<string, unknown>> = issue.code === 'custom' ? (issue.params ?? {}) : {};
  return errorIssue(typeof params['code'] === 'string' ? params['code'] : 'invalid-value', message, { path, hint });
}

function branchesOf(schema: core.$ZodType | undefined): RaisedIssue['branches'] {
  const def = (schema as core.$ZodTypes | undefined)?._zod.def;
  return def?.type === 'union' ? def.options.map((option) => keysOf(option)) : [];
}

interface Known {
  readonly input: unknown;
  readonly keys: readonly string[];
}

/** Words one issue of a schema. Each unknown key becomes an issue. */
function wordIssue(issue: core.$ZodIssue, path: IssuePath, known: Known): readonly Issue[] {
  const name = nameOf(path);
  const found = describeValue(known.input);
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) =>
        errorIssue('unknown-key', `Unknown key ${quote(key)}.`, {
          path: [...path, key],
          hint: nearestHint(key, known.keys, `Allowed keys: ${listOfKeys(known.keys)}.`),
        }),
      );
    case 'invalid_type':
      if (known.input === undefined) return [errorIssue('missing-key', `${name} is missing.`, { path })];
      return [mustBe([describeKind(issue.expected)], path, known.input)];
    case 'invalid_value': {
      const allowed = issue.values.map(String);
      if (known.input === undefined)
        return [errorIssue('missing-key', `${name} is missing.`, { path, hint: `It can be ${listOf(allowed)}.` })];
      const hint =
        typeof known.input === 'string' ? nearestHint(known.input, allowed) : `It can be ${listOf(allowed)}.`;
      return [errorIssue('unknown-value', `${name} cannot be ${found}.`, { path, hint })];
    }
    case 'too_small':
      if (known.input === '') return [errorIssue('out-of-range', `${name} must not be empty.`, { path })];
      return [errorIssue('out-of-range', `${name} must ${atLeast(issue)}, not ${amountOf(known.input)}.`, { path })];
    case 'too_big':
      return [errorIssue('out-of-range', `${name} must ${atMost(issue)}, not ${amountOf(known.input)}.`, { path })];
    case 'invalid_key':
      return [errorIssue('unknown-key', `${quote(String(path.at(-1) ?? ''))} is not an allowed key.`, { path })];
    default:
      return [errorIssue('invalid-value', `${name} cannot be ${found}.`, { path })];
  }
}

/** The issue for a value of the wrong kind. */
function mustBe(kinds: readonly string[], path: IssuePath, input: unknown): Issue {
  const wanted = [...new Set(kinds)];
  return errorIssue('wrong-type', `${nameOf(path)} must be ${listOf(wanted)}, not ${describeValue(input)}.`, {
    path,
    hint: conversionHint(wanted, input),
  });
}

function conversionHint(wanted: readonly string[], input: unknown): string | undefined {
  if (wanted.includes('text') && (typeof input === 'number' || typeof input === 'boolean'))
    return `Put it in quotes: \`"${input}"\`.`;
  if (wanted.includes('a list') && ['string', 'number', 'boolean'].includes(typeof input) && input !== '')
    return `Write a list: \`[${String(input)}]\`.`;
  if (typeof input === 'string' && /^\d+$/.test(input) && wanted.some((kind) => kind.endsWith('number')))
    return `Leave out the quotes: \`${input}\`.`;
  return undefined;
}

/** The name of the value at a path in messages: `"limit"`, `Entry 2 of "measures"`. */
function nameOf(path: IssuePath): string {
  const last = path.at(-1);
  if (last === undefined) return 'The value';
  if (typeof last === 'string') return quote(last);
  const list = path.at(-2);
  return `Entry ${last + 1}${typeof list === 'string' ? ` of ${quote(list)}` : ''}`;
}

/** `Did you mean "week"?`, or a list of the allowed words. */
export function nearestHint(
  word: string,
  allowed: readonly string[],
  otherwise = `It can be ${listOf(allowed)}.`,
): string | undefined {
  if (allowed.length === 0) return undefined;
  return didYouMean(word, allowed) ?? otherwise;
}

function atLeast(issue: core.$ZodIssueTooSmall): string {
  if (issue.origin === 'array')
    return `have at least ${issue.minimum} ${plural(Number(issue.minimum), 'entry', 'entries')}`;
  if (issue.origin === 'string') return `have at least ${issue.minimum} ${plural(Number(issue.minimum), 'character')}`;
  return `be ${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}`;
}

function atMost(issue: core.$ZodIssueTooBig): string {
  if (issue.origin === 'array')
    return `have at most ${issue.maximum} ${plural(Number(issue.maximum), 'entry', 'entries')}`;
  if (issue.origin === 'string') return `have at most ${issue.maximum} ${plural(Number(issue.maximum), 'character')}`;
  return `be ${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum}`;
}

function amountOf(input: unknown): string {
  if (Array.isArray(input)) return String(input.length);
  if (typeof input === 'string') return input === '' ? 'be empty' : `${input.length}`;
  return String(input);
}

type BestBranch =
  | { readonly kind: 'issues'; readonly issues: readonly core.$ZodIssue[] }
  | { readonly kind: 'no-branch'; readonly toIssue: (path: IssuePath) => Issue };

/**
 * The branch of a union that a value most likely means. Among the branches of the value's kind, prefers the one that
 * shares the most keys with it, then the one with the fewest issues. If no keys are shared, takes the first branch. If
 * no branch is of that kind, returns one issue that names all kinds.
 */
function bestBranch(
  issue: core.$ZodIssueInvalidUnion,
  known: { readonly input: unknown; readonly branches: readonly (readonly string[] | undefined)[] },
): BestBranch {
  const fitting = issue.errors
    .map((issues, index) => ({ issues, shared: sharedKeys(known.input, known.branches[index]) }))
    .filter(({ issues }) => !issues.some(isWrongKind))
    .toSorted((a, b) => b.shared - a.shared || (a.shared === 0 ? 0 : countOf(a.issues) - countOf(b.issues)));
  const best = fitting[0];
  if (best) return { kind: 'issues', issues: best.issues };
  const kinds = issue.errors.flat().filter(isWrongKind).flatMap(kindsIn);
  return { kind: 'no-branch', toIssue: (path) => mustBe(kinds, path, known.input) };
}

function isWrongKind(issue: core.$ZodIssue): boolean {
  if (issue.path.length > 0) return false;
  if (issue.code === 'invalid_union') return issue.errors.every((branch) => branch.some(isWrongKind));
  return issue.code === 'invalid_type' || issue.code === 'invalid_value';
}

function kindsIn(issue: core.$ZodIssue): readonly string[] {
  if (issue.code === 'invalid_union') return issue.errors.flat().filter(isWrongKind).flatMap(kindsIn);
  if (issue.code === 'invalid_value') return issue.values.map((value) => JSON.stringify(value) ?? String(value));
  return issue.code === 'invalid_type' ? [describeKind(issue.expected)] : [];
}

function sharedKeys(input: unknown, keys: readonly string[] | undefined): number {
  if (!keys || input === null || typeof input !== 'object') return 0;
  return keys.filter((key) => Object.hasOwn(input, key)).length;
}

function countOf(issues: readonly core.$ZodIssue[]): number {
  return issues.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' ? issue.keys.length : 1), 0);
}

/** The kind that a schema expects, in the words of `describeValue`. */
function describeKind(expected: string): string {
  return kinds[expected] ?? `a ${expected}`;
}

const kinds: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'a mapping',
  record: 'a mapping',
  null: 'empty',
  nan: 'a number',
};

/** `a, b, c`; only the first ones of very many. */
function listOfKeys(keys: readonly string[]): string {
  return keys.length > 60 ? `${keys.slice(0, 14).join(', ')} and others` : keys.join(', ');
}

/** `a, b or c`; a long list is cut. */
export function listOf(words: readonly string[]): string {
  if (words.length > 12) return `${words.slice(0, 10).join(', ')} …`;
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

/** The keys in the schema of a mapping, also inside optional, lazy and piped schemas; undefined for other schemas. */
export function keysOf(schema: core.$ZodType | undefined): readonly string[] | undefined {
  let seen = schema as core.$ZodTypes | undefined;
  for (let depth = 0; seen && depth < 20; depth += 1) {
    const def = seen._zod.def;
    switch (def.type) {
      case 'object':
        return Object.keys(def.shape);
      case 'lazy':
        seen = def.getter() as core.$ZodTypes;
        break;
      case 'pipe':
        seen = def.in as core.$ZodTypes;
        break;
      case 'optional':
      case 'nullable':
      case 'default':
      case 'prefault':
      case 'readonly':
        seen = def.innerType as core.$ZodTypes;
        break;
      default:
        return undefined;
    }
  }
  return undefined;
}
