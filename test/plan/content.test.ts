import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readSavedQuery } from '../../src/ask/query/read-saved-query.ts';
import { builtInModel } from '../../src/plan/model/built-in-model.ts';
import { duckDb } from '../../src/plan/sql/duckdb.ts';
import { toStatement } from '../../src/plan/sql/to-statement.ts';
import { plansOf } from './ask.ts';
import { eventsTable, openTestEngine, type TestEngine } from './engine.ts';

const folder = new URL('../../queries/', import.meta.url);
/** The folder also contains files that define cubes. */
const files = readdirSync(folder).filter((file) => /^query:/m.test(readFileSync(new URL(file, folder), 'utf8')));
let engine: TestEngine;
beforeAll(async () => {
  engine = await openTestEngine(eventsTable);
});
afterAll(() => engine[Symbol.asyncDispose]());

it('there are saved questions', () => {
  expect(files.length).toBeGreaterThanOrEqual(8);
});

it.each(files)('%s binds, and DuckDB understands it', async (file) => {
  const saved = readSavedQuery(readFileSync(new URL(file, folder), 'utf8'), { file });
  if (!saved.ok) throw new Error(JSON.stringify(saved.issues));
  for (const timezone of ['UTC', 'Asia/Kolkata', 'America/New_York']) {
    for (const plan of plansOf({ timezone, ...saved.value.query }, builtInModel))
      expect(await engine.explain(toStatement(plan, duckDb))).not.toBe('');
  }
});
