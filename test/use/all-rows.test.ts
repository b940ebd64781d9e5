import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { AnswerNote } from '../../src/use/index.ts';
import { openWithSession } from './open-session.ts';
import { folderOf, now } from './run-in-folder.ts';

const model =
  'cubes:\n  - name: Rows\n    sql_table: rows\n    measures: [{name: count, type: count}]\n' +
  '    dimensions: [{name: id, sql: id, type: string, primary_key: true, public: true}, {name: n, sql: n, type: number},\n' +
  '      {name: upper, sql: "upper({CUBE}.id)", type: string}, {name: lower, sql: "lower({CUBE}.id)", type: string}]\n';

function csvOf(rows: number, text: string): string {
  return `id,n\n${Array.from({ length: rows }, (_, index) => `${text}${index},${index}\n`).join('')}`;
}

describe('an answer of more than 10,000 rows', () => {
  const rows = 12_345;

  it('is complete in the library, and a command reports that it is cut', async () => {
    const folder = folderOf({
      'model.yaml': model,
      'rows.csv': csvOf(rows, 'row '),
      'sluice.yaml': 'model: model.yaml\ntables: {rows: rows.csv}\n',
    });
    const notes: AnswerNote[] = [];
    await using sluice = await openWithSession({
      workspace: folder.root,
      env: {},
      now: () => now,
      onNote: (note) => notes.push(note),
    });
    const asked = { measures: ['Rows.count'], dimensions: ['Rows.id'] };
    const result = await sluice.query(asked);
    expect(result.rowCount).toBe(rows);
    expect(result.provenance.truncated).toBeNull();
    expect((await sluice.query({ ...asked, offset: 12_000 })).rowCount).toBe(rows - 12_000);
    for (const file of ['all.csv', 'all.ndjson', 'all.md']) {
      const { rows: written } = await sluice.write(asked, path.join(folder.root, file));
      expect(written, file).toBe(rows);
    }
    expect(readFileSync(path.join(folder.root, 'all.csv'), 'utf8').split('\n')).toHaveLength(rows + 2);
    const [plan] = (() => {
      const bound = sluice.session.bind(asked);
      return bound.ok ? bound.value : [];
    })();
    expect(plan && (await sluice.session.run(plan)).rowCount).toBe(rows);
    expect(notes).toEqual([]);
    expect((await sluice.query(asked, { limits: 'local' })).rowCount).toBe(10_000);
    expect(notes.map(({ kind }) => kind)).toEqual(['limit']);
    const { stdout, stderr } = await folder.sluice(['query', 'Rows.count by Rows.id', '-f', 'csv']);
    expect(stdout.split('\n')).toHaveLength(10_002);
    expect(stderr).toContain('Limit of 10,000 rows');
  });

  it('is refused with an alternative if it does not fit into memory, and can be streamed', async () => {
    const folder = folderOf({
      'model.yaml': model,
      'rows.csv': csvOf(200_000, 'a text that takes some room in memory: row '),
      'sluice.yaml': 'model: model.yaml\ntables: {rows: rows.csv}\n',
    });
    const program = `import { open } from ${JSON.stringify(new URL('../../dist/index.js', import.meta.url).href)};
      const sluice = await open({ workspace: ${JSON.stringify(folder.root)}, env: {}, onNote() {} });
      const asked = { dimensions: ['Rows.id', 'Rows.n', 'Rows.upper', 'Rows.lower'], ungrouped: true };
      const error = await sluice.query(asked).catch((caught) => caught);
      const { rows } = await sluice.write(asked, 'all.csv');
      console.log(JSON.stringify({ code: error.code, hint: error.hint, rows }));
      await sluice[Symbol.asyncDispose]();`;
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--max-old-space-size=80',
      '--input-type=module',
      '-e',
      program,
    ]);
    expect(JSON.parse(stdout)).toMatchObject({
      code: 'answer-too-large',
      hint: expect.stringContaining('write(') as string,
      rows: 200_000,
    });
  });
});
