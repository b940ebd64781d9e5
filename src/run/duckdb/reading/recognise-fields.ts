import path from 'node:path';
import { nameOfField } from '../../../plan/mapping/field-name.ts';
import { eventFields, spellingsOf } from '../../../plan/model/event-fields.ts';
import type { CompiledMapping, MappedPart } from '../mapping/compile-mapping.ts';
import { isCanonicalName, readName, spellingOf } from './event-columns.ts';
import type { EventSource } from './event-source.ts';
import type { ExpectedFact, Recognition } from './recognition.ts';
import { sampleKeys } from './sample-keys.ts';

export type { ExpectedFact, Recognition };

export const expectedFacts: readonly ExpectedFact[] = [
  { title: 'time', columns: ['utc_time'], field: 'utcTime' },
  { title: 'event type', columns: ['event_type'], field: 'eventType' },
  { title: 'user', columns: ['user_anonymous_id', 'user_id'], field: 'userAnonymousId' },
  { title: 'page', columns: ['doc_path', 'url'], field: 'docPath' },
];

/** Names of a source's columns; of JSON, those of some of its records. */
export async function namesIn(source: EventSource, file: string, head?: number): Promise<readonly string[]> {
  if (source.kind === 'csv') return source.header;
  if (source.kind === 'parquet') return source.columns.map(({ name }) => name);
  return source.kind === 'json' ? [...(await sampleKeys(source, file, head))] : [];
}

/** What the names in a file are taken for, with the mapping that it has. */
export function recogniseFields(
  names: readonly string[],
  { kind, mapped }: Pick<EventSource, 'kind' | 'mapped'>,
): Recognition {
  const exactly = kind === 'json';
  const fold = (name: string) => (exactly ? name : name.toLowerCase());
  const present = new Map(names.map((name) => [fold(name), name]));
  const recognised: { field: string; column: string; from: string }[] = [];
  const lost: { field: string; column: string; from: string }[] = [];
  const used = new Set(mapped?.consumed.map(fold));
  for (const field of eventFields) {
    const name = nameOfField(field);
    const own = mapped?.fields.find(({ column }) => column === field.column);
    if (own) {
      const there = own.parts.filter((part) => isThere(part, (root) => present.has(fold(root))));
      const from = (there.length > 0 ? there : own.parts).map(describePart).join(', ');
      (there.length > 0 ? recognised : lost).push({ field: name, column: field.column, from });
      continue;
    }
    const found = names.filter(
      (one) =>
        !used.has(fold(one)) && isCanonicalName(one) && (!exactly || readName(one) === one) && fieldOf(one) === field,
    );
    if (found.length > 0) recognised.push({ field: name, column: field.column, from: found.join(', ') });
    for (const one of found) used.add(fold(one));
  }
  const columns = new Set(recognised.map(({ column }) => column));
  return {
    recognised,
    lost,
    isDated: isDated(mapped),
    properties: names.filter((name) => !used.has(fold(name))),
    missing: expectedFacts.filter((fact) => !fact.columns.some((column) => columns.has(column))),
  };
}

const fieldBySpelling = new Map<string, (typeof eventFields)[number]>();

function fieldOf(name: string): (typeof eventFields)[number] | undefined {
  const spelling = spellingOf(name);
  if (spelling === undefined) return undefined;
  if (fieldBySpelling.size === 0)
    for (const field of eventFields)
      for (const one of spellingsOf(field)) fieldBySpelling.set(one.toLowerCase(), field);
  return fieldBySpelling.get(spelling.toLowerCase());
}

function isThere(part: MappedPart, has: (root: string) => boolean): boolean {
  if (part.kind === 'value') return part.text !== null;
  if (part.kind === 'sql') return part.roots.length === 0 || part.roots.some(has);
  return has(part.root);
}

/** For people: `created_at`, `$.context.page`, `lower(page)`, `"pageview"`. */
function describePart(part: MappedPart): string {
  switch (part.kind) {
    case 'column':
      return part.root;
    case 'path':
      return `$.${part.root}${part.pointer.replaceAll('/', '.')}`;
    case 'sql':
      return part.sql.replaceAll(/"?sluice from ([^"]*)"?/g, '$1');
    case 'value':
      return JSON.stringify(part.text);
  }
}

/** The column is called otherwise than the field, in its own or an export's letters. */
export function isRenamed({ field, from }: Recognition['recognised'][number]): boolean {
  return from.replace(/^\w+\./, '') !== field;
}

/** The times that a mapping reads have no time of day. */
export function isDated(mapped: CompiledMapping | undefined): boolean {
  const time = mapped?.fields.find(({ type }) => type === 'time');
  return time !== undefined && time.parts.every(({ isDate }) => isDate === true);
}

/** What is said of that. */
export const datedNote = 'The events have dates without times. Session durations and hours are not meaningful.';

/** Sentences on facts that a statement needs and the events lack. */
export function tellLacking(
  lacking: readonly { readonly title: string; readonly field: string; readonly files: readonly string[] }[],
  files: number,
): readonly string[] {
  return lacking.map(({ title, field, files: without }) => {
    const all = without.length === files || files === 0;
    const where = all
      ? 'The events have'
      : `${without.length === 1 ? `${path.basename(without[0]!)} has` : `${without.length} of ${files} files, such as ${path.basename(without[0]!)}, have`}`;
    return `${where} no ${title}: figures about it ${all ? 'are empty' : 'are incomplete'}. Map a column to it: --map ${field}=COLUMN, or \`columns:\` in sluice.yaml.`;
  });
}

/** The facts that a statement reads, as far as its text tells, and every field that the mapping should have given. */
export function factsRead(statement: string, mapped: CompiledMapping | undefined): readonly ExpectedFact[] {
  const code = statement.replaceAll(/'(?:[^']|'')*'/g, "''");
  const reads = (column: string) => new RegExp(`\\b${column}\\b`).test(code);
  const expected = expectedFacts.filter(({ title, columns }) =>
    title === 'time' ? false : title === 'user' ? [...columns, 'user_key'].some(reads) : columns.some(reads),
  );
  const known = new Set(expected.flatMap(({ columns }) => columns));
  const more = (mapped?.fields ?? [])
    .filter(({ column, type }) => type !== 'time' && !known.has(column) && reads(column))
    .map(({ column, name }) => ({ title: name, columns: [column], field: name }));
  return [...expected, ...more];
}
