import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readSavedQuery, writeSavedQuery } from '../../../src/ask/query/read-saved-query.ts';
import { bind } from '../../../src/plan/bind/bind.ts';
import { builtInModel } from '../../../src/plan/model/built-in-model.ts';
import type { Model } from '../../../src/plan/model/model.ts';
import { readModel } from '../../../src/plan/model/read/read-model.ts';
import { readConfigFile } from '../../../src/use/config/read-config-file.ts';
import { AbortedError, BackendError } from '../../../src/use/index.ts';
import { initBackends } from '../../../src/use/config/offered-backends.ts';
import { type Answers, readGroup, toConfig } from '../../../src/use/setup/answers.ts';
import { check } from '../../../src/use/setup/check.ts';
import { findEventFiles } from '../../../src/use/setup/look-around.ts';
import { starterQuestions } from '../../../src/use/setup/starter-questions.ts';
import { writeConfig } from '../../../src/use/setup/set-up.ts';
import { now, openFolder } from '../run-in-folder.ts';

const shop = (): Model => {
  const text = `cubes:
  - name: WebOrders
    sql_table: orders
    measures: [{name: total, sql: amount, type: sum}, {name: count, type: count}]
    dimensions: [{name: id, sql: id, type: number, primary_key: true}, {name: cityName, sql: city, type: string}, {name: paidAt, sql: paid, type: time}]
  - name: Empty
    sql_table: nothing
`;
  const read = readModel([{ file: 'shop.yaml', text }]);
  if (!read.ok) throw new Error(JSON.stringify(read.issues));
  return read.value;
};

describe('starter queries', () => {
  it.each([
    ['the built-in model', builtInModel],
    ["a model of one's own", shop()],
  ])('of %s can run, round-trip, and have unique names', (_, model) => {
    const starters = starterQuestions(model, { now });
    expect(starters.length).toBeGreaterThan(1);
    expect(new Set(starters.map(({ name }) => name)).size).toBe(starters.length);
    for (const { name, saved } of starters) {
      expect(name).toMatch(/^[a-z][a-z-]+$/);
      expect(bind(saved.query, model, { now, zone: 'UTC', weekStart: 'monday', limits: 'local' }).issues, name).toEqual(
        [],
      );
      expect(readSavedQuery(writeSavedQuery(saved))).toMatchObject({ ok: true, value: saved });
    }
  });

  it('count the rows of the cube, over its time and by its first attribute', () => {
    expect(starterQuestions(shop(), { now }).map(({ name, saved }) => [name, saved.query.measures])).toEqual([
      ['web-orders-by-day', ['WebOrders.count']],
      ['web-orders-by-city-name', ['WebOrders.count']],
    ]);
  });

  it('use the last days with events if these are complete', () => {
    const rangesOf = (first: string, last: string) =>
      starterQuestions(builtInModel, { now, first, last }).map(
        ({ saved }) => saved.query.timeDimensions?.[0]?.dateRange,
      );
    expect(new Set(rangesOf('2020-01-01', '2024-03-07').map(String))).toEqual(
      new Set(['last 30 days', 'last 8 weeks', 'last 90 days']),
    );
    expect(rangesOf('2020-01-01', '2021-05-31')[0]).toEqual(['2021-05-02', '2021-05-31']);
    expect(rangesOf('2021-05-20', '2021-05-31')[0]).toEqual(['2021-05-20', '2021-05-31']);
  });
});

describe('a written configuration', () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1 });
  const project = fc.oneof(fc.integer({ min: 1, max: 1e9 }), text);
  const answers: fc.Arbitrary<Answers> = fc.record({
    backend: fc.constantFrom(...initBackends),
    events: fc.option(fc.array(text, { maxLength: 3 }), { nil: undefined }),
    host: fc.option(fc.webUrl(), { nil: undefined }),
    project: fc.option(project, { nil: undefined }),
    token: fc.option(fc.record({ kind: fc.constantFrom('file' as const, 'command' as const), value: text }), {
      nil: undefined,
    }),
    groups: fc.array(fc.record({ name: text, projects: fc.array(project, { minLength: 1, maxLength: 3 }) }), {
      maxLength: 2,
    }),
    timezone: fc.constantFrom(undefined, 'UTC', 'Europe/Berlin'),
  });

  it('round-trips whatever its texts contain, and matches the schema', () => {
    fc.assert(
      fc.property(answers, (given) => {
        const written = writeConfig(toConfig(given));
        expect(parse(written)).toEqual(toConfig(given));
        expect(
          readConfigFile({ file: 'sluice.yaml', folder: '/', text: written }).issues.filter(
            ({ code }) => code !== 'secret-in-file',
          ),
        ).toEqual([]);
      }),
    );
  });
});

describe('event files', () => {
  it('are found in a folder and directly below it, with one pattern for several of a kind', async () => {
    const folder = openFolder({
      'a.ndjson.gz': '',
      'events/1.csv': '',
      'events/2.csv': '',
      'events/x.parquet': '',
      'deep/er/y.csv': '',
      '.hidden/z.csv': '',
      'node_modules/m.csv': '',
      'readme.md': '',
      'package.json': '',
      'st*r/1.csv': '',
      'st*r/2.csv': '',
    });
    expect(await findEventFiles(folder.root)).toEqual(['a.ndjson.gz', 'events/*.csv', 'events/x.parquet']);
    expect(await findEventFiles(path.join(folder.root, 'gone'))).toEqual([]);
    folder.remove();
  });
});

describe('a group of projects', () => {
  it('has its name and its projects, by number or path', () => {
    expect(readGroup(' acme = 42, shop/web ,7 ')).toMatchObject({
      ok: true,
      value: { name: 'acme', projects: [42, 'shop/web', 7] },
    });
    for (const text of ['acme', '=42', 'acme=', 'acme= , '])
      expect(readGroup(text)).toMatchObject({ ok: false, issues: [{ code: 'invalid-group' }] });
  });
});

describe('a check', () => {
  const signal = new AbortController().signal;

  it('reports what it found, and failures with a hint', async () => {
    expect(await check('x', () => Promise.resolve('well'), { signal })).toEqual({
      what: 'x',
      verdict: 'ok',
      text: 'well',
    });
    const error = new BackendError('Not well.', { code: 'engine-refused', hint: 'Rest.' });
    expect(await check('x', () => Promise.reject(error), { signal })).toEqual({
      what: 'x',
      verdict: 'fails',
      text: 'Not well.',
      hint: 'Rest.',
      error,
    });
  });

  it('ends at its timeout, even if the signal is ignored', async () => {
    for (const run of [
      () => new Promise<never>(() => undefined),
      (late: AbortSignal) =>
        new Promise<never>((_, reject) => late.addEventListener('abort', () => reject(new AbortedError()))),
    ]) {
      expect(await check('x', run, { signal, withinMs: 20 })).toMatchObject({
        verdict: 'fails',
        error: { code: 'too-slow' },
      });
    }
  });

  it('hides neither bugs nor an interruption', async () => {
    await expect(check('x', () => Promise.reject(new Error('bug')), { signal })).rejects.toThrow('bug');
    await expect(check('x', () => Promise.reject(new AbortedError()), { signal: AbortSignal.abort() })).rejects.toThrow(
      AbortedError,
    );
  });
});
