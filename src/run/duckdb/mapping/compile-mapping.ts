import { ConfigError } from '../../../ask/sluice-error.ts';
import { quote } from '../../../ask/text.ts';
import { readZone } from '../../../ask/time/zone.ts';
import { fieldCalled, nameOfField } from '../../../plan/mapping/field-name.ts';
import { readJsonPath } from '../../../plan/mapping/json-path.ts';
import type { FieldSource, Mapping, SimpleSource, TimeFormat } from '../../../plan/mapping/mapping.ts';
import { type EventField, eventFields, keptColumns } from '../../../plan/model/event-fields.ts';
import type { Engine } from '../engine/engine.ts';
import { readRowExpression } from './row-expression.ts';

/** A mapping with everything resolved that does not depend on a file. Plain data. */
export interface CompiledMapping {
  /** A column with a list of events. Each item becomes an event. */
  readonly rows?: string | undefined;
  /** The zone that the source declares for times without one. */
  readonly zone?: string | undefined;
  readonly fields: readonly MappedField[];
  /** All columns that are read. */
  readonly roots: readonly string[];
  /** Columns that fields use unchanged. These are not properties. */
  readonly consumed: readonly string[];
}

export interface MappedField {
  /** Column of `events`. */
  readonly column: string;
  /** For display. */
  readonly name: string;
  readonly type: EventField['type'];
  /** The first part with a value counts. */
  readonly parts: readonly MappedPart[];
}

export type MappedPart = {
  readonly values?: Readonly<Record<string, string | null>> | undefined;
  /** Only for times. Undefined if the format is not decided yet. */
  readonly format?: TimeFormat | undefined;
  /** Whether `format` was detected rather than declared. */
  readonly isFound?: boolean | undefined;
  /** Of ISO 8601 that was found: some of its values have its usual form, and none was seen that has not. */
  readonly isUsual?: boolean | undefined;
  /** Whether the times have no time of day. */
  readonly isDate?: boolean | undefined;
  readonly zone?: string | undefined;
  /** Whether `zone` is declared. */
  readonly isZoned?: boolean | undefined;
  /** Whether numbers since 1970 are wall time of the zone. */
  readonly localEpochs?: boolean | undefined;
  /** Whether the head of the file shows times that name no zone, and none is declared. */
  readonly isLocal?: boolean | undefined;
} & (
  | { readonly kind: 'column'; readonly root: string }
  /** `pointer`: a JSON pointer (RFC 6901). */
  | { readonly kind: 'path'; readonly root: string; readonly pointer: string }
  | { readonly kind: 'sql'; readonly roots: readonly string[]; readonly sql: string }
  | { readonly kind: 'value'; readonly text: string | null }
);

/** The name of a file's column in the SQL of a mapping. */
export function rootName(root: string): string {
  return `sluice from ${root}`;
}

/** Compiled mappings of an engine: most files share one mapping. */
const compiled = new WeakMap<Engine, Map<string, Promise<CompiledMapping>>>();

/**
 * Errors: `mapping-field-unknown`, `mapping-path-invalid`, `mapping-zone-unknown`, and those of `readRowExpression`.
 */
export function compileMapping(engine: Engine, mapping: Mapping): Promise<CompiledMapping> {
  const known = compiled.get(engine) ?? new Map<string, Promise<CompiledMapping>>();
  compiled.set(engine, known);
  const key = JSON.stringify(mapping);
  const compiling = known.get(key) ?? compile(engine, mapping);
  known.set(key, compiling);
  return compiling;
}

async function compile(engine: Engine, mapping: Mapping): Promise<CompiledMapping> {
  const fields: MappedField[] = [];
  for (const [name, source] of Object.entries(mapping.columns)) {
    const field = fieldCalled(name);
    if (!field)
      throw new ConfigError(`Events have no field ${quote(name)}.`, {
        code: 'mapping-field-unknown',
        hint: `Other columns are kept as properties. The fields are ${eventFields.map(nameOfField).join(', ')}.`,
      });
    const parts: MappedPart[] = [];
    for (const part of toList(source)) parts.push(await toPart(engine, part, field, mapping));
    fields.push({ column: field.column, name: nameOfField(field), type: field.type, parts });
  }
  const parts = fields.flatMap((field) => field.parts);
  const roots = parts.flatMap((part) =>
    part.kind === 'column' || part.kind === 'path' ? [part.root] : part.kind === 'sql' ? part.roots : [],
  );
  // Keep the other columns of a list: they may hold different values in rows in which the first one counts.
  const consumed = fields
    .filter(({ column }) => !keptColumns.has(column))
    .flatMap(({ parts: [first] }) => (first?.kind === 'column' ? [first.root] : []));
  const { rows, timezone } = mapping;
  return {
    ...(rows === undefined ? {} : { rows }),
    ...(timezone !== undefined && { zone: toZone(timezone) }),
    fields,
    roots: [...new Set(rows === undefined ? roots : [...roots, rows])],
    consumed: [...new Set(consumed)],
  };
}

function toList(source: FieldSource): readonly SimpleSource[] {
  return Array.isArray(source) ? (source as readonly SimpleSource[]) : [source as SimpleSource];
}

async function toPart(
  engine: Engine,
  source: SimpleSource,
  { type }: EventField,
  { timezone, timeFormat }: Mapping,
): Promise<MappedPart> {
  if (typeof source === 'string')
    return toPart(engine, source.startsWith('$.') ? { path: source } : { column: source }, { type } as EventField, {
      columns: {},
      timezone,
      timeFormat,
    });
  if ('value' in source) return { kind: 'value', text: source.value === null ? null : String(source.value) };
  const reading = {
    ...(source.values === undefined ? {} : { values: source.values }),
    ...(type === 'time'
      ? {
          format: source.format ?? formatOf(timeFormat, 'column' in source ? source.column : ''),
          zone: toZone(source.timezone ?? timezone ?? 'UTC'),
          isZoned: (source.timezone ?? timezone) !== undefined,
          ...(source.localEpochs && { localEpochs: true }),
        }
      : {}),
  };
  if ('column' in source) return { kind: 'column', root: source.column, ...reading };
  if ('sql' in source) {
    const { sql, columns } = await readRowExpression(engine, source.sql, rootName);
    return { kind: 'sql', roots: columns, sql, ...reading };
  }
  const path = readJsonPath(source.path);
  if (!path)
    throw new ConfigError(`${quote(source.path)} is not a JSON path.`, {
      code: 'mapping-path-invalid',
      hint: 'Use a path such as $.context.page.path, $.items[0].id or $."a.b".c.',
    });
  if (path.steps.length === 0) return { kind: 'column', root: path.root, ...reading };
  const pointer = path.steps.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  return { kind: 'path', root: path.root, pointer, ...reading };
}

/** The declared format of a column's times. Letter case is ignored. */
export function formatOf(declared: Mapping['timeFormat'], column: string): TimeFormat | undefined {
  if (typeof declared !== 'object') return declared;
  const name = column.toLowerCase();
  return Object.entries(declared).find(([each]) => each.toLowerCase() === name)?.[1];
}

function toZone(name: string): string {
  const zone = readZone(name);
  if (zone.ok) return zone.value;
  throw new ConfigError(zone.issues.map(({ message }) => message).join(' '), {
    code: 'mapping-zone-unknown',
    hint: zone.issues[0]?.hint ?? 'Specify a time zone such as Europe/Berlin.',
  });
}
