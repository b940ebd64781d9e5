import { listOf } from '../document/read-value.ts';
import type { MemberCatalog } from '../query/member-catalog.ts';
import { cubeOf, defaultCube, readCohortMember, shortNameOf } from '../query/member-name.ts';
import {
  columnProperty,
  isPropertyName,
  meantProperties,
  propsColumn,
  readPropertyMember,
  spellPath,
  spellProperty,
  writePropertyMember,
} from '../query/property-name.ts';
import { nearest, offer } from '../suggest.ts';
import { quote } from '../text.ts';
import { granularities } from '../time/granularity.ts';
import { joined } from './loose-names.ts';
import { singulars } from './terms.ts';

/** The granularities of a time that the model adds to the standard ones. */
export function ownGranularities(time: string, catalog: MemberCatalog): readonly string[] {
  const found = catalog.find(time);
  return found?.kind === 'dimension' ? (found.member.granularities ?? []).map(({ name }) => name) : [];
}

/** Suggests a member; `fits` excludes members that are not allowed in this place. */
export function suggestMember(
  text: string,
  cube: string,
  catalog: MemberCatalog | undefined,
  wanted: 'measure' | 'group' | 'segment' | undefined,
  fits: (name: string) => boolean = () => true,
): string | undefined {
  if (!catalog) return 'Write members as `docPath` or `TrackedEvents.docPath`.';
  const same = catalog.otherName?.(text.includes('.') ? text : `${cube}.${text}`);
  if (same !== undefined) return offer(text.includes('.') || cubeOf(same) !== cube ? same : shortNameOf(same));
  const names = catalog.names().filter(fits);
  const property = text.includes('[]') && !isPropertyName(text) ? columnProperty(text) : text;
  if (property !== undefined && isPropertyName(property))
    return hintOnMapped(property, cube, catalog) ?? suggestProperty(property, cube, names);
  const ofCohort = readCohortMember(text);
  if (ofCohort?.member.includes('.')) {
    const near = nearest(`${ofCohort.cube ?? cube}.${ofCohort.member}`, names);
    if (near !== undefined) return offer(ofCohort.cube === undefined ? shortNameOf(near) : near);
  }
  const prefix = text.includes('.') ? `${cubeOf(text)}.` : '';
  const ofCube = (owner: string) => names.filter((name) => cubeOf(name) === owner).map(shortNameOf);
  const own = ofCube(prefix === '' ? cube : cubeOf(text));
  const column = prefix === '' ? offerColumn(text, own, { wanted, spelled: true }) : undefined;
  if (column !== undefined) return column;
  const time = prefix === '' ? catalog.timeMemberOf(cube) : undefined;
  const near = nearest(text.slice(prefix.length), [
    ...own,
    ...(time === undefined ? [] : [...granularities, ...ownGranularities(time, catalog)]),
  ]);
  if (near !== undefined) return offer(prefix + near);
  const bucket = nearestBucket(text, cube, catalog);
  if (bucket !== undefined) return offer(bucket);
  if (prefix !== '' && own.length > 0) return offerOwn(text, prefix, own, names);
  const other = prefix === '' ? nearestShort(text, names) : nearest(text, names);
  if (other !== undefined) return offer(other);
  const nearColumn = offerColumn(text, ofCube(cube), { wanted });
  if (nearColumn !== undefined) return nearColumn;
  const alike =
    text.length < 3
      ? []
      : names.filter((name) => shortNameOf(name).toLowerCase().includes(shortNameOf(text).toLowerCase()));
  const spelled = alike.slice(0, 5).map((name) => {
    const short = shortNameOf(name);
    return cubeOf(name) === cube && isPropertyName(short) ? spellProperty(short) : name;
  });
  return alike.length > 0 ? `Did you mean ${listOf(spelled)}?` : undefined;
}

/** Suggests members of the named cube before members of the same name elsewhere. */
function offerOwn(text: string, prefix: string, own: readonly string[], names: readonly string[]): string {
  const word = text.slice(prefix.length).toLowerCase();
  const alike = word.length < 3 ? [] : own.filter((name) => name.toLowerCase().includes(word));
  if (alike.length > 0) return `Did you mean ${listOf(alike.slice(0, 5).map((name) => prefix + name))}?`;
  const elsewhere = names.filter((name) => shortNameOf(name).toLowerCase() === word).slice(0, 3);
  const others = elsewhere.length === 0 ? '' : ` Other cubes have ${listOf(elsewhere)}.`;
  const few = own.filter((name) => !isPropertyName(name)).slice(0, 8);
  return (
    `${quote(prefix.slice(0, -1))} has ${listOf(few.length > 0 ? few : own.slice(0, 5))}` +
    `${few.length < own.length ? ' and others' : ''}: \`sluice model ${prefix.slice(0, -1)}\` lists them.${others}`
  );
}

/** The name of the column or field that a property is, with dots between keys; undefined for other members. */
function columnOf(short: string): string | undefined {
  const { compute, path } = readPropertyMember(short) ?? {};
  return compute === undefined ? path && joinedKeys(path) : undefined;
}

/** Keys with dots, without the name of a column `props`, which may be left out. */
function joinedKeys([column, ...keys]: readonly string[]): string {
  return (column === propsColumn && keys.length > 0 ? keys : [column, ...keys]).join('.');
}

/**
 * Offers the column whose name is nearest to a text, or a figure of it if a measure is wanted. `own`: the short names
 * of the cube. `spelled`: only a column whose name differs at most in case, spaces, `_` and dots, or is the only one
 * that has this key of an object, or this first or last word.
 */
export function offerColumn(
  text: string,
  own: readonly string[],
  { wanted, spelled = false }: { readonly wanted?: string | undefined; readonly spelled?: boolean } = {},
): string | undefined {
  const columns = [...new Set(own.flatMap((short) => columnOf(short) ?? []))];
  const near = sameColumn(text, columns) ?? (spelled ? undefined : nearest(text, columns));
  const short = near === undefined ? undefined : own.find((name) => columnOf(name) === near);
  return short === undefined ? undefined : offerProperty(short, wanted, own);
}

function sameColumn(text: string, columns: readonly string[]): string | undefined {
  return singulars(text).reduce<string | undefined>((found, one) => found ?? columnAlike(one, columns), undefined);
}

function columnAlike(text: string, columns: readonly string[]): string | undefined {
  const keyOf = (name: string) => joined(name).replaceAll('.', '');
  const same =
    columns.find((column) => joined(column) === joined(text)) ??
    columns.find((column) => keyOf(column) === keyOf(text));
  if (same !== undefined || text.includes('.')) return same;
  const lastKey = (column: string) => column.slice(column.lastIndexOf('.') + 1);
  const isWord = (column: string) => {
    const words = lastKey(column)
      .replaceAll(/([a-z])(?=[A-Z])/g, '$1_')
      .toLowerCase()
      .split(/[\s_-]+/);
    return words[0] === text.toLowerCase() || words.at(-1) === text.toLowerCase();
  };
  const onlyOne = (found: readonly string[]) => (found.length === 1 ? found[0] : undefined);
  const worded = columns.filter(isWord);
  return (
    onlyOne(columns.filter((column) => joined(lastKey(column)) === joined(text))) ??
    onlyOne(worded.filter((column) => !column.includes('.'))) ??
    onlyOne(worded)
  );
}

/** The path to the property of a cube that `offerColumn` offers for a text if `spelled`. */
export function spelledLike(text: string, own: readonly string[]): string | undefined {
  const column = sameColumn(
    text,
    own.flatMap((short) => columnOf(short) ?? []),
  );
  const short = column === undefined ? undefined : own.find((name) => columnOf(name) === column);
  return short && spellProperty(short);
}

function offerProperty(short: string, wanted?: string, own: readonly string[] = []): string {
  const figure = ['sum', 'distinct'].map((compute) => `${compute}(${short})`).find((name) => own.includes(name));
  const meant = (wanted === 'measure' ? figure : undefined) ?? short;
  const spelled = spellProperty(meant);
  return spelled === meant ? offer(meant) : `Did you mean \`${spelled}\`?`;
}

/** A hint for a mapped column that is named as a property: it is a dimension. */
function hintOnMapped(text: string, cube: string, catalog: MemberCatalog): string | undefined {
  const short = readPropertyMember(text) ? text : shortNameOf(text);
  const { path: [column, ...others] = [] } = readPropertyMember(short)!;
  const filled = column === undefined || others.length > 0 ? undefined : catalog.filledBy?.(column);
  if (filled === undefined || !catalog.find(`${cube}.${filled}`)) return undefined;
  return `The column ${quote(column!)} is mapped to ${filled}: write \`by ${filled}\`.`;
}

/** Suggests the nearest property, or else the first properties of the cube. */
function suggestProperty(text: string, cube: string, names: readonly string[]): string {
  const short = readPropertyMember(text) ? text : shortNameOf(text);
  const { compute, path, times } = readPropertyMember(short)!;
  const owner = short === text ? cube : cubeOf(text);
  if (times) {
    const isKnown = (factor: readonly string[]) =>
      meantProperties({ compute: undefined, path: factor }).some((meant) =>
        names.includes(`${owner}.${writePropertyMember(meant)}`),
      );
    const unknown = [path, times].find((factor) => !isKnown(factor));
    if (unknown) return `No event has ${quote(spellPath(unknown))}. Run \`sluice model props\` to list the properties.`;
  }
  const [one, other] = path.length === 1 ? path[0]!.split('*', 2) : [];
  if (compute !== undefined && one && other)
    return `To multiply properties, write blanks around the sign: \`${compute}(${one} * ${other})\`.`;
  const properties = names
    .filter((name) => cubeOf(name) === owner)
    .map(shortNameOf)
    .filter(isPropertyName);
  const own = properties.filter((name) => readPropertyMember(name)?.compute === compute);
  const keyOf = (name: string) => joinedKeys(readPropertyMember(name)!.path);
  const key = keyOf(short);
  const meant = own.find((name) => joined(keyOf(name)) === joined(key));
  const near = meant === undefined ? nearest(key, own.map(keyOf)) : keyOf(meant);
  if (near !== undefined) return offerProperty(own.find((name) => keyOf(name) === near)!);
  if (properties.length === 0)
    return owner === defaultCube
      ? 'Load events that have properties: `sluice ingest` lists those it keeps.'
      : `Run \`sluice model ${owner}\` to list its members.`;
  const shown = own.length > 0 ? own : properties.filter((name) => !name.includes('('));
  return (
    'No event has it. ' +
    `Run \`sluice model props\` to list the properties, such as ${listOf(shown.slice(0, 5).map(spellProperty))}.`
  );
}

export function nearestShort(short: string, names: readonly string[]): string | undefined {
  const near = nearest(short, names.map(shortNameOf));
  return names.find((name) => shortNameOf(name) === near);
}

/** Corrects a misspelled bucket: `utcTime.dy` → `utcTime.day`. */
function nearestBucket(text: string, cube: string, catalog: MemberCatalog): string | undefined {
  const dot = text.lastIndexOf('.');
  const time = text.slice(0, Math.max(dot, 0));
  const found = catalog.find(time.includes('.') ? time : `${cube}.${time}`);
  if (found?.kind !== 'dimension' || found.member.type !== 'time') return undefined;
  const own = (found.member.granularities ?? []).map(({ name }) => name);
  const near = nearest(text.slice(dot + 1), [...own, ...granularities]);
  return near && `${time}.${near}`;
}
