import { describe, expect, it } from 'vitest';
import { contractEvents, contractNow } from './contract-events.ts';
import { contractQuestions } from './contract-questions.ts';
import { answerSlowly } from './oracle.ts';
import { toStore } from './oracle-rows.ts';
import { expectTable } from './tables.ts';

const store = toStore(contractEvents, { project: undefined, user: 'anonymous' });
const clock = { now: contractNow, zone: 'UTC', weekStart: 1 };

/** The oracle supports one time dimension and no comparisons. */
const known = Object.values(contractQuestions)
  .flatMap((questions) => Object.entries(questions))
  .filter(
    ([
      ,
      {
        query: { timeDimensions = [] },
      },
    ]) => timeDimensions.length < 2 && timeDimensions.every((time) => time.compareDateRange === undefined),
  );

describe('the oracle agrees with what was counted by hand', () => {
  it.each(known)('%s', (_, { query, rows, total }) => {
    const answer = answerSlowly(query, store, { ...clock, fill: 'none' });
    expectTable(
      answer.rows.map(({ cells }) => answer.keys.map((key) => cells[key]!)),
      rows,
    );
    if (total !== undefined) expect(answer.total).toBe(total);
  });
});
