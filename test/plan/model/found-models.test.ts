import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Query } from '../../../src/ask/query/query.ts';
import { bind } from '../../../src/plan/bind/bind.ts';
import { readModel } from '../../../src/plan/model/read/read-model.ts';
import { isTemplate, renderTemplate } from '../../../src/plan/model/read/render-templates.ts';
import { ask, modelOf, now } from '../ask.ts';
import { type Cell, openTestEngine, type Row, type TestEngine } from '../engine.ts';
import { combinedModels } from './combined-models.ts';
import { type FoundModel, foundModels } from './found-models.ts';

/** Rows without column names, sorted: names in handwritten SQL do not matter. */
function figures(rows: readonly Row[]): readonly (readonly Cell[])[] {
  return rows
    .map((row) => Object.values(row).map(round))
    .toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

/** Sums of floats agree to 1e-12 (relative). */
function round(cell: Cell): Cell {
  return typeof cell === 'number' ? Number(cell.toPrecision(12)) : cell;
}

const setup = `
CREATE SCHEMA "Shop";
CREATE TABLE users AS SELECT * FROM (VALUES
  (1, 'Ada', 'Vienna', 'pro', 48.2, 16.4, TIMESTAMP '2023-11-02 10:00:00'),
  (2, 'Bob', 'Graz', 'free', 47.1, 15.4, TIMESTAMP '2023-12-31 23:30:00'),
  (3, 'Cyd', 'Vienna', 'free', NULL, 16.4, TIMESTAMP '2024-01-15 08:00:00'),
  (4, 'Dan', NULL, 'pro', 47.8, 13.0, TIMESTAMP '2024-02-29 12:00:00')
) AS users(id, name, city, plan, lat, lon, created_at);
CREATE TABLE products AS SELECT * FROM (VALUES
  (10, 'Pen', 'office', 100), (11, 'Ink', 'office', 100), (12, 'Tea', 'food', 101)
) AS products(id, name, category, supplier_id);
CREATE TABLE suppliers AS SELECT * FROM (VALUES (100, 'North'), (101, 'South')) AS suppliers(id, name);
CREATE TABLE orders AS SELECT * FROM (VALUES
  (1, 1, 'done', 10.5, 'Vienna', 'A', TIMESTAMP '2023-03-01 09:00:00'),
  (2, 1, 'done', 20.0, 'Graz', 'A', TIMESTAMP '2023-03-15 22:30:00'),
  (3, 2, 'open', 5.25, 'Vienna', 'B', TIMESTAMP '2023-04-01 00:00:00'),
  (4, 2, 'done', 7.0, 'Linz', 'B', TIMESTAMP '2024-01-31 23:59:59'),
  (5, 3, 'done', 100.0, 'Vienna', 'A', TIMESTAMP '2024-02-29 06:00:00'),
  (6, 3, 'open', 3.0, 'Graz', 'A', TIMESTAMP '2024-03-01 00:00:00'),
  (7, 3, 'lost', 9.75, 'Graz', 'B', TIMESTAMP '2024-03-10 18:00:00'),
  (8, NULL, 'done', 1.0, NULL, 'A', TIMESTAMP '2024-03-11 01:00:00'),
  (9, 1, 'open', 64.0, 'Vienna', 'A', TIMESTAMP '2024-04-02 13:45:00')
) AS orders(id, user_id, status, amount, city, product_line, created_at);
CREATE TABLE line_items AS SELECT * FROM (VALUES
  (1, 1, 10, 2), (2, 1, 12, 1), (3, 2, 11, 5), (4, 3, 10, 1), (5, 5, 12, 9), (6, 5, 10, 1), (7, 7, 11, 2), (8, 9, 12, 3)
) AS line_items(id, order_id, product_id, quantity);
CREATE TABLE "Shop"."Order Items" AS SELECT * FROM line_items;
CREATE TABLE "warehouse.shop.orders" AS SELECT * FROM orders;
`;

const models = await Promise.all([...foundModels, ...combinedModels].map(rendered));

async function rendered(found: FoundModel): Promise<FoundModel> {
  if (!isTemplate(found.model)) return found;
  const outcome = await renderTemplate({ file: 'model.yaml', text: found.model }, found.values ?? {});
  if (!outcome.ok) throw new Error(outcome.issues.map(({ message }) => message).join('\n'));
  return { ...found, model: outcome.value.text };
}

describe('Cube models as they are found', () => {
  let engine: TestEngine;
  beforeAll(async () => {
    engine = await openTestEngine(setup);
  });
  afterAll(async () => {
    await engine[Symbol.asyncDispose]();
  });

  for (const { what, model, asked, leftOut = {}, values } of models) {
    describe(what, () => {
      it('leaves out what is not supported and nothing else', () => {
        const outcome = readModel([{ file: 'model.yaml', text: model }], values);
        expect(outcome.issues.filter(({ severity }) => severity === 'error')).toEqual([]);
        const found = outcome.ok ? (outcome.value.leftOut ?? []) : [];
        expect(Object.fromEntries(found.map(({ name, reason }) => [name, reason]))).toEqual(leftOut);
      });

      it.each(Object.entries(leftOut))('explains %s when it is asked', (name, reason) => {
        if (name.endsWith('*')) return;
        const { issues } = bind({ dimensions: [name] }, modelOf(model, values), { now, limits: 'local' });
        expect(issues.map(({ code, message }) => [code, message.includes(reason)])).toEqual([['left-out', true]]);
      });

      it.each(asked)('answers $query as SQL written by hand does', async ({ query, sql, refused }) => {
        if (refused !== undefined) {
          const { issues } = bind(query as Query, modelOf(model, values), { now, limits: 'local' });
          expect(issues.filter(({ severity }) => severity === 'error').map(({ code }) => code)).toEqual([refused]);
          return;
        }
        const answered = await ask(engine, query as Query, modelOf(model, values), { limits: 'none' });
        expect(figures(answered)).toEqual(figures(await engine.rows(sql ?? '')));
        expect(answered.length).toBeGreaterThan(0);
      });
    });
  }
});
