import { columnProperty, functions, later, propertyMemberSource, readPropertyMember } from './property-name.ts';
import { perUserSource, readPerUserName } from './per-user-name.ts';
import { readTimeSpan, timeSpanSource } from './time-span.ts';
import { readTouchName, touchSource } from './touch-name.ts';

/** The prefix of a cohort in the name of a dimension: `TrackedEvents.cohorts.power_users`. */
export const cohortMembers = 'cohorts';

const computedSource = String.raw`${functions}\([a-zA-Z0-9_]+\)`;
const ofEachRow = `(?:${touchSource}|${perUserSource})?`;
const computedPattern = later(String.raw`^(?:(\w+)\.)?(${functions})\((\w+)\)$`);

/** The parts of the name of a figure of a dimension's values. */
interface ComputedName {
  /** undefined for a short name. */
  readonly cube: string | undefined;
  /** `distinct`, `median`, `p90`. */
  readonly compute: string;
  readonly dimension: string;
}

/**
 * Splits the name of a figure of a dimension's values: `distinct(docPath)`, `Sessions.median(pageViews)`. undefined for
 * other names, also for those of properties.
 */
export function readComputedName(name: string): ComputedName | undefined {
  // A cheap test first: most names have no brackets.
  const [, cube, compute, dimension] = (name.endsWith(')') && computedPattern().exec(name)) || [];
  return compute === undefined || dimension === undefined ? undefined : { cube, compute, dimension };
}

/** The name of a figure of a dimension's values: `Cube.distinct(docPath)` for `Cube.docPath`. */
export function writeComputedName(compute: string, dimension: string): string {
  return `${cubeOf(dimension)}.${compute}(${shortNameOf(dimension)})`;
}

/** `distinct(plan)` as the name of the figure of a property, `distinct(props.plan)`; other names as they are. */
export function asProperty(name: string): string {
  const read = readComputedName(name);
  const owner = read?.cube === undefined ? '' : `${read.cube}.`;
  return read ? `${owner}${read.compute}(${columnProperty(read.dimension)})` : name;
}

/**
 * Full names: `Cube.member` by the rule of the load contract, event properties (`Cube.props.plan`,
 * `Cube.sum(props.amount)`), figures of values (`Cube.distinct(docPath)`), cohorts (`Cube.cohorts.power_users`),
 * attributed dimensions (`Cube.firstTouch.utmSource`) and figures of each user (`Cube.perUser.count`).
 */
export const memberPattern = later(
  `^[a-zA-Z0-9_]+\\.(?:${ofEachRow}(?:[a-zA-Z0-9_]+|${propertyMemberSource})|(?:${perUserSource})?${computedSource}|${timeSpanSource}|${cohortMembers}\\.[a-zA-Z0-9_]+)$`,
);

/** Full names of groups: `Cube.member`, `Cube.time.day`, a property, or an attributed one of these. */
export const groupPattern = later(
  `^[a-zA-Z0-9_]+\\.(?:[a-zA-Z0-9_]+(?:\\.[a-zA-Z0-9_]+)?|${ofEachRow}${propertyMemberSource}|${perUserSource}${computedSource})$`,
);

/** Names in an order, and names as people write them: `member`, `Cube.member`, `Cube.time.day`, `props.plan`. */
export const writtenNamePattern = later(
  '^(?:[a-zA-Z0-9_]+(?:\\.[a-zA-Z0-9_]+){0,2}|(?:[a-zA-Z0-9_]+\\.)?cohorts?\\.[a-zA-Z0-9_-]+|' +
    `(?:[a-zA-Z0-9_]+\\.)?(?:${ofEachRow}${propertyMemberSource}|(?:${perUserSource})?${computedSource}|${timeSpanSource}))$`,
);

/** Whether a text fits `writtenNamePattern`. Most names are plain, and compiling that pattern takes milliseconds. */
export function isWrittenName(text: string): boolean {
  return /^[a-zA-Z0-9_]+(?:\.[a-zA-Z0-9_]+){0,2}$/.test(text) || writtenNamePattern().test(text);
}

/** Whether a name has no cube: `count`, `props.plan`, `cohorts.power_users`. */
export function isShortName(name: string): boolean {
  return (
    /^[a-zA-Z0-9_]+$/.test(name) ||
    readPropertyMember(name) !== undefined ||
    /^cohorts?\.[\w-]+$/.test(name) ||
    isShortComputed(name) ||
    isShortSpan(name)
  );
}

function isShortSpan(name: string): boolean {
  const read = readTimeSpan(name);
  return read !== undefined && read.cube === undefined;
}

function isShortComputed(name: string): boolean {
  const read = readComputedName(name);
  return read !== undefined && read.cube === undefined;
}

const columnPattern = later(String.raw`^((?:[a-zA-Z0-9_]+\.)?)(?:props\.(.+)|(${functions})\((?:props\.)?(.+)\))$`);

/**
 * A column of events by its own name, with signs or spaces that are not those of a name, or in quotes as in a line:
 * `Plan (x)`, `props.Plan (x)`, `"Plan type"`, `sum(Order value)`, `sum(price * "Order size")`. `property` is the name
 * of the property that it may be, and `bare` the column's own name if nothing stands beside it. undefined for other
 * names.
 */
export function readColumn(
  name: string,
): { readonly property: string; readonly compute: string | undefined; readonly bare: string | undefined } | undefined {
  if (isWrittenName(name)) return undefined;
  const [, cube = '', key, compute, operand] = columnPattern().exec(name) ?? [];
  const bare = key === undefined && operand === undefined ? withoutQuotes(name) : undefined;
  const columns = operand === undefined ? [bare ?? key!] : splitProduct(operand);
  const properties = columns.map((column) => columnProperty(withoutQuotes(column)));
  if (properties.includes(undefined)) return undefined;
  const property = properties.join('*');
  return { property: cube + (compute ? `${compute}(${property})` : property), compute, bare };
}

/** The two factors of `price * quantity`, or the whole text. */
function splitProduct(text: string): readonly string[] {
  const factors = text.trim().split(/(?<!\s)\s+\*\s+/);
  return factors.length === 2 ? factors.map((factor) => factor.replace(/^props\./, '')) : [text];
}

function withoutQuotes(text: string): string {
  return /^"([^"]+)"$/.exec(text)?.[1] ?? text;
}

/** The name after the first dot. */
export function shortNameOf(member: string): string {
  return member.slice(member.indexOf('.') + 1);
}

/**
 * Parses a dimension of cohorts as people write it: `cohort`, `cohorts.power-users`, `Sessions.cohort.power_users`.
 * `member` is its short name. undefined for other names.
 */
export function readCohortMember(
  written: string,
): { readonly cube: string | undefined; readonly member: string } | undefined {
  const [whole, cube, name] = /^(?:([a-zA-Z0-9_]+)\.)?cohorts?(?:\.([\w-]+))?$/.exec(written) ?? [];
  if (whole === undefined) return undefined;
  return {
    cube,
    member: name === undefined ? cohortMembers : `${cohortMembers}.${name.replaceAll('-', '_').toLowerCase()}`,
  };
}

/** The hint if a query names a cohort and the workspace has none. */
export const noCohortHint =
  'Save a cohort in the folder `queries` first. For the file format, run: sluice schema cohort';

/** Whether a full name is the name of a cohort dimension. */
export function isCohortName(name: string): boolean {
  return name.split('.')[1] === cohortMembers;
}

/** The name before the first dot. */
export function cubeOf(member: string): string {
  return member.split('.', 1)[0] ?? '';
}

/** Splits `Cube.time.day`, even if no such granularity exists; undefined for other names. */
export function splitGranularity(name: string): { readonly member: string; readonly granularity: string } | undefined {
  const [cube, member, granularity, ...more] = name.split('.');
  if (cube === undefined || member === undefined || granularity === undefined || more.length > 0) return undefined;
  // A property, a cohort, an attributed dimension or a measure of users may have the name `day`.
  if (member === 'props' || member === cohortMembers || readTouchName(name) || readPerUserName(name)) return undefined;
  return { member: `${cube}.${member}`, granularity };
}

/** The cube in which short names are looked up: `pageViewsCount` means `TrackedEvents.pageViewsCount`. */
export const defaultCube = 'TrackedEvents';

/**
 * The default time dimension of a cube, by the platform's rule: each built-in cube has one, and every other cube (a
 * funnel) has `date`.
 */
export function usualTimeMember(cube: string): string {
  return `${cube}.${usual.get(cube) ?? 'date'}`;
}

const usual: ReadonlyMap<string, string> = new Map([
  ['TrackedEvents', 'utcTime'],
  ['Sessions', 'startAt'],
  ['ReturningUsers', 'first_timestamp'],
]);

/** True for a member of a cube whose usual time is known without its model. */
export function hasUsualTime(name: string): boolean {
  return usual.has(cubeOf(name)) && cubeOf(name) !== name;
}

/** The short name for a cube's usual time in a query that names no time. */
export const usualTime = 'time';
