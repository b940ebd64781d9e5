import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { LoadResult } from '../../src/shape/envelope/envelope.ts';
import { asking, world } from './arbitrary-world.ts';
import { openWorlds, whileAsking } from './in-world.ts';
import type { Cell } from './oracle-rows.ts';
import { runs } from '../runs.ts';

const inWorld = openWorlds();

type WireRow = Readonly<Record<string, string | boolean | null>>;

it('gives the rows of the same query, numbers as text and times without offset, and only adds days of zeros at their end', async () => {
  await fc.assert(
    fc.asyncProperty(world, fc.array(asking, { minLength: 15, maxLength: 15 }), async (setting, questions) => {
      await inWorld(setting, async (sluice) => {
        for (const { query } of questions) {
          const { status, body } = await sluice.load({ query, queryType: 'regularQuery' });
          const result = await sluice.query(query, { fill: 'none' });
          whileAsking(query, setting, () => {
            expect(status, JSON.stringify(body)).toBe(200);
            const { data, total } = body as LoadResult & { readonly data: readonly WireRow[] };
            const rows = result.rows() as readonly Readonly<Record<string, Cell>>[];
            const wanted = rows.map((row) =>
              Object.fromEntries(result.columns.map(({ key, kind }) => [key, toWire(row[key]!, kind === 'time')])),
            );
            expect(data.slice(0, rows.length)).toMatchObject(wanted);
            const time = result.columns.find(({ kind }) => kind === 'time');
            const bare = time && result.columns.every(({ key }) => key !== time.member) ? time : undefined;
            if (bare) expect(data.map((row) => row[bare.member])).toEqual(data.map((row) => row[bare.key]));
            expect(data.map((row) => Object.keys(row).length).slice(0, rows.length)).toEqual(
              rows.map(() => result.columns.length + (bare ? 1 : 0)),
            );
            for (const added of data.slice(rows.length)) {
              expect(time?.granularity).toBe('day');
              for (const [key, value] of Object.entries(added))
                expect(value).toBe(key.startsWith(time!.member) ? added[time!.key] : '0');
            }
            expect(total).toBe(result.provenance.total ?? null);
          });
        }
      });
    }),
    { numRuns: runs(4), endOnFailure: true },
  );
});

function toWire(cell: Cell, isBucket: boolean): string | boolean | null {
  if (typeof cell === 'number') return String(cell);
  return isBucket && typeof cell === 'string' ? cell.slice(0, 23) : cell;
}
