import { describe, expect, it } from 'vitest';
import { columnsNamed } from '../../../../src/run/duckdb/reading/columns/columns-named.ts';

describe('columnsNamed', () => {
  it.each([
    ['SELECT doc_path, count(*) FROM events GROUP BY 1', ['doc_path']],
    ['SELECT "t"."doc_path" FROM "events" AS "t" WHERE "t".utc_time > $1', ['utc_time', 'doc_path']],
    ['SELECT t.DOC_PATH FROM events t', ['doc_path']],
    ['SELECT count(*) FROM "events"', []],
    ["SELECT count(DISTINCT user_key) FROM events WHERE event_type = 'x'", ['event_type', 'user_key']],
    ['SELECT count(*) FROM events AS a JOIN events AS b ON a.session_id = b.session_id', ['session_id']],
    ['SELECT "doc_path" AS "TrackedEvents.docPath" FROM "events" AS "TrackedEvents"', ['doc_path']],
  ])('finds the columns of %s', (statement, columns) => {
    expect([...(columnsNamed(statement) ?? ['all'])].sort()).toEqual([...columns].sort());
  });

  it.each([
    'SELECT * FROM events',
    'SELECT e.* FROM events e',
    'FROM events',
    'SELECT count(*) FROM (FROM events)',
    'SELECT count(DISTINCT events) FROM events',
    'SELECT count(DISTINCT e) FROM events AS e',
    'SELECT doc_path, e FROM events e',
    'SELECT to_json("t") FROM "events" AS "t"',
    'SELECT #3 FROM events',
    'SELECT count(*) FROM events NATURAL JOIN users',
    "SELECT min(COLUMNS(c -> c LIKE 'doc%')) FROM events",
    'DESCRIBE events',
    'SUMMARIZE events',
    'TABLE events',
    'PIVOT events ON event_type USING count(doc_path)',
  ])('takes %s to read columns that it does not name', (statement) => {
    expect(columnsNamed(statement)).toBeUndefined();
  });
});
