import fc from 'fast-check';
import { expect, it } from 'vitest';
import { answerLoad } from '../../../src/use/answer/load.ts';
import { readLoad } from '../../../src/use/answer/read-load.ts';
import type { Query } from '../../../src/use/index.ts';
import { streamLoad } from '../../../src/use/server/stream-load.ts';
import type { Session } from '../../../src/use/workspace/session.ts';
import { asking, world } from '../../contract/arbitrary-world.ts';
import { openWorlds, whileAsking } from '../../contract/in-world.ts';

const inWorld = openWorlds();

const formats = fc.constantFrom(undefined, undefined, 'default', 'compact', 'columnar');

/** Answers that the engine writes, in memory and on disk, and one that it does not. */
const always: readonly (readonly [{ readonly query: Query }, string | undefined, boolean, boolean])[] = [
  [
    { query: { measures: ['TrackedEvents.count'], dimensions: ['TrackedEvents.docPath', 'TrackedEvents.pageTitle'] } },
    'compact',
    true,
    true,
  ],
  [
    {
      query: {
        measures: ['TrackedEvents.count'],
        dimensions: ['TrackedEvents.docPath', 'TrackedEvents.pageTitle'],
        limit: 50_000,
      },
    },
    undefined,
    false,
    false,
  ],
  [
    {
      query: {
        measures: ['TrackedEvents.count'],
        timeDimensions: [{ dimension: 'TrackedEvents.utcTime', granularity: 'hour' }],
        timezone: 'Asia/Kolkata',
      },
    },
    undefined,
    true,
    true,
  ],
];

it('writes the same as `answerLoad`: by the engine if possible, else value by value', async () => {
  let byEngine = 0;
  let valueByValue = 0;
  await fc.assert(
    fc.asyncProperty(
      world,
      fc.array(fc.tuple(asking, formats, fc.boolean(), fc.boolean()), { minLength: 12, maxLength: 12 }),
      async (setting, questions) => {
        await inWorld(setting, async (sluice) => {
          const session: Session = {
            ...sluice.session,
            async runJson(...asked) {
              const answer = await sluice.session.runJson(...asked);
              if (answer) byEngine += 1;
              else valueByValue += 1;
              return answer;
            },
          };
          for (const [
            {
              query: { limit, ...unlimited },
            },
            responseFormat,
            fillDays,
            isWhole,
          ] of [...always, ...questions]) {
            const query: Query = isWhole || limit === undefined ? unlimited : { ...unlimited, limit };
            const body = { query: { ...query, ...(responseFormat && { responseFormat }) }, queryType: 'multi' };
            const read = readLoad(body, session);
            if (!read.ok) throw new Error(JSON.stringify(read.issues));
            let text = '';
            for await (const piece of await streamLoad(read.value, session, { fillDays }))
              text += typeof piece === 'string' ? piece : new TextDecoder().decode(piece);
            const written = JSON.parse(text) as unknown;
            // Cube does not fill, so compare with a body whose filter does not request it.
            if (!fillDays && JSON.stringify(query).includes('inDateRange')) continue;
            const { body: wanted } = await answerLoad(body, session);
            whileAsking(body, setting, () =>
              expect(withoutClock(written)).toEqual(withoutClock(JSON.parse(JSON.stringify(wanted)))),
            );
          }
        });
      },
    ),
    { numRuns: 3, endOnFailure: true },
  );
  expect(byEngine).toBeGreaterThan(0);
  expect(valueByValue).toBeGreaterThan(0);
});

function withoutClock(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body, (key, value: unknown) => (key === 'lastRefreshTime' ? undefined : value)));
}
