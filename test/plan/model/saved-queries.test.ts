import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cohortReader } from '../../../src/ask/cohort/read-cohort.ts';
import { readSavedQuery } from '../../../src/ask/query/read-saved-query.ts';
import { builtInModel } from '../../../src/plan/model/built-in-model.ts';
import { toCatalog } from '../../../src/plan/model/catalog.ts';

const folder = new URL('../../../queries/', import.meta.url);
const all = readdirSync(folder);
/** The folder also contains files that define cubes. */
const has = (key: string) =>
  all.filter((file) => new RegExp(`^${key}:`, 'm').test(readFileSync(new URL(file, folder), 'utf8')));
const files = has('query');
const catalog = toCatalog(builtInModel);

it('holds at least ten questions, in files named in kebab-case', () => {
  expect(files.length).toBeGreaterThanOrEqual(10);
  for (const file of all) expect(file).toMatch(/^[a-z]+(-[a-z]+)*\.yaml$/);
});

describe.each(files)('queries/%s', (file) => {
  const outcome = readSavedQuery(readFileSync(new URL(file, folder), 'utf8'), { file });

  it('reads without issues and says what it is about', () => {
    expect(outcome.issues).toEqual([]);
    expect(outcome.ok && outcome.value.title).toMatch(/^[A-Z].*[a-z]$/);
    expect(outcome.ok && outcome.value.description).toMatch(/\.$/);
  });

  it('names only listed members of the right kind, and a range of time', () => {
    const query = outcome.ok ? outcome.value.query : {};
    for (const name of query.measures ?? []) expect(catalog.names('measure')).toContain(name);
    for (const name of query.dimensions ?? []) expect(catalog.names('dimension')).toContain(name);
    for (const name of query.segments ?? []) expect(catalog.names('segment')).toContain(name);
    for (const filter of query.filters ?? []) expect('member' in filter && catalog.find(filter.member)).toBeTruthy();
    const [time] = query.timeDimensions ?? [];
    expect(catalog.find(time?.dimension ?? '')?.member).toMatchObject({ type: 'time' });
    expect(time?.dateRange ?? time?.compareDateRange).toBeTruthy();
  });

  it('cannot grow without bound: every list of names has a limit', () => {
    const query = outcome.ok ? outcome.value.query : {};
    if ((query.dimensions ?? []).length > 0) expect(query.limit).toBeLessThanOrEqual(50);
  });
});

it('holds cohorts without issues', () => {
  const cohorts = has('cohort');
  expect(cohorts.length).toBeGreaterThan(0);
  const read = cohortReader.read(cohorts.map((file) => ({ file, bytes: readFileSync(new URL(file, folder)) })));
  expect(read.flatMap(({ issues }) => issues)).toEqual([]);
});
