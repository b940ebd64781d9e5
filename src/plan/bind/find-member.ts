import { invariant } from '../../ask/invariant.ts';
import { errorIssue, type Issue, type IssuePath, warningIssue } from '../../ask/outcome.ts';
import { offerColumn } from '../../ask/notation/suggest-member.ts';
import {
  cubeOf,
  defaultCube,
  isCohortName,
  noCohortHint,
  readComputedName,
  shortNameOf,
  usualTimeMember,
} from '../../ask/query/member-name.ts';
import {
  columnProperty,
  eachValue,
  isPropertyName,
  meantProperties,
  readPropertyMember,
  writePropertyMember,
} from '../../ask/query/property-name.ts';
import { notPerUser, readPerUserName, readWrittenPerUser } from '../../ask/query/per-user-name.ts';
import { readTimeSpan } from '../../ask/query/time-span.ts';
import { noTouch, readTouchName, readWrittenTouch } from '../../ask/query/touch-name.ts';
import { offer } from '../../ask/suggest.ts';
import { quote } from '../../ask/text.ts';
import type { Catalog, Found } from '../model/catalog.ts';
import type { Cube } from '../model/model.ts';
import type { Binding } from './bind-context.ts';

type Kind = Found['kind'];

/** Says how times without a zone are read, if days of another zone are asked for. */
export function warnOfLocalTimes(name: string, path: IssuePath, { issues, time }: Binding): void {
  const message = `Times of ${quote(name)} without a zone are read as UTC.`;
  if (time.zone !== 'UTC' && issues.every((issue) => issue.message !== message))
    issues.push(warningIssue('local-times', message, { path }));
}

const keyOf: Readonly<Record<Kind, string>> = { measure: 'measures', dimension: 'dimensions', segment: 'segments' };

/**
 * The cube's own member behind a view's member. Records its joins in `binding`. Computation uses the cube's member;
 * people see the view's member.
 */
export function behindView<One extends Found>(found: One, { catalog, paths, time }: Binding): One {
  const { of } = found.member;
  if (!of) return found;
  const origin = catalog.find(`${of.path.at(-1)}.${of.member}`);
  invariant(
    origin?.kind === found.kind,
    `${found.cube.name}.${found.member.name} was resolved when the model was read`,
  );
  paths?.push(of.path);
  return inZone(origin as One, time.zone);
}

/** Applies the query's time zone to parts of times. */
function inZone<One extends Found>(found: One, zone: string): One {
  if (found.kind !== 'dimension' || found.member.expression.kind !== 'time-part') return found;
  return { ...found, member: { ...found.member, expression: { ...found.member.expression, zone } } };
}

/** The member of this name and of one of the wanted kinds. If there is none, returns undefined and adds an issue. */
export function findMember<Wanted extends Kind>(
  name: string,
  wanted: readonly Wanted[],
  path: IssuePath,
  binding: Binding,
): Extract<Found, { kind: Wanted }> | undefined {
  const column = binding.byColumns ? memberOfColumn(name, binding.catalog) : undefined;
  if (column !== undefined && column !== name && binding.catalog.find(column))
    return findMember(column, wanted, path, { ...binding, byColumns: false });
  const found = binding.catalog.find(name);
  if (!found) {
    // Only the events show whether a name is that of a property.
    binding.issues.push({
      ...unknownMember(name, wanted, path, binding),
      ...(column !== undefined && { name: column }),
    });
    return undefined;
  }
  const made = readTouchName(name) ?? readPerUserName(name);
  if (made && binding.noTouches) {
    const { reason, hint } = binding.noTouches;
    binding.issues.push(errorIssue('no-touch', `${quote(name)} cannot be used. ${reason}`, { path, hint }));
    return undefined;
  }
  if (binding.noTouches && found.kind === 'measure' && (readComputedName(name) ?? readTimeSpan(name))) {
    const { reason, hint } = binding.noTouches;
    binding.issues.push(errorIssue('no-computed', `${quote(name)} cannot be used. ${reason}`, { path, hint }));
    return undefined;
  }
  if (binding.noLists && readPropertyMember(shortNameOf(name))?.path.includes(eachValue)) {
    const message = `${quote(name)} cannot be used. A definition reads events, and an event can have several values in a list.`;
    const hint = 'Use another property here. Queries can read the values of lists.';
    binding.issues.push(errorIssue('no-list', message, { path, hint }));
    return undefined;
  }
  if (found.kind !== 'segment' && found.member.sampled) {
    const property = made?.of ?? name;
    binding.issues.push(
      errorIssue('unread-property', `The events have not been searched for ${quote(property)} yet.`, {
        path,
        hint: 'Query it separately first.',
        name: property,
      }),
    );
    return undefined;
  }
  const { rounded, localTimes } = found.kind === 'measure' ? found.member : {};
  if (localTimes !== undefined) warnOfLocalTimes(localTimes, path, binding);
  if (rounded !== undefined && binding.issues.every(({ message }) => message !== rounded))
    binding.issues.push(warningIssue('rounded', rounded, { path }));
  if (found.kind === 'dimension' && found.member.cohort?.name !== undefined)
    binding.cohorts?.add(found.member.cohort.name);
  if (isOneOf(found, wanted)) return inZone(found, binding.time.zone);
  const { kind } = found as Found;
  binding.issues.push(
    errorIssue('wrong-kind', `"${name}" is a ${kind}, not a ${wanted.join(' or ')}.`, {
      path,
      // Definitions have no lists of members.
      hint: (binding.byColumns ? binding.noTouches?.hint : undefined) ?? `Put it in "${keyOf[kind]}" instead.`,
    }),
  );
  return undefined;
}

/**
 * The member for a column of the event files, whose own name is written as a member or a property of its cube. A mapped
 * column means the dimension that it fills, even if its name is another dimension's: `event` has the event type.
 */
export function memberOfColumn(name: string, catalog: Catalog): string | undefined {
  // A name with dots that begins with no cube is that of a column or of a field within another one.
  const isWhole = catalog.cube(cubeOf(name)) === undefined;
  const [cube, short] = isWhole ? [defaultCube, name] : [cubeOf(name), shortNameOf(name)];
  const { compute, path: [column = '', ...nested] = [short] } = readPropertyMember(short) ?? {};
  if (compute !== undefined || nested.length > 0) return undefined;
  const kind = catalog.find(name)?.kind;
  const filled = catalog.filledBy(column);
  const member = filled === undefined ? undefined : `${cube}.${filled}`;
  if (member !== undefined && catalog.find(member)?.kind === (kind ?? 'dimension')) return member;
  const property = kind === undefined ? columnProperty(column) : undefined;
  if (property === undefined) return undefined;
  const names = meantProperties(readPropertyMember(property)!).map((each) => `${cube}.${writePropertyMember(each)}`);
  return names.find((each) => catalog.find(each)) ?? names[0];
}

function isOneOf<Wanted extends Kind>(
  found: Found,
  wanted: readonly Wanted[],
): found is Extract<Found, { kind: Wanted }> {
  return (wanted as readonly Kind[]).includes(found.kind);
}

function unknownMember(
  name: string,
  wanted: readonly Kind[],
  path: IssuePath,
  { catalog, byColumns, noTouches }: Pick<Binding, 'catalog' | 'byColumns' | 'noTouches'>,
): Issue {
  const reason = catalog.whyLeftOut(name);
  if (reason !== undefined)
    return errorIssue('left-out', `${quote(name)} is left out of the model. ${reason}`, { path });
  const words = readPropertyMember(shortNameOf(name))?.path.join('.') ?? '';
  if (noTouches && (readWrittenTouch(words) ?? readWrittenPerUser(words)) !== undefined)
    return errorIssue('unknown-member', `${quote(words)} cannot be used. ${noTouches.reason}`, {
      path,
      hint: noTouches.hint,
      name,
    });
  const touch = readTouchName(name);
  const of = touch && catalog.find(touch.of);
  if (touch && !of) return unknownMember(touch.of, wanted, path, { catalog, byColumns });
  if (of) return { ...noTouch(touch!.of), path };
  const perUser = readPerUserName(name);
  if (perUser)
    return catalog.find(perUser.of)
      ? { ...notPerUser(perUser.of), path }
      : unknownMember(perUser.of, wanted, path, { catalog, byColumns });
  const cube = catalog.cube(cubeOf(name));
  if (cube && name === usualTimeMember(cube.name) && catalog.timeMemberOf(cube.name) === undefined)
    return errorIssue('unknown-member', `${quote(cube.name)} has no time.`, {
      path,
      hint: hintOnTime(cube, catalog),
      name,
    });
  const close = catalog.suggest(name, wanted[0]);
  const cubes = catalog.model.cubes.filter((candidate) => candidate.public).map((candidate) => candidate.name);
  const mayBeColumn = byColumns && (close === undefined || isPropertyName(close));
  const hint =
    (mayBeColumn ? offerColumnOf(name, catalog.names(wanted[0])) : undefined) ??
    (close === undefined ? undefined : offer(close)) ??
    (isCohortName(name)
      ? noCohortHint
      : cube
        ? `Run \`sluice model ${cube.name}\` to list its members.`
        : `The cubes are ${cubes.join(', ')}. Run \`sluice model\` to list their members.`);
  return errorIssue('unknown-member', `There is no ${wanted.join(' or ')} ${quote(name)}.`, { path, hint, name });
}

/** A hint for a cube without a time: the time of a cube that a join connects with it. */
function hintOnTime(cube: Cube, catalog: Catalog): string {
  const joined = catalog.model.cubes.filter(
    ({ name, joins }) => joins.some((join) => join.cube === cube.name) || cube.joins.some((join) => join.cube === name),
  );
  const [time] = joined.flatMap(({ name }) => catalog.timeMemberOf(name) ?? []);
  return time === undefined
    ? 'Declare a dimension of type `time` in the model.'
    : `Name a time of a joined cube, such as \`by ${time} month\` or \`where ${time} in last month\`.`;
}

/** Offers the column of the same cube whose own name is nearest. */
function offerColumnOf(name: string, names: readonly string[]): string | undefined {
  const short = shortNameOf(name);
  const own = names.filter((one) => cubeOf(one) === cubeOf(name)).map(shortNameOf);
  return offerColumn(readPropertyMember(short)?.path.join('.') ?? short, own);
}
