import { describe, expect, it } from 'vitest';
import { openFiles, scratchFolder } from '../ask-sql.ts';

const folder = scratchFolder();
const rows = [
  String.raw`2024-03-08T10:00:00Z,ann,/a,\N`,
  String.raw`2024-03-08T10:01:00Z,\N,"\N",5`,
  String.raw`2024-03-08T10:02:00Z,"\N",\Nx,7`,
  '2024-03-08T10:03:00Z,,/b,',
];
const asked = `SELECT user_id, doc_path, further ->> 'amount' FROM events ORDER BY utc_time`;

describe('\\N in a CSV file', () => {
  it.each([
    ['', []],
    ['and a line that is not a row', ['2024-03-08T10:04:00Z,"open']],
  ])('is a missing value, as in dumps of databases, quoted or not %s', async (_, more) => {
    for (const [delimiter, ending] of [
      [',', 'csv'],
      ['\t', 'tsv'],
    ] as const) {
      const text = ['utcTime,user_id,docPath,amount', ...rows, ...more].join('\n').replaceAll(',', delimiter);
      await using files = await openFiles([folder.write(`dump${more.length}.${ending}`, `${text}\n`)]);
      await files.session.events!.demandFurther();
      expect(await files.ask(asked)).toEqual([
        ['ann', '/a', null],
        [null, null, 5],
        [null, String.raw`\Nx`, 7],
        [null, '/b', null],
      ]);
      expect(files.facts().rejected.count).toBe(more.length);
    }
  });
});
