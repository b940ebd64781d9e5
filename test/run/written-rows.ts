import { type Table, tableFromIPC } from '@uwdata/flechette';
import type { Column } from '../../src/plan/column.ts';
import { nothingRejected } from '../../src/run/backend.ts';
import type { Engine } from '../../src/run/duckdb/engine/engine.ts';
import { type BoundStatement, runStatement } from '../../src/run/duckdb/engine/run-statement.ts';
import { storeStatement } from '../../src/run/duckdb/stored/store-statement.ts';
import { openStoredAnswer } from '../../src/run/duckdb/stored/stored-answer.ts';
import { type Result, toResult } from '../../src/shape/result/result.ts';
import { joinValues } from '../../src/shape/values/join-values.ts';
import type { Values } from '../../src/shape/values/values.ts';
import { rowsOfStored, type RowSource } from '../../src/show/text/row-source.ts';
import { emptyProvenance } from '../show/example-result.ts';

export interface Asked {
  readonly text: string;
  readonly columns: readonly Column[];
  readonly zone?: string;
}

/** The rows of handwritten SQL as a result in memory. */
export async function askWhole(engine: Engine, { text, columns, zone = 'UTC' }: Asked): Promise<Result> {
  const { batches, types } = await runStatement(engine, bind({ text, columns, zone }));
  const all: Values[][] = columns.map(() => []);
  for await (const batch of batches) batch.columns.forEach((values, index) => all[index]!.push(values));
  const data = all.map(joinValues);
  return toResult({
    columns,
    data,
    provenance: { ...emptyProvenance, zone, rows: data[0]?.length ?? 0 },
    types: new Map(columns.flatMap(({ key }, index) => (types[index] ? [[key, types[index]]] : []))),
  });
}

/** The same rows, piece by piece. */
export async function askPieces(
  engine: Engine,
  { text, columns, zone = 'UTC' }: Asked,
): Promise<RowSource | undefined> {
  const stored = await storeStatement(engine, bind({ text, columns, zone }));
  if (!stored) return undefined;
  const answer = await openStoredAnswer(engine, stored, zone, { uncounted: [], rejected: nothingRejected });
  return rowsOfStored(answer, columns, { ...emptyProvenance, zone, rows: answer.rowCount });
}

function bind({ text, columns, zone }: Required<Asked>): BoundStatement {
  return { text, columns, zone, parameters: [], counters: 0 };
}

export async function bytesOf(chunks: AsyncIterable<string | Uint8Array>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const chunk of chunks) all.push(Buffer.from(chunk));
  return Buffer.concat(all);
}

/** Reads Arrow with another library, with exact values. */
export function readArrow(bytes: Uint8Array): Table {
  return tableFromIPC(bytes, { useBigInt: true, useDecimalInt: true });
}
