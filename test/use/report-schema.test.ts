import { Ajv2020 } from 'ajv/dist/2020.js';
import { cpSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { folderOf, openFolder, type Folder } from './run-in-folder.ts';

const root = new URL('../..', import.meta.url).pathname;
const reports = readdirSync(path.join(root, 'reports'))
  .filter((file) => file.endsWith('.md') && file !== 'README.md')
  .map((file) => path.parse(file).name);

describe('sluice schema report-json', () => {
  let folder: Folder;
  let validate: ReturnType<Ajv2020['compile']>;
  beforeAll(async () => {
    folder = openFolder();
    for (const name of ['reports', 'queries', 'funnels'])
      cpSync(path.join(root, name), path.join(folder.root, name), { recursive: true });
    await folder.sluice(['sample', '--count', '3000', '--days', '70', '--to', '2024-03-07']);
    const { code, stdout } = await folder.sluice(['schema', 'report-json']);
    expect(code).toBe(0);
    validate = new Ajv2020({ allowUnionTypes: true }).compile(JSON.parse(stdout) as object);
    return () => folder.remove();
  });

  it.each(reports)('matches %s as JSON', async (name) => {
    const report = JSON.parse((await folder.sluice(['report', 'run', name, '-f', 'json'])).stdout) as Record<
      string,
      unknown
    >;
    expect([validate(report), validate.errors]).toEqual([true, null]);
    const { zone: _, ...without } = report;
    expect(validate(without)).toBe(false);
  });

  it('matches a report with a failed cell and a failed check', async () => {
    const own = folderOf({
      'sluice.yaml': 'model: model.yaml\ntables: {good: good.csv, bad: bad.csv}\n',
      'good.csv': 'a\n1\n',
      'bad.csv': 'a\nnone\n',
      'model.yaml': ['Good', 'Bad']
        .map(
          (name) =>
            `  - {name: ${name}, sql_table: ${name.toLowerCase()}, measures: [{name: sum, type: sum, sql: a}]}\n`,
        )
        .reduce((text, cube) => text + cube, 'cubes:\n'),
      'reports/half.md':
        '---\ntitle: Half\n---\n\n# Half\n\nIt is {{ g.sum }}.\n\n```query\nname: g\nquery: {measures: [Good.sum]}\n```\n\n```query\ntitle: Bad\nquery: {measures: [Bad.sum]}\n```\n\n```check\nexpect:\n  - {figure: g.sum, atLeast: 10, because: So it was.}\n```\n',
    });
    const report = JSON.parse((await own.sluice(['report', 'run', 'half', '-f', 'json'])).stdout) as {
      readonly status: string;
      readonly blocks: readonly { readonly kind: string }[];
    };
    expect([report.status, report.blocks.map(({ kind }) => kind)]).toEqual([
      'failed-check',
      ['prose', 'cell', 'failure', 'checks'],
    ]);
    expect([validate(report), validate.errors]).toEqual([true, null]);
  });
});
