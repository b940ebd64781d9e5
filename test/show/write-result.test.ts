import { describe, expect, it } from 'vitest';
import {
  formatNames,
  readFormatName,
  toFileExtension,
  type BinaryFormat,
  type FormatName,
} from '../../src/show/format-name.ts';
import { writeResult, type WriteResultOptions } from '../../src/show/write-result.ts';
import { exampleResult, numberColumn, textColumn } from './example-result.ts';

const result = exampleResult([
  [textColumn('eventType', 'Event Type'), ['pageview']],
  [numberColumn('count', 'Count'), [4080]],
]);

async function write(format: Exclude<FormatName, BinaryFormat>, options?: WriteResultOptions): Promise<string> {
  let text = '';
  for await (const chunk of writeResult(result, format, options)) text += chunk;
  return text;
}

describe('writeResult', () => {
  it('writes every format', async () => {
    expect(await write('table')).toBe('Event Type  Count\n─────────────────\npageview    4,080\n');
    expect(await write('json')).toBe('[{"TrackedEvents.eventType":"pageview","TrackedEvents.count":4080}]\n');
    expect(await write('ndjson')).toBe('{"TrackedEvents.eventType":"pageview","TrackedEvents.count":4080}\n');
    expect(await write('csv')).toBe('TrackedEvents.eventType,TrackedEvents.count\npageview,4080\n');
    expect(await write('tsv')).toBe('TrackedEvents.eventType\tTrackedEvents.count\npageview\t4080\n');
    expect(await write('markdown')).toBe('| Event Type | Count |\n| --- | ---: |\n| pageview | 4,080 |\n');
  });

  it('passes on how a table is drawn and whether JSON includes provenance', async () => {
    expect(await write('table', { table: { width: 80, colour: false, unicode: false } })).toContain('-----');
    expect(Object.keys(JSON.parse(await write('json', { withProvenance: true })) as object)).toEqual([
      'columns',
      'rows',
      'marks',
      'provenance',
    ]);
  });
});

describe('readFormatName', () => {
  it('knows every format and its short name', () => {
    for (const name of formatNames) expect(readFormatName(name)).toMatchObject({ ok: true, value: name });
    expect(readFormatName(' MD ')).toMatchObject({ ok: true, value: 'markdown' });
  });

  it('names the nearest format and lists all', () => {
    expect(readFormatName('jsonn')).toMatchObject({
      ok: false,
      issues: [
        {
          code: 'unknown-format',
          hint: 'Did you mean "json"? Use one of table, chart, json, ndjson, csv, tsv, markdown, html, xlsx, parquet, arrow, vega-lite, svg, png.',
        },
      ],
    });
    expect(readFormatName('constructor')).toMatchObject({ ok: false });
  });

  it('gives every format a file ending', () => {
    expect(formatNames.map(toFileExtension)).toEqual([
      '.txt',
      '.chart.txt',
      '.json',
      '.ndjson',
      '.csv',
      '.tsv',
      '.md',
      '.html',
      '.xlsx',
      '.parquet',
      '.arrow',
      '.vl.json',
      '.svg',
      '.png',
    ]);
  });
});
