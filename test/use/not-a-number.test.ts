import { afterAll, describe, expect, it } from 'vitest';
import { openEngine } from '../../src/run/duckdb/engine/engine.ts';
import { open } from '../../src/use/index.ts';
import { now, openFolder } from './run-in-folder.ts';

const folder = openFolder();
const engine = await openEngine({ threads: 1 });
afterAll(async () => {
  await engine[Symbol.asyncDispose]();
  folder.remove();
});

const texts = ['0.0', '0.5', '2', 'NaN', 'nan', 'Infinity', '-Infinity', undefined] as const;
const minute = (index: number) => `2024-03-01T00:0${index}:00`;
/** Texts such as `0.0` and `0` are not the same value. */
const asText = (text: string) => text.replace('0.0', '0');
const ndjson = (write: (text: string) => string) =>
  texts.map((text, index) => `{"utcTime":"${minute(index)}"${text ? `,"amount":${write(text)}` : ''}}\n`).join('');

/** The ways in which floats that are no numbers lie in events. */
const sources: Readonly<Record<string, () => Promise<{ readonly events: string } | { readonly store: string }>>> = {
  // As Python writes them.
  NDJSON: async () => ({
    events: folder.write(
      'a.ndjson',
      ndjson((text) => text.replace('nan', 'NaN')),
    ),
  }),
  'texts of NDJSON': async () => ({
    events: folder.write(
      'b.ndjson',
      ndjson((text) => `"${asText(text)}"`),
    ),
  }),
  CSV: async () => {
    const lines = texts.map((text, index) => `${minute(index)},${asText(text ?? '')}\n`);
    return { events: folder.write('a.csv', `utcTime,amount\n${lines.join('')}`) };
  },
  Parquet: async () => {
    const rows = texts.map((text, index) => `('${minute(index)}'::TIMESTAMP, ${text ? `'${text}'::DOUBLE` : 'NULL'})`);
    const path = `${folder.root}/a.parquet`;
    await engine.rows(`COPY (SELECT * FROM (VALUES ${rows.join(', ')}) v("utcTime", amount)) TO '${path}'`);
    return { events: path };
  },
  'a store': async () => {
    const file = folder.write(
      'c.ndjson',
      ndjson((text) => `"${asText(text)}"`),
    );
    const store = `${folder.root}/store`;
    const taken = await folder.sluice(['ingest', file, '--store', store]);
    expect(taken, taken.stderr).toMatchObject({ code: 0 });
    return { store };
  },
};

describe.each(Object.entries(sources))('a property that is NaN in some events of %s', (_, write) => {
  it('is a number, and has no value in these events', async () => {
    const source = await write();
    await using sluice = await open({ workspace: folder.root, env: {}, now: () => now, ...source });
    const counts = { '= 0': 1, '!= 0': 7, '> 0': 3, '>= 0.5': 3, '< 0': 1, 'is set': 5, 'is not set': 3 };
    for (const [condition, count] of Object.entries(counts)) {
      const result = await sluice.query(`count where amount ${condition}`);
      expect([condition, ...result.rows()]).toEqual([condition, { 'TrackedEvents.count': count }]);
    }
    const groups = await sluice.query('count by amount order by amount');
    expect(groups.rows().map((row) => Object.values(row))).toEqual([
      [-Infinity, 1],
      [0, 1],
      [0.5, 1],
      [2, 1],
      [Infinity, 1],
      [null, 3],
    ]);
    const figures = await sluice.query('sum(amount), max(amount), median(amount), distinct(amount)');
    expect(Object.values(figures.rows()[0]!)).toEqual([2.5, 2, 0.5, 5]);
    const what = 'events whose props.amount is not a number';
    expect(figures.provenance.uncounted).toEqual([{ what, rows: 4 }]);
  });
});
