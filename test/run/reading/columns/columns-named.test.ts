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
    ['SELECT count(*) FILTER (WHERE user_key IS NULL) AS "events without a user" FROM events', ['user_key']],
    ["SELECT doc_path || ' * # of events' FROM events -- don't read * here", ['doc_path']],
    ["SELECT '\\' || event_type || ' table' FROM events /* all events (* */", ['event_type']],
    [
      'SELECT doc_path * 2, (event_type) * (user_id), 2 * event FROM events',
      ['doc_path', 'event', 'event_type', 'user_id'],
    ],
    ['WITH v AS (SELECT utc_time FROM events) SELECT *, 1 FROM v', ['utc_time']],
    ['SELECT v.*, count(*) FROM (SELECT doc_path FROM events AS e) AS v GROUP BY ALL', ['doc_path']],
    ['SELECT * FROM (VALUES (1)) AS computed(step)', []],
    ['SELECT s.events FROM (SELECT count(*) AS events, user_id FROM events) AS s', ['user_id']],
    [
      'SELECT doc_path FROM events UNION ALL (SELECT * FROM (SELECT event_type FROM events))',
      ['doc_path', 'event_type'],
    ],
  ])('finds the columns of %s', (statement, columns) => {
    expect([...(columnsNamed(statement) ?? ['all'])].sort()).toEqual([...columns].sort());
  });

  it.each([
    'SELECT * FROM events',
    'SELECT e.* FROM events e',
    'SELECT é.* FROM events é',
    'SELECT count(DISTINCT é) FROM events é',
    'SELECT t.*, doc_path FROM users AS t JOIN (SELECT * FROM events) AS e USING (user_id)',
    'SELECT (SELECT e.* FROM (SELECT 1)) FROM events AS e',
    'SELECT DISTINCT ON (doc_path) * FROM events',
    "SELECT DISTINCT ON (doc_path) * LIKE 'doc%' FROM events",
    'SELECT * EXCLUDE (doc_path) FROM events',
    'SELECT hash(*) FROM events',
    'SELECT concat(doc_path, *) FROM events',
    'SELECT a FROM events AS e(a, b)',
    'SELECT a FROM events e(a, b)',
    "SELECT E'it\\'s', * FROM events",
    'SELECT doc_path FROM main.events',
    'SELECT doc_path, * FROM users, events',
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
