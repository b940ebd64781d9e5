import { conditionalsIn, partsOf } from '../../../ask/notation/formula.ts';
import { openPlaces, toSpan } from '../../../ask/document/located.ts';
import { openScope } from '../../../ask/notation/name-scope.ts';
import { parseNotation } from '../../../ask/notation/parse-notation.ts';
import { resolveNotation } from '../../../ask/notation/resolve-notation.ts';
import type { ConditionNode, Syntax, TestNode } from '../../../ask/notation/syntax.ts';
import { readTokens, tokenize } from '../../../ask/notation/tokens.ts';
import type { Span } from '../../../ask/outcome.ts';
import type { CompletionWorld } from './rank-candidates.ts';

/** What the parser expects at the cursor. */
export interface Slot {
  readonly kind:
    | 'measure'
    | 'group'
    | 'segment'
    | 'member'
    | 'operator'
    | 'value'
    | 'order'
    | 'range'
    | 'zone'
    | 'number'
    | 'clause';
  /** Start of the text being typed: a range or a name may have several words. */
  readonly from: number;
  /** For a comparison: the full name of the compared member, if known. */
  readonly member?: string | undefined;
  /** The cube that short names belong to here. */
  readonly cube: string;
  /** Full names of the measures, dimensions and times already in the line. */
  readonly asked: readonly string[];
  /** Number of open brackets. */
  readonly open: number;
  /** True if the innermost bracket holds a list of values. */
  readonly inList?: boolean | undefined;
}

/** A word that no model contains. */
const mark = '\ue000';

/** Endings that complete a condition, so that the parser accepts the text before them. */
const endings = ['', ' = 1', ' and 1'];

/**
 * Asks the parser itself: appends an unknown word to `before` and looks where the parser places it. If it finds no
 * place, a clause can begin.
 */
export function findSlot(before: string, { catalog, home }: CompletionWorld): Slot {
  const at = before.length;
  const open = countOpen(before);
  let slot: Slot | undefined;
  for (const ending of endings) {
    const text = before + mark + ending + ')'.repeat(open);
    const { tokens, issues } = tokenize(text);
    const reader = readTokens(text, tokens, issues);
    const scope = openScope(home, catalog);
    const syntax = parseNotation(reader, scope);
    const { query } = resolveNotation(syntax, text, scope, openPlaces(toSpan(text, 0, text.length)));
    const asked = [
      ...(query.measures ?? []),
      ...(query.dimensions ?? []),
      ...(query.timeDimensions ?? []).map(({ dimension }) => dimension),
    ];
    // Without measures, the first dimension determines the cube.
    const cube = query.measures?.[0]?.split('.')[0] ?? query.dimensions?.[0]?.split('.')[0] ?? scope.cube();
    const known = { cube, asked, open };
    const memberOf = (name: string) => openScope(cube, catalog).resolve({ text: name, span: toSpan(text, 0, 0) })?.name;
    const found = placeOf(syntax, at);
    if (found)
      return {
        ...known,
        kind: found.kind,
        from: Math.min(at, found.from),
        ...(found.test && { member: memberOf(found.test.name.text) }),
      };
    const code = reader.issues.find(({ span }) => span && span.start <= at && span.end > at)?.code;
    const complaint = code === undefined ? undefined : byComplaint[code];
    slot ??=
      complaint === 'operator'
        ? { ...known, kind: 'operator', from: at, member: nameBefore(before, memberOf) }
        : { ...known, kind: complaint ?? 'clause', from: at, inList: code === 'notation-list' };
    if (complaint === 'operator' || complaint === 'number') break;
  }
  return slot ?? { kind: 'clause', from: at, cube: home, asked: [], open };
}

function countOpen(text: string): number {
  const signs = tokenize(text)
    .tokens.filter(({ kind }) => kind === 'sign')
    .map((token) => token.text);
  return Math.min(
    20,
    signs.reduce((depth, sign) => Math.max(0, depth + (sign === '(' ? 1 : sign === ')' ? -1 : 0)), 0),
  );
}

const byComplaint: Readonly<Record<string, Slot['kind']>> = {
  'notation-operator': 'operator',
  'notation-number': 'number',
  'notation-range': 'range',
  'notation-zone': 'zone',
};

interface Found {
  readonly kind: Slot['kind'];
  readonly from: number;
  readonly test?: TestNode | undefined;
}

/** The role of the word at this offset in the parsed line. */
function placeOf(syntax: Syntax, at: number): Found | undefined {
  const holds = ({ span }: { readonly span: Span }) => span.start <= at && span.end > at;
  for (const [kind, nodes] of [
    [
      'measure',
      syntax.measures.flatMap((node) => (node.formula ? partsOf(node.formula).map(({ name }) => name) : node)),
    ],
    ['segment', syntax.segments],
  ] as const) {
    const node = nodes.find(holds);
    if (node) return { kind, from: node.span.start };
  }
  const group = syntax.groups.find((node) => node.kind === 'name' && holds(node.name));
  if (group?.kind === 'name') return { kind: 'group', from: group.name.span.start };
  const order = syntax.order.find(({ by }) => holds(by));
  if (order) return { kind: 'order', from: order.by.span.start };
  if (syntax.zone && holds(syntax.zone)) return { kind: 'zone', from: at };
  const range = [syntax.range, ...syntax.compare].find((node) => node && holds(node));
  if (range) return { kind: 'range', from: range.span.start };
  const ofFigures = syntax.measures.flatMap(({ formula }) =>
    formula ? conditionalsIn(formula).map(({ where }) => where) : [],
  );
  return testsOf([...syntax.conditions, ...ofFigures])
    .map((test): Found | undefined => {
      const value = test.values.find(holds);
      if (value) return { kind: 'value', from: value.span.start, test };
      return holds(test.name) ? { kind: 'member', from: test.name.span.start } : undefined;
    })
    .find((found) => found !== undefined);
}

function testsOf(conditions: readonly ConditionNode[]): readonly TestNode[] {
  return conditions.flatMap((node) => (node.kind === 'test' ? [node] : testsOf(node.parts)));
}

/** The member that ends right before the offset, taking as many of the last words as form one name. */
function nameBefore(before: string, memberOf: (name: string) => string | undefined): string | undefined {
  const quoted = /"([^"]+)"\s*$/.exec(before)?.[1];
  if (quoted !== undefined) return memberOf(quoted);
  const words = before.trim().split(/[\s(),]+/);
  for (let count = Math.min(5, words.length); count > 0; count -= 1) {
    const found = memberOf(words.slice(-count).join(' '));
    if (found !== undefined) return found;
  }
  return undefined;
}
