import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { reportJsonSchema } from '../../../src/tell/report/report-json-schema.ts';
import { writeReportJson } from '../../../src/tell/report/report-to-json.ts';
import { exampleResult, numberColumn } from '../../show/example-result.ts';
import { attack, cellOf, everything, reportOf } from './specimen-reports.ts';

const validate = new Ajv2020({ allowUnionTypes: true }).compile(reportJsonSchema);

describe('a report as JSON', () => {
  it.each(Object.entries({ everything, attack }))('matches its schema: %s', (_, report) => {
    expect([validate(JSON.parse(writeReportJson(report))), validate.errors]).toEqual([true, null]);
  });

  it('has every figure with its type and source', () => {
    const large = exampleResult([[numberColumn('count'), [12_345_678_901_234_567_890n, 1.5, null]]]);
    const json = writeReportJson(reportOf([cellOf([{ kind: 'table', result: large }])]));
    expect(json).toContain('{"TrackedEvents.count":12345678901234567890}');
    const { blocks } = JSON.parse(json);
    expect(blocks[0].parts[0].result).toMatchObject({
      rows: [{}, { 'TrackedEvents.count': 1.5 }, { 'TrackedEvents.count': null }],
      provenance: { source: 'events.ndjson', zone: 'UTC' },
    });
    expect(blocks[0].parts[0].result.provenance).not.toHaveProperty('elapsedMs');
  });

  it('locates the mistake of a cell that cannot be answered', () => {
    const json = JSON.parse(
      writeReportJson(
        reportOf([
          {
            kind: 'failure',
            cell: 'funnel',
            code: 'unknown-funnel',
            errorKind: 'input',
            message: 'There is no funnel "x".',
            place: { line: 6, column: 9 },
          },
        ]),
      ),
    ) as object;
    expect([validate(json), json]).toMatchObject([true, { blocks: [{ place: { line: 6, column: 9 } }] }]);
  });

  it('needs a new version if a key is missing or new', () => {
    const { zone: _, ...without } = JSON.parse(writeReportJson(everything)) as Record<string, unknown>;
    expect([
      validate(without),
      validate({ ...without, zone: 'UTC', more: 1 }),
      validate({ ...without, zone: 'UTC' }),
    ]).toEqual([false, false, true]);
  });
});
