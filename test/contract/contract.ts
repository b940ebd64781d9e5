import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sluice } from '../../src/use/index.ts';
import { contractEvents, contractNow } from './contract-events.ts';
import { contractQuestions } from './contract-questions.ts';
import type { ExportedEvent } from './exported-events.ts';
import { expectTable, tableOf } from './tables.ts';

/** The functions of a backend that the contract calls. */
export type ContractSluice = Pick<Sluice, 'query'> & AsyncDisposable;

/** Opens a backend with exactly these events. */
export type OpenContract = (events: readonly ExportedEvent[]) => Promise<ContractSluice>;

/** Questions that every backend answers alike: exact rows with the right types. */
export function describeContract(name: string, open: OpenContract): void {
  describe(`${name} answers as every backend does`, () => {
    const sluice = openedOnce(open);
    describe.each(Object.entries(contractQuestions))('%s', (_, questions) => {
      it.each(Object.entries(questions))('%s', async (_, { query, rows, total }) => {
        const result = await sluice().query(query, { fill: 'none', asOf: contractNow });
        const keys = result.columns.map((column) => column.key);
        expectTable(tableOf(result), rows);
        expect(result.rows().map((row) => Object.keys(row))).toEqual(rows.map(() => keys));
        expect(result.provenance).toMatchObject({ rows: rows.length, filled: false, filledCells: 0 });
        if (total !== undefined) expect(result.provenance.total).toBe(total);
      });
    });
  });
}

/** One backend for all questions of a suite. */
export function openedOnce(open: OpenContract, events = contractEvents): () => ContractSluice {
  let opened: ContractSluice | undefined;
  beforeAll(async () => {
    opened = await open(events);
  });
  afterAll(() => opened?.[Symbol.asyncDispose]());
  return () => opened!;
}
