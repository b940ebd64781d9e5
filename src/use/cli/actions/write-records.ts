import path from 'node:path';
import { isRecord } from '../../../ask/document/json-record.ts';
import type { Column, Value } from '../../../plan/column.ts';
import { writeFileWhole } from '../../../run/file/write-file.ts';
import { noProvenance } from '../../../shape/result/provenance.ts';
import { type Result, toResult } from '../../../shape/result/result.ts';
import { toChunks } from '../../output/write-answer-file.ts';
import type { Effects } from '../../process/effects.ts';
import type { GlobalFlags } from '../../process/global-flags.ts';
import { writeChunks, fileTableOptions, tableOptions } from './write-answer.ts';
import type { RecordFormat } from '../command/flag-values.ts';

export type Rec = Readonly<Record<string, unknown>>;

/** Records, streamed or in memory, or a single value. */
export type Records = { readonly records: Iterable<Rec> | AsyncIterable<Rec> } | { readonly one: unknown };

interface WriteFlags extends GlobalFlags {
  readonly all?: boolean;
  readonly output?: string;
}

/** Writes a server's answer. Tables omit structured fields; the other formats have all. */
export async function writeRecords(
  answer: Records,
  format: RecordFormat,
  flags: WriteFlags,
  effects: Effects,
): Promise<void> {
  const { output } = flags;
  const chunks = toText(answer, format, flags, effects);
  if (output === undefined) await writeChunks(effects.stdout, chunks, effects.signal);
  else await writeFileWhole(path.resolve(effects.cwd, output), chunks, effects.signal);
}

async function* toText(
  answer: Records,
  format: RecordFormat,
  flags: WriteFlags,
  effects: Effects,
): AsyncGenerator<string | Uint8Array> {
  if (format === 'json') return yield* toJson(answer);
  if (format === 'ndjson') {
    if ('one' in answer) return yield `${writeJson(answer.one)}\n`;
    for await (const each of answer.records) yield `${writeJson(each)}\n`;
    return;
  }
  if ('one' in answer && !isRecord(answer.one)) return yield `${writeJson(answer.one)}\n`;
  const records: Rec[] = [];
  if ('one' in answer) records.push(answer.one as Rec);
  else for await (const each of answer.records) records.push(each);
  const result =
    format === 'csv'
      ? toRecordsResult(records, 'the platform')
      : 'one' in answer
        ? toFieldsResult(answer.one as Rec, 'the platform')
        : toRecordsResult(records.map(withoutStructures), 'the platform');
  const table = flags.output === undefined ? tableOptions(flags, effects) : fileTableOptions(flags);
  yield* toChunks(result, format, { table, signal: effects.signal });
}

async function* toJson(answer: Records): AsyncGenerator<string> {
  if ('one' in answer) return yield `${writeJson(answer.one, 2)}\n`;
  let before = '[';
  for await (const each of answer.records) {
    yield `${before}\n  ${writeJson(each, 2).replaceAll('\n', '\n  ')}`;
    before = ',';
  }
  yield before === '[' ? '[]\n' : '\n]\n';
}

/** JSON with control and invisible characters escaped. */
export function writeJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(/[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from(
      { length: character.length },
      (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}

function withoutStructures(record: Rec): Rec {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => typeof value !== 'object' || value === null));
}

/** Converts records of any shape to rows. Nested values become JSON. */
function toRecordsResult(records: readonly Rec[], source: string): Result {
  const names = [...new Set(records.flatMap((each) => Object.keys(each)))];
  return toResult({
    columns: names.map((name) => toColumn(name, records)),
    data: names.map((name) => records.map((each) => toValue(Object.hasOwn(each, name) ? each[name] : null))),
    provenance: { ...noProvenance, backend: 'platform', source, rows: records.length },
  });
}

/** Converts one record to rows of `field` and `value`. */
function toFieldsResult(record: Rec, source: string): Result {
  const rows = Object.entries(record).map(([field, value]) => ({ field, value: String(toValue(value) ?? '') }));
  return toRecordsResult(rows, source);
}

function toColumn(name: string, records: readonly Rec[]): Column {
  const values = records.map((each) => each[name]).filter((value) => value !== null && value !== undefined);
  const isNumber = values.length > 0 && values.every((value) => typeof value === 'number');
  return {
    key: name,
    member: name,
    kind: 'dimension',
    type: isNumber ? 'number' : 'string',
    title: name,
    shortTitle: name,
    label: name,
    additive: false,
    whenAbsent: null,
  };
}

function toValue(value: unknown): Value {
  if (value === null || value === undefined) return null;
  if (typeof value === 'object') return JSON.stringify(value);
  return value as Value;
}
