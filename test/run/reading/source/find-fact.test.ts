import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Engine, openEngine } from '../../../../src/run/duckdb/engine/engine.ts';
import { openFactFinder } from '../../../../src/run/duckdb/reading/source/find-fact.ts';
import { factsRead } from '../../../../src/run/events/expected-facts.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine({ threads: 1 });
});
afterAll(() => engine[Symbol.asyncDispose]());

/** The engine, with the number of statements it received. */
function counted() {
  let statements = 0;
  const rows: Engine['rows'] = (text, parameters) => {
    statements += 1;
    return engine.rows(text, parameters);
  };
  return { findFact: openFactFinder({ ...engine, rows }), statements: () => statements };
}

const page = { title: 'page', columns: ['doc_path', 'url'], field: 'docPath' };
const relation = (path: string) => () => `(SELECT ${path} AS doc_path, CAST(NULL AS VARCHAR) AS url)`;

describe('a fact of events', () => {
  it('is looked for once in each version of them', async () => {
    const { findFact, statements } = counted();
    expect(await findFact(page, 'first', relation("''"))).toBe(false);
    expect(await Promise.all([1, 2].map(() => findFact(page, 'first', relation("'/'"))))).toEqual([false, false]);
    expect(statements()).toBe(1);
    expect(await findFact(page, 'second', relation("'/'"))).toBe(true);
    expect(statements()).toBe(2);
  });

  it('is looked for again if that failed', async () => {
    const { findFact } = counted();
    await expect(findFact(page, 'broken', () => 'no_such_table')).rejects.toThrow('no_such_table');
    expect(await findFact(page, 'broken', relation("'/'"))).toBe(true);
  });

  it('is not computed of columns without values', async () => {
    const { findFact, statements } = counted();
    const fact = { ...page, from: ['url'], holds: 'doc_path IS NOT NULL' };
    expect(await findFact(fact, '', relation("'/'"))).toBe(false);
    expect(statements()).toBe(1);
    expect(await findFact({ ...fact, from: ['doc_path'] }, 'other', relation("'/'"))).toBe(true);
    expect(statements()).toBe(3);
  });
});

const parts = ['source', 'medium', 'campaign', 'term', 'content'].map((part) => `utm_${part}`);
const computed = factsRead(
  `${parts.map((part) => `campaign_field(own, query, '${part}')`).join()} traffic_source( device_class_of(`,
).filter(({ holds }) => holds !== undefined);

/** Each column with a value that contains every possible fact. */
const filled: Readonly<Record<string, string>> = {
  ...Object.fromEntries(parts.map((part) => [part, 'x'])),
  doc_search: `?${parts.map((part) => `${part}=x`).join('&')}`,
  referer: 'https://example.org/',
  doc_host: 'example.com',
  device_class: 'mobile',
  agent_name: 'Googlebot',
  useragent: 'Mozilla/5.0 (iPhone)',
};

describe.each(computed.map((fact) => [fact.field, fact] as const))('%s', (_, fact) => {
  const holds = async (valueOf: (column: string) => string | null) => {
    const columns = Object.keys(filled).map((column) => {
      const value = valueOf(column);
      return `${value === null ? 'CAST(NULL AS VARCHAR)' : `'${value}'`} AS ${column}`;
    });
    return (await engine.rows(`SELECT coalesce(${fact.holds!}, false) FROM (SELECT ${columns.join(', ')})`))[0]![0];
  };

  it.each(['', null])('holds of no event whose columns are all %j', async (nothing) => {
    expect(fact.from!.length).toBeGreaterThan(1);
    expect(await holds((column) => (fact.from!.includes(column) ? nothing : filled[column]!))).toBe(false);
  });

  it.each(fact.from!)('may hold of %s alone', async (column) => {
    expect(await holds((one) => (one === column || one === 'doc_host' ? filled[one]! : ''))).toBe(true);
  });
});
