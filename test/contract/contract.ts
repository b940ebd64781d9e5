import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sluice } from '../../src/use/index.ts';
import { contractEvents, contractNow } from './contract-events.ts';
import { contractQuestions } from './contract-questions.ts';
import type { ExportedEvent } from './exported-events.ts';
import { runs } from '../runs.ts';
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

    it('with each event either in a condition or in its opposite', async () => {
      const count = async (condition: string): Promise<number> =>
        Number(tableOf(await sluice().query(`count ${condition}`, { asOf: contractNow }))[0]?.[0]);
      const all = await count('');
      await fc.assert(
        fc.asyncProperty(conditions, async (condition) => {
          expect((await count(`where ${condition}`)) + (await count(`where not (${condition})`))).toBe(all);
        }),
        { numRuns: runs(160) },
      );
    });
  });
}

const tests = [
  ...[
    '= Safari',
    '!= Safari',
    'in (Safari, null)',
    'not in (Safari, Chrome)',
    '~ o',
    '!~ o',
    '^= f',
    'notStartsWith f',
  ],
  ...['$= i', 'does not end with i', 'is set', 'not set', '= null', '!= null', '> Firefox', '<= Firefox'],
].map((test) => `agentName ${test}`);
const sizes = ['> 0', '>= 0', '< 12.5', '<= 12.5', '= 0', '!= 0', 'between 0 and 12.5', 'not between 0 and 12.5'];
const dates = [
  'before 2024-10-27',
  'after 2024-10-27',
  '>= 2024-10-27',
  '= 2024-10-27',
  '!= 2024-10-27',
  'in last 3 days',
];

const { conditions } = fc.letrec<{ conditions: string }>((tie) => ({
  conditions: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(
      ...tests,
      ...sizes.map((test) => `localTzOffset ${test}`),
      ...dates.map((test) => `utcTime ${test}`),
    ),
    tie('conditions').map((condition) => `not (${condition})`),
    fc
      .tuple(tie('conditions'), fc.constantFrom('and', 'or'), tie('conditions'))
      .map(([one, word, other]) => `(${one} ${word} ${other})`),
  ),
}));

/** One backend for all questions of a suite. */
export function openedOnce(open: OpenContract, events = contractEvents): () => ContractSluice {
  let opened: ContractSluice | undefined;
  beforeAll(async () => {
    opened = await open(events);
  });
  afterAll(() => opened?.[Symbol.asyncDispose]());
  return () => opened!;
}
