import { listOf, quote } from '../document/describe-value.ts';
import { nearest } from '../nearest.ts';
import { errorIssue, type Issue, type Span } from '../outcome.ts';
import { granularities, type Granularity, isGranularity } from '../time/granularity.ts';
import type { MemberCatalog } from './member-catalog.ts';
import { cubeOf } from './member-name.ts';
import { usualTimeMember } from './time-member.ts';

export type MemberKind = 'measure' | 'dimension' | 'time' | 'segment' | 'unknown';

/** A name that was found, by its full name. */
export interface ResolvedName {
  readonly name: string;
  /** `unknown` where there is no catalog to tell. */
  readonly kind: MemberKind;
  /** `utcTime.day` says how time is cut. */
  readonly granularity?: Granularity | undefined;
}

/** Names as a person wrote them, made full. */
export interface NameScope {
  readonly issues: readonly Issue[];
  /** The cube that short names belong to first. */
  readonly cube: () => string;
  readonly enterCube: (cube: string) => void;
  /** What must be found is told by `wanted`; undefined for anything that can be compared or ordered by. */
  readonly resolve: (written: { readonly text: string; readonly span: Span }, wanted?: 'measure' | 'group' | 'segment') => ResolvedName | undefined;
  /** The time dimension of a bare range or bucket. */
  readonly timeMember: (cube?: string) => string;
}

/**
 * Short names belong to the cube of the first measure, then to any other cube that alone has a member so called.
 * Without a catalog every name is taken to exist.
 */
export function openScope(defaultCube: string, catalog: MemberCatalog | undefined): NameScope {
  const issues: Issue[] = [];
  let cube = defaultCube;

  const find = (full: string): MemberKind | undefined => {
    if (!catalog) return full === usualTimeMember(cubeOf(full)) ? 'time' : 'unknown';
    const found = catalog.find(full);
    return found?.kind === 'dimension' && found.member.type === 'time' ? 'time' : found?.kind;
  };

  const findShort = (short: string, span: Span): ResolvedName | undefined => {
    const own = `${cube}.${short}`;
    const kind = find(own);
    if (kind) return { name: own, kind };
    const elsewhere = (catalog?.names() ?? []).filter((name) => shortOf(name) === short);
    const [only, ...others] = elsewhere;
    if (only === undefined) return undefined;
    if (others.length === 0) return { name: only, kind: find(only) ?? 'unknown' };
    issues.push(errorIssue('ambiguous-member', `${quote(short)} is a member of several cubes.`, { span, hint: `Write ${elsewhere.join(' or ')}.` }));
    return { name: only, kind: find(only) ?? 'unknown' };
  };

  const lookUp = (text: string, span: Span): ResolvedName | undefined => {
    if (!text.includes('.')) return findShort(text, span);
    const kind = find(text);
    if (kind && catalog) return { name: text, kind };
    const parts = text.split('.');
    const granularity = parts.at(-1) ?? '';
    const time = parts.slice(0, -1).join('.');
    if (!isGranularity(granularity)) return kind && parts.length === 2 ? { name: text, kind } : undefined;
    if (!catalog) return { name: parts.length === 2 ? `${cube}.${time}` : time, kind: 'time', granularity };
    const found = time.includes('.') ? { name: time, kind: find(time) } : findShort(time, span);
    return found?.kind === 'time' ? { name: found.name, kind: 'time', granularity } : undefined;
  };

  const resolve: NameScope['resolve'] = ({ text, span }, wanted) => {
    if (!/^[a-zA-Z0-9_]+(?:\.[a-zA-Z0-9_]+){0,2}$/.test(text)) {
      issues.push(errorIssue('not-a-name', `${quote(text)} is no name of a member.`, { span, hint: 'Members are written docPath, or TrackedEvents.docPath.' }));
      return undefined;
    }
    const found = lookUp(text, span);
    if (!found) {
      issues.push(errorIssue('unknown-member', `There is no member ${quote(text)}.`, { span, hint: suggest(text, cube, catalog) }));
      return undefined;
    }
    const problem = wrongKind(found, wanted);
    if (!problem) return found;
    issues.push(errorIssue('wrong-kind', `${quote(text)} ${problem.is}.`, { span, hint: problem.hint }));
    return undefined;
  };

  return {
    issues, resolve,
    cube: () => cube,
    enterCube: (entered) => { cube = entered; },
    timeMember: (of = cube) => catalog?.timeMemberOf(of) ?? usualTimeMember(of),
  };
}

function wrongKind({ kind, granularity }: ResolvedName, wanted: 'measure' | 'group' | 'segment' | undefined) {
  if (kind === 'unknown') return undefined;
  const place = {
    measure: 'Measures are asked for first, or with -m.',
    segment: 'Write segment knownUsers, or --segment knownUsers.',
    dimension: 'Write by docPath, or -d docPath.',
    time: 'Write by day, or -t utcTime:day.',
  }[kind];
  const is = { measure: 'is a measure', segment: 'is a segment', dimension: 'is a dimension', time: 'is a time dimension' }[kind];
  if (wanted === 'measure' && kind !== 'measure') return { is: `${is}, not a measure`, hint: place };
  if (wanted === 'segment' && kind !== 'segment') return { is: `${is}, not a segment`, hint: 'Conditions on members are written where eventType = pageview.' };
  if (wanted === 'group' && (kind === 'measure' || kind === 'segment')) return { is: `${is}, not a dimension`, hint: place };
  if (wanted === undefined && kind === 'segment') return { is: `${is}, which cannot be compared or ordered by`, hint: place };
  return granularity !== undefined && kind !== 'time' ? { is: 'has no granularity', hint: undefined } : undefined;
}

function suggest(text: string, cube: string, catalog: MemberCatalog | undefined): string | undefined {
  if (!catalog) return 'Members are written docPath, or TrackedEvents.docPath.';
  const names = catalog.names();
  const prefix = text.includes('.') ? `${cubeOf(text)}.` : '';
  const own = names.filter((name) => cubeOf(name) === (prefix === '' ? cube : cubeOf(text))).map(shortOf);
  const near = nearest(text.slice(prefix.length), own);
  if (near !== undefined) return `Did you mean ${quote(prefix + near)}?`;
  const bucket = nearestBucket(text, cube, catalog);
  if (bucket !== undefined) return `Did you mean ${quote(bucket)}?`;
  const other = prefix === '' ? findNear(text, names) : nearest(text, names);
  if (other !== undefined) return `Did you mean ${quote(other)}?`;
  const alike = text.length < 3 ? [] : names.filter((name) => shortOf(name).toLowerCase().includes(shortOf(text).toLowerCase()));
  return alike.length > 0 ? `Did you mean ${listOf(alike.slice(0, 5))}?` : '`sluice model` lists the members.';
}

function findNear(short: string, names: readonly string[]): string | undefined {
  const near = nearest(short, names.map(shortOf));
  return names.find((name) => shortOf(name) === near);
}

/** `utcTime.dy` → `utcTime.day`. */
function nearestBucket(text: string, cube: string, catalog: MemberCatalog): string | undefined {
  const dot = text.lastIndexOf('.');
  const time = text.slice(0, Math.max(dot, 0));
  const found = catalog.find(time.includes('.') ? time : `${cube}.${time}`);
  if (found?.kind !== 'dimension' || found.member.type !== 'time') return undefined;
  const near = nearest(text.slice(dot + 1), granularities);
  return near && `${time}.${near}`;
}

function shortOf(name: string): string {
  return name.slice(name.indexOf('.') + 1);
}
