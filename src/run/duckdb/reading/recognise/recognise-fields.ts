import { orderOf } from '../source/time-columns.ts';
import { looksLikeTime } from '../../../../plan/mapping/to-shape.ts';
import { readJson } from '../../../../ask/document/parse-exactly.ts';
import { nameOfField } from '../../../../plan/mapping/field-name.ts';
import type { DecimalMark } from '../../../../plan/mapping/mapping.ts';
import { eventFields, spellingsOf } from '../../../../plan/model/event-fields.ts';
import type { CompiledMapping, MappedPart } from '../../mapping/compile-mapping.ts';
import { isCanonicalName, isSizeKey, readName, spellingOf } from '../../../events/column-names.ts';
import type { EventSource } from '../source/event-source.ts';
import type { SampledRecord } from '../text/head-records.ts';
import type { CellMarks, NumberMarks, Recognition } from '../columns/recognition.ts';
import { sampleRecords } from './sample-keys.ts';
import { columnsOfEntities, isEntityKey } from '../../../events/snowplow-entities.ts';
import { expectedFacts } from '../../../events/expected-facts.ts';

export type { Recognition };

/** The column names of a source. For JSON: the keys of some records, and the values within. */
export interface NamesFound {
  readonly names: readonly string[];
  /** Whether some record has a value at the JSON pointer below the key. */
  readonly holds?: ((key: string, pointer: string) => boolean) | undefined;
}

/** `all`: the records of a JSON file, if available; otherwise some are read, see `sampleRecords`. */
export async function namesIn(
  source: EventSource,
  file: string,
  { head, all }: { readonly head?: number; readonly all?: readonly SampledRecord[] | undefined } = {},
): Promise<NamesFound> {
  if (source.kind === 'csv') return { names: source.header };
  if (source.kind === 'parquet') return { names: source.columns.map(({ name }) => name) };
  if (source.kind !== 'json') return { names: [] };
  const records = all ?? (await sampleRecords(source, file, head));
  return {
    names: [...new Set(records.flatMap(Object.keys))],
    holds: (key, pointer) => {
      const steps = pointer
        .split('/')
        .slice(1)
        .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
      return records.some((record) => isValueAt(record[key], steps));
    },
  };
}

/** Lists are searched, because each item may be an event. */
function isValueAt(given: unknown, steps: readonly string[]): boolean {
  const [step, ...rest] = steps;
  if (given === null || given === undefined || given === '') return false;
  if (step === undefined) return true;
  const value = typeof given === 'string' ? readJson(given) : given;
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value) && !/^\d+$/.test(step)) return value.some((item) => isValueAt(item, steps));
  return isValueAt((value as Readonly<Record<string, unknown>>)[step], rest);
}

/** How the names in a file map to fields, given its mapping. */
export function recogniseFields(
  { names, holds }: NamesFound,
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
    // A field that is always empty, whatever the column names.
    if (own?.parts.every((part) => part.kind === 'value' && part.text === null)) continue;
    if (own) {
      const there = own.parts.filter((part) => isThere(part, (root) => present.has(fold(root)), holds));
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
  const columns = new Set([...recognised.map(({ column }) => column), ...columnsOfEntities(names)]);
  return {
    recognised,
    lost,
    isDated: isDated(mapped),
    isLocal: isLocal(mapped),
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

function isThere(part: MappedPart, has: (root: string) => boolean, holds: NamesFound['holds']): boolean {
  if (part.kind === 'value') return part.text !== null;
  if (part.kind === 'sql') return part.roots.length === 0 || part.roots.some(has);
  return has(part.root) && (part.kind !== 'path' || holds === undefined || holds(part.root, part.pointer));
}

/** For display: `created_at`, `$.context.page`, `lower(page)`, `"pageview"`. */
export function describePart(part: MappedPart): string {
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

/** Whether the column's name differs from the field's, ignoring an export's prefix. */
export function isRenamed({ field, from }: Recognition['recognised'][number]): boolean {
  return from.replace(/^\w+\./, '') !== field;
}

/** A field, with its column if the name differs: `utcTime (created_at)`, `docPath`. */
export function nameRecognised(one: Recognition['recognised'][number]): string {
  return isRenamed(one) ? `${one.field} (${one.from})` : one.field;
}

/** Notes about decimal commas, separated thousands, units and times that are not in ISO 8601. */
export function markSentences(marks: CellMarks = { columns: [], doubtful: [], times: [] }): readonly string[] {
  const { columns, doubtful, times } = marks;
  return [
    ...sentence('Read with decimal commas or points between thousands', columns, ','),
    ...sentence('Read with commas between thousands', columns, '.'),
    ...[...new Set(columns.flatMap(({ unit }) => unit ?? []))].map(
      (unit) =>
        `Read as numbers, without "${unit}": ` +
        `${columns.flatMap((one) => (one.unit === unit ? one.name : [])).join(', ')}.`,
    ),
    ...(times.length > 0 ? [`Read as times: ${times.map(toTimes).join(', ')}.`] : []),
    ...doubtful.map(doubtSentence),
  ];
}

/** The order of day and month is what people should check. */
function toTimes({ name, format }: CellMarks['times'][number]): string {
  const [order] = orderOf(format);
  return order === undefined ? name : `${name} (${order.replace('-', ' ')})`;
}

/** What a column of ambiguous numbers or dates is read as, and how to declare it. */
export function doubtSentence({ column, example }: NumberMarks['doubtful'][number]): string {
  if (looksLikeTime(example))
    return (
      `${column} is kept as text: ${example} can have the day or the month first. ` +
      `Declare it in sluice.yaml: \`sources: [{files: …, timeFormat: {${column}: day-first}}]\`, or month-first.`
    );
  return example.includes(',')
    ? `${column} is kept as text: ${example} can be a decimal or a whole number. Declare \`decimal: ','\` in ` +
        "sluice.yaml if the comma is a decimal one, or `decimal: '.'` if it separates thousands."
    : `${column} is read with decimal points: ${example} can be a decimal or a whole number. ` +
        "Declare `decimal: ','` in sluice.yaml if the point separates thousands, " +
        "or `decimal: '.'` if it is a decimal one.";
}

function sentence(text: string, columns: NumberMarks['columns'], mark: DecimalMark): readonly string[] {
  const names = columns.filter((column) => column.mark === mark && column.unit === undefined).map(({ name }) => name);
  return names.length > 0 ? [`${text}: ${names.join(', ')}.`] : [];
}

/** Whether the mapped times have no time of day. */
export function isDated(mapped: CompiledMapping | undefined): boolean {
  const time = mapped?.fields.find(({ type }) => type === 'time');
  return time !== undefined && time.parts.every(({ isDate }) => isDate === true);
}

/** Whether mapped times name no zone and none is declared. */
export function isLocal(mapped: CompiledMapping | undefined): boolean {
  const time = mapped?.fields.find(({ type }) => type === 'time');
  return time?.parts.some((part) => part.isLocal === true) ?? false;
}

/** Whether some columns fill other fields too. */
export function tellMore(names: readonly string[]): boolean {
  return names.some((name) => isEntityKey(name.toLowerCase()) || isSizeKey(name));
}
