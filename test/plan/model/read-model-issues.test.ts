import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawIssues } from '../../../src/ask/document/draw-issue.ts';
import { readModel } from '../../../src/plan/model/read/read-model.ts';

/** A cube with one part written by the test. */
const cube = (rest: string) => `cubes:\n  - name: Orders\n    sql_table: orders\n${rest}`;
const measure = (rest: string) => cube(`    measures:\n      - ${rest}\n`);
const dimension = (rest: string) => cube(`    dimensions:\n      - ${rest}\n`);

function issuesOf(...texts: readonly string[]) {
  return readModel(texts.map((text, index) => ({ file: `${index}.yaml`, text }))).issues;
}

describe('a model that is wrong', () => {
  it.each<[what: string, text: string, code: string, message: RegExp, hint: RegExp | undefined, place: string]>([
    ['a mistyped key', cube('    mesures: []\n'), 'unknown-key', /mesures/, /measures/, '4:5'],
    [
      'a mistyped key of a measure',
      measure('{name: a, type: count, drill_member: []}'),
      'unknown-key',
      /drill_member/,
      /drill_members/,
      '5:32',
    ],
    [
      'a mistyped type',
      measure('{name: a, type: count_distint, sql: x}'),
      'unknown-type',
      /count_distint/,
      /"count_distinct"/,
      '5:25',
    ],
    ['no sql for a sum', measure('{name: a, type: sum}'), 'missing-sql', /needs `sql`/, /sql: amount/, '5:9'],
    ['no sql for a number', measure('{name: a, type: number}'), 'missing-sql', /needs `sql`/, /formula/, '5:9'],
    ['empty sql', measure('{name: a, type: sum, sql: ""}'), 'missing-sql', /empty/, undefined, '5:35'],
    [
      'a dimension without sql',
      dimension('{name: city, type: string}'),
      'missing-sql',
      /"city" needs/,
      /sql: city/,
      '5:9',
    ],
    [
      'a dimension with sql and case',
      dimension('{name: a, type: string, sql: a, case: {when: [{sql: "1 = 1", label: b}]}}'),
      'bad-dimension',
      /both/,
      undefined,
      '5:9',
    ],
    [
      'a case without when',
      dimension('{name: a, type: string, case: {when: []}}'),
      'bad-dimension',
      /without any `when`/,
      undefined,
      '5:46',
    ],
    ['a bad name', measure('{name: net revenue, type: count}'), 'bad-name', /net revenue/, /underscores/, '5:16'],
    ['a reserved name', measure('{name: CUBE, type: count}'), 'bad-name', /means the cube itself/, undefined, '5:16'],
    [
      'two members of one name',
      cube('    measures: [{name: a, type: count}]\n    dimensions: [{name: a, type: string, sql: a}]\n'),
      'duplicate-name',
      /a measure and a dimension named "a"/,
      undefined,
      '5:25',
    ],
    [
      'a reference to nothing',
      measure('{name: a, type: number, sql: "{coun}"}').concat('      - {name: count, type: count}\n'),
      'unknown-member',
      /"coun"/,
      /Did you mean "count"\?.*\{CUBE\}\.coun/,
      '5:38',
    ],
    [
      'a circle of one',
      dimension('{name: city, type: string, sql: "{city}"}'),
      'circular-reference',
      /city → city/,
      /\{CUBE\}\.city/,
      '5:41',
    ],
    [
      'a join to itself',
      cube('    joins: [{name: Orders, sql: "1 = 1", relationship: one_to_one}]\n'),
      'bad-join',
      /itself/,
      /extends/,
      '4:20',
    ],
    [
      'an unknown relationship',
      cube('    joins: [{name: Users, sql: "1 = 1", relationship: many_to_on}]\n  - {name: Users, sql_table: users}\n'),
      'unknown-type',
      /many_to_on/,
      /"many_to_one"/,
      '4:55',
    ],
    ['no rows', 'cubes:\n  - name: Orders\n', 'missing-sql', /has neither `sql` nor `sql_table`/, /sql_table/, '2:5'],
    ['rows from two places', cube('    sql: SELECT 1\n'), 'bad-source', /both/, undefined, '2:5'],
    [
      'the name of a table for a query',
      'cubes:\n  - {name: A, sql: events}\n',
      'bad-source',
      /name of a table/,
      /sql_table: events/,
      '2:20',
    ],
    [
      'extending nothing',
      'cubes:\n  - {name: A, extends: Bas, sql_table: a}\n  - {name: Base, sql_table: b}\n',
      'unknown-cube',
      /no cube "Bas"/,
      /"Base"/,
      '2:24',
    ],
    [
      'extending itself',
      'cubes:\n  - {name: A, extends: A, sql_table: a}\n',
      'circular-extends',
      /A → A/,
      undefined,
      '2:24',
    ],
    ['no cubes', 'cubes: []\n', 'empty-model', /no cubes/, /cubes:/, ''],
  ])('is told of %s', (_, text, code, message, hint, place) => {
    const issues = issuesOf(text).filter((issue) => issue.severity === 'error');
    expect(issues.map((issue) => issue.code)).toEqual([code]);
    const [issue] = issues;
    expect(issue?.message).toMatch(message);
    if (hint) expect(issue?.hint).toMatch(hint);
    expect(issue?.span ? `${issue.span.line}:${issue.span.column}` : '').toBe(place);
  });

  it('is told of every mistake at once, in the order of the text', () => {
    const outcome = readModel([
      {
        file: 'model.yaml',
        text: cube(`    measures:
      - {name: a, type: sum}
      - {name: b, type: number, sql: "{c}"}
      - {name: c, type: number, sql: "{d}"}
      - {name: d, type: number, sql: "{b} + {nothing}"}
    dimensions:
      - {name: e, type: text, sql: e}
`),
      },
    ]);
    expect(outcome.files.map((file) => drawIssues(file.issues, file)).join('\n')).toBe(`\
model.yaml:5:9  error  The measure "a" of type "sum" needs \`sql\`.
        - {name: a, type: sum}
          ^^^^^^^^^^^^^^^^^^^^
  hint: Name the column to aggregate: \`sql: amount\`.
model.yaml:6:38  error  Members refer to each other in a circle: b → c → d → b.
        - {name: b, type: number, sql: "{c}"}
                                       ^^^^^
model.yaml:8:38  error  The measure "d" names "nothing", which the cube "Orders" does not have.
        - {name: d, type: number, sql: "{b} + {nothing}"}
                                       ^^^^^^^^^^^^^^^^^
  hint: For a column write \`{CUBE}.nothing\`.
model.yaml:10:25  warning  The dimension "e" is left out. "text" is not a supported type of a dimension.
        - {name: e, type: text, sql: e}
                          ^^^^`);
  });

  it('is told of mistakes of shape and of meaning together, and not of what follows from them', () => {
    const issues = issuesOf(`cubes:
  - name: A
    sql_table: a
    measures:
      - {name: broken, typ: count}
      - {name: uses, type: number, sql: "{broken} + {B.x} + {inherited}"}
      - {name: circle, type: number, sql: "{circle}"}
  - {name: B, sql_tabel: b}
  - {name: C, extends: B, measures: [{name: n, type: number, sql: "{inherited}"}]}
`);
    expect(issues.map(({ code, span }) => `${code} ${span?.line}`)).toEqual([
      'missing-key 5',
      'unknown-key 5',
      'unknown-member 6',
      'circular-reference 7',
      'unknown-key 8',
    ]);
    expect(issues[2]?.message).toContain('"inherited"');
  });

  it('is told only of the file that is no YAML', () => {
    expect(issuesOf('cubes: [{name: A, extends: B}]', 'cubes: [').every(({ message }) => !message.includes('`'))).toBe(
      true,
    );
    expect(issuesOf('cubes: [{name: A, extends: B}]', 'cubes: [').length).toBeGreaterThan(0);
  });

  it('names the file that the other cube of the same name stands in, and keeps issues by file', () => {
    const outcome = readModel([
      { file: 'a.yaml', text: 'cubes: [{name: A, sql_table: a}]' },
      { file: 'b.yaml', text: 'cubes: [{name: A, sql_table: b}]' },
    ]);
    expect(outcome.files.map(({ issues }) => issues.map(({ message }) => message))).toEqual([
      [],
      ['Two cubes are named "A", here and in a.yaml.'],
    ]);
  });

  it('names a circle that runs through several cubes by full names, and circles of extends', () => {
    const [issue] = issuesOf(`cubes:
  - {name: A, sql_table: a, joins: [{name: B, sql: "1 = 1", relationship: one_to_one}], dimensions: [{name: x, type: string, sql: "{B.y}"}]}
  - {name: B, sql_table: b, dimensions: [{name: y, type: string, sql: "{A.x}"}]}`);
    expect(issue?.message).toBe('Members refer to each other in a circle: A.x → B.y → A.x.');
    const circles = issuesOf(
      'cubes: [{name: A, extends: B, sql_table: a}, {name: B, extends: C, sql_table: b}, {name: C, extends: A, sql_table: c}]',
    );
    expect(circles.map(({ message }) => message)).toEqual(['Cubes extend each other in a circle: A → B → C → A.']);
  });

  it('is told once of a mistake that several cubes inherit', () => {
    const issues = issuesOf(
      'cubes:\n  - {name: A, sql_table: a, measures: [{name: m, type: sum}]}\n  - {name: B, extends: A}\n  - {name: C, extends: B}',
    );
    expect(issues.map(({ code }) => code)).toEqual(['missing-sql']);
  });

  it('does not find fault with deep chains that share members', () => {
    const members = Array.from(
      { length: 3000 },
      (_, index) => `{name: m${index}, type: number, sql: "{m${index + 1}} + {m${index + 1}}"}`,
    );
    expect(
      issuesOf(`cubes: [{name: A, sql_table: a, measures: [${members.join(', ')}, {name: m3000, type: count}]}]`),
    ).toEqual([]);
  });
});

describe('a part of a model that is not supported', () => {
  it.each<[what: string, text: string, code: string, message: RegExp, hint: RegExp | undefined, place: string]>([
    [
      'a measure in a dimension',
      cube('    measures: [{name: n, type: count}]\n    dimensions: [{name: d, type: number, sql: "{n} + 1"}]\n'),
      'not-supported',
      /It uses the measure "n"/,
      undefined,
      '5:47',
    ],
    [
      'a measure in an aggregate',
      cube('    measures: [{name: n, type: count}, {name: s, type: sum, sql: "{n}"}]\n'),
      'not-supported',
      /It uses the measure "n"/,
      undefined,
      '4:66',
    ],
    [
      'a measure in a filter',
      cube('    measures: [{name: n, type: count}, {name: s, type: count, filters: [{sql: "{n} > 1"}]}]\n'),
      'not-supported',
      /It uses the measure "n"/,
      undefined,
      '4:79',
    ],
    [
      'a measure in a segment',
      cube('    measures: [{name: n, type: count}]\n    segments: [{name: s, sql: "{n} > 1"}]\n'),
      'not-supported',
      /segment "s"/,
      undefined,
      '5:31',
    ],
    [
      'a join to nothing',
      cube('    joins: [{name: Users, sql: "1 = 1", relationship: one_to_one}]\n'),
      'not-supported',
      /no cube "Users"/,
      undefined,
      '4:20',
    ],
    [
      'a member of a cube that is not joined',
      `${dimension('{name: d, type: string, sql: "{Users.id}"}')}  - {name: Users, sql_table: users, dimensions: [{name: id, type: string, sql: id}]}\n`,
      'not-supported',
      /no join leads from "Orders" to "Users"/,
      /Add a join/,
      '5:38',
    ],
    [
      'a reference to no cube',
      measure('{name: a, type: sum, sql: "{Usrs.id}"}'),
      'not-supported',
      /"Usrs"/,
      undefined,
      '5:35',
    ],
    [
      'a type that nobody knows',
      dimension('{name: a, type: polygon, sql: a}'),
      'not-supported',
      /"polygon" is not a supported type of a dimension/,
      undefined,
      '5:25',
    ],
    [
      'a key that nobody knows',
      measure('{name: a, type: count, sparkle: 3}'),
      'not-supported',
      /`sparkle` of a measure is not supported/,
      undefined,
      '5:9',
    ],
    [
      'a place without its coordinates',
      dimension('{name: a, type: geo}'),
      'not-supported',
      /`latitude` and `longitude`/,
      undefined,
      '5:25',
    ],
    [
      'a function for a table',
      'cubes:\n  - {name: A, sql_table: "read_csv(\'x\')"}\n',
      'not-supported',
      /not a valid table name/,
      /sql: SELECT/,
      '2:26',
    ],
    [
      'a reference in the rows',
      'cubes:\n  - {name: A, sql: "SELECT * FROM {A.sql}"}\n',
      'not-supported',
      /whole cube/,
      undefined,
      '2:20',
    ],
    [
      'a multi-stage measure',
      measure('{name: a, type: count, multi_stage: true}'),
      'not-supported',
      /multi_stage/,
      undefined,
      '5:9',
    ],
  ])('is left out with a warning: %s', (_, text, code, message, hint, place) => {
    // Another cube, so that the model is not empty.
    const outcome = readModel([
      { file: 'model.yaml', text },
      { file: 'other.yaml', text: 'cubes: [{name: Kept, sql_table: kept}]' },
    ]);
    if (!outcome.ok) throw new Error(outcome.issues.map((issue) => issue.message).join('\n'));
    const [issue, ...others] = outcome.issues;
    expect(others).toEqual([]);
    expect([issue?.code, issue?.severity]).toEqual([code, 'warning']);
    expect(issue?.message).toMatch(/ is left out\. /);
    expect(issue?.message).toMatch(message);
    if (hint) expect(issue?.hint).toMatch(hint);
    expect(`${issue?.span?.line}:${issue?.span?.column}`).toBe(place);
    const { leftOut = [] } = outcome.value;
    expect(leftOut).toHaveLength(1);
    const kept = outcome.value.cubes.flatMap((cube) => [
      cube.name,
      ...[...cube.measures, ...cube.dimensions].map(({ name }) => `${cube.name}.${name}`),
    ]);
    expect(kept).toContain('Kept');
    expect(kept).not.toContain(leftOut[0]?.name);
  });
});

describe('a model that works in part', () => {
  it.each([
    [
      'a drill member that is none',
      measure('{name: a, type: count, drill_members: [cty]}').concat(
        '    dimensions: [{name: city, type: string, sql: city}]\n',
      ),
      /Orders\.cty/,
    ],
    [
      'granularities without an origin',
      dimension('{name: a, type: time, sql: a, granularities: [{name: short, interval: 5 days}]}'),
      /The granularity "short" of "a" is left out\. .* needs an `origin`/,
    ],
    [
      'granularities that are named as standard ones',
      dimension('{name: a, type: time, sql: a, granularities: [{name: week, interval: 7 days, origin: 2024-01-01}]}'),
      /standard granularity, which only `sql` can replace/,
    ],
    [
      'granularities of the same name',
      dimension('{name: a, type: time, sql: a, granularities: [{name: h, interval: 1 hour}, {name: h, sql: b}]}'),
      /two granularities of this name/,
    ],
    [
      'granularities of what is no time',
      dimension('{name: a, type: string, sql: a, granularities: [{name: h, interval: 1 hour}]}'),
      /Only times/,
    ],
    [
      'granularities with keys that nobody knows',
      dimension('{name: a, type: time, sql: a, granularities: [{name: h, interval: 1 hour, every: 2}]}'),
      /"h" of "a" is left out/,
    ],
    ['access policies', cube('    access_policy: [{role: x}]\n'), /not enforced/],
    ['masks', dimension('{name: a, type: string, sql: a, mask: "***"}'), /`mask`/],
    [
      'formats of several words',
      dimension('{name: a, type: string, sql: a, format: {type: link, label: x}}'),
      /one word/,
    ],
  ])('is read with a warning about %s', (_, text, message) => {
    const outcome = readModel([{ file: 'model.yaml', text }]);
    expect(outcome.ok).toBe(true);
    expect(outcome.issues.map(({ severity }) => severity)).toEqual(['warning']);
    expect(outcome.issues[0]?.message).toMatch(message);
    expect(outcome.issues[0]?.span).toBeDefined();
  });
});

describe('reading', () => {
  const word = fc.constantFrom(
    'A',
    'B',
    'count',
    'sum',
    'number',
    'time',
    'string',
    'x',
    '{A}',
    '{x}',
    '{A.x}',
    '{B.y}',
    '1 day',
    'unbounded',
    '',
    'one_to_many',
    '\u0000',
    '__proto__',
  );
  const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      word,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(
        fc.constantFrom(
          'cubes',
          'name',
          'sql',
          'sql_table',
          'type',
          'measures',
          'dimensions',
          'segments',
          'joins',
          'extends',
          'case',
          'when',
          'else',
          'label',
          'filters',
          'rolling_window',
          'trailing',
          'relationship',
          'views',
        ),
        tie('value'),
        { maxKeys: 5 },
      ),
    ),
  })).value;

  const member = fc.record({
    name: fc.constantFrom('x', 'y', 'z'),
    type: fc.constantFrom('count', 'sum', 'number', 'time', 'string'),
    sql: fc.constantFrom('{x}', '{y}', '{A.z}', '{B.x}', 'c', '{A} + {B}'),
  });
  const modelLike = fc.record({
    cubes: fc.array(
      fc.record(
        {
          name: fc.constantFrom('A', 'B', 'C'),
          extends: fc.constantFrom('A', 'B', 'C', 'D'),
          sql_table: fc.constant('t'),
          measures: fc.array(member, { maxLength: 4 }),
          dimensions: fc.array(member, { maxLength: 4 }),
          joins: fc.array(
            fc.record({
              name: fc.constantFrom('A', 'B', 'C'),
              sql: fc.constantFrom('{A}.a = {B}.b', '{x}'),
              relationship: fc.constant('has_many'),
            }),
            { maxLength: 2 },
          ),
        },
        { requiredKeys: ['name', 'sql_table'] },
      ),
      { minLength: 1, maxLength: 3 },
    ),
  });

  const settles = (text: string) => {
    const outcome = readModel([{ file: 'any.yaml', text }]);
    expect(outcome.ok).toBe(outcome.issues.every(({ severity }) => severity === 'warning'));
    for (const issue of outcome.issues) expect(issue.message).not.toBe('');
  };

  it('never throws on text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 80 }), settles), { numRuns: 300 });
  });

  it('never throws on any value', () => {
    fc.assert(
      fc.property(value, (any) => settles(JSON.stringify(any))),
      { numRuns: 500 },
    );
  });

  it('never throws on models whose references are all over the place', () => {
    fc.assert(
      fc.property(modelLike, (any) => settles(JSON.stringify(any))),
      { numRuns: 1000 },
    );
  });
});
