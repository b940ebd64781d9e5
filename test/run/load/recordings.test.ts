import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readQuery } from '../../../src/ask/query/query-schema.ts';
import { bind } from '../../../src/plan/bind/bind.ts';
import { decodeData } from '../../../src/run/load/decode-data.ts';
import { readEnvelope } from '../../../src/run/load/read-envelope.ts';
import { readServerWords } from '../../../src/run/load/server-words.ts';
import { context, modelOf } from '../../plan/ask.ts';

const golden = new URL('../../../../shared/golden/', import.meta.url).pathname;
const present = existsSync(`${golden}cases`);

type Row = Readonly<Record<string, string | number | boolean | null>>;

interface Recording {
  readonly request: { readonly path: string; readonly body?: { readonly query?: unknown } };
  readonly status: number;
  readonly response: { readonly results?: readonly unknown[]; readonly error?: string };
}

describe.skipIf(!present)('what Cube servers answered (skipped where ../shared/golden is absent)', () => {
  const model = present ? modelOf(readFileSync(`${golden}model.yaml`, 'utf8')) : { cubes: [] };
  for (const file of present ? readdirSync(`${golden}cases`).sort() : []) {
    const { request, status, response } = JSON.parse(readFileSync(`${golden}cases/${file}`, 'utf8')) as Recording;
    const name = file.replace('.json', '');
    if (!request.path.includes('/load')) continue;
    if (status !== 200 && response.error !== undefined) {
      it(`${name}: its words are found`, () =>
        expect(readServerWords(JSON.stringify(response)).text).toContain(
          response.error!.slice(0, 20).split('\n')[0]!.trim(),
        ));
      continue;
    }
    const query = readQuery(request.body?.query);
    const bound = query.ok ? bind(query.value, model, { ...context, limits: 'remote' }) : query;
    const plans = bound.ok ? bound.value : [];
    const results = response.results ?? [response];
    // Long answers are recorded only in part.
    if (status !== 200 || plans.length !== results.length || JSON.stringify(response).includes('$truncated')) continue;
    it(`${name}: every cell is there, numbers as numbers`, () => {
      plans.forEach((plan, index) => {
        const { data } = readEnvelope(results[index]);
        const { batch } = decodeData(data, plan);
        if (!Array.isArray(data)) return;
        expect(batch.rowCount).toBe(data.length);
        plan.columns.forEach(({ key, type }, column) => {
          const wire = (data as readonly Row[]).map((row) => row[key]);
          const values = [...(batch.columns[column] ?? [])];
          if (type === 'number')
            expect(values.map((value) => (value === null ? null : Number(value)))).toEqual(
              wire.map((cell) => (cell === null ? null : Number(cell))),
            );
          else if (type === 'string') expect(values).toEqual(wire.map((cell) => (cell === null ? null : String(cell))));
          else expect(values.map((value) => value === null)).toEqual(wire.map((cell) => cell === null));
        });
      });
    });
  }
});
