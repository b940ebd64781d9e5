import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findViolations, stages } from './layers/find-violations.ts';

const root = new URL('..', import.meta.url).pathname;
const src = join(root, 'src');
const readme = join(root, 'README.md');

function readTree(): ReadonlyMap<string, string> {
  const paths = readdirSync(src, { recursive: true, encoding: 'utf8' }).map((path) => path.replaceAll('\\', '/'));
  return new Map(
    paths.filter((path) => path.endsWith('.ts')).map((path) => [path, readFileSync(join(src, path), 'utf8')]),
  );
}

describe('the sources', () => {
  it('keep the rules of the layers', () => {
    expect(findViolations(readTree())).toEqual([]);
  });

  it('lie in stages whose alphabetical order is the data flow', () => {
    const folders = readdirSync(src).sort();
    expect([...stages].sort()).toEqual([...stages]);
    expect(folders.filter((folder) => !(stages as readonly string[]).includes(folder))).toEqual([]);
  });

  it.skipIf(!existsSync(readme))('have the stages that the README draws (skipped without a README)', () => {
    const chain = /\w+(?:`?\s*(?:→|->|──▶|▶)\s*`?\w+){2,}/u.exec(readFileSync(readme, 'utf8'))?.[0];
    expect(chain?.match(/\w+/gu)).toEqual(readdirSync(src).sort());
  });
});

describe('findViolations', () => {
  it.each<[string, Record<string, string>, string[]]>([
    [
      'an earlier stage by value, type and dynamic import',
      {
        'plan/a.ts': "import { b } from '../ask/b.ts';\nexport const a = b;",
        'ask/b.ts': 'export const b = 1;',
        'use/c.ts': "import type { a } from '../plan/a.ts';\nexport const c = async () => import('../ask/b.ts');",
      },
      [],
    ],
    [
      'a later stage',
      { 'ask/a.ts': "import { b } from '../plan/b.ts';", 'plan/b.ts': '' },
      ['ask/a.ts: imports from a later stage: ../plan/b.ts'],
    ],
    [
      'a later stage by type',
      { 'run/a.ts': "import type { B } from '../shape/b.ts';" },
      ['run/a.ts: imports from a later stage: ../shape/b.ts'],
    ],
    [
      'a later stage by an import type',
      { 'run/a.ts': "export type B = import('../shape/b.ts').B;" },
      ['run/a.ts: imports from a later stage: ../shape/b.ts'],
    ],
    [
      'a later stage by a dynamic import',
      { 'show/a.ts': "export const b = () => import('../tell/b.ts');" },
      ['show/a.ts: imports from a later stage: ../tell/b.ts'],
    ],
    [
      'a later stage by a re-export',
      { 'ask/x/a.ts': "export * from '../../use/b.ts';" },
      ['ask/x/a.ts: imports from a later stage: ../../use/b.ts'],
    ],
    [
      'a file outside src',
      { 'ask/a.ts': "import '../../test/b.ts';" },
      ['ask/a.ts: reaches out of src: ../../test/b.ts'],
    ],
    [
      'a computed name',
      { 'use/a.ts': 'export const load = (name: string) => import(name);' },
      ['use/a.ts: imports by a name that cannot be read: (computed)'],
    ],
    ['a file without its extension', { 'ask/a.ts': "import './b';" }, ['ask/a.ts: imports without .ts: ./b']],
    [
      'another engine',
      {
        'run/clickhouse/a.ts': "export const b = () => import('../duckdb/x/b.ts');\nimport '../events/c.ts';",
        'run/duckdb/x/b.ts': '',
        'run/events/c.ts': '',
      },
      ['run/clickhouse/a.ts: imports from another engine: ../duckdb/x/b.ts'],
    ],
    [
      'a cycle',
      { 'ask/a.ts': "import './b.ts';", 'ask/b.ts': "import './c.ts';", 'ask/c.ts': "import './a.ts';" },
      ['cycle: ask/a.ts → ask/b.ts → ask/c.ts → ask/a.ts'],
    ],
    [
      'a cycle by type',
      { 'ask/a.ts': "import type { B } from './b.ts';", 'ask/b.ts': "import { type A } from './a.ts';" },
      ['cycle: ask/a.ts → ask/b.ts → ask/a.ts'],
    ],
    [
      'a cycle of folders without one of files',
      {
        'ask/x/a.ts': "import '../y/b.ts';",
        'ask/y/b.ts': '',
        'ask/y/c.ts': "import '../x/d.ts';",
        'ask/x/d.ts': '',
      },
      ['cycle of folders: ask/x → ask/y → ask/x'],
    ],
    [
      'a folder and its subfolder that need each other',
      {
        'ask/a.ts': "import './x/b.ts';",
        'ask/x/b.ts': '',
        'ask/x/c.ts': "import '../d.ts';",
        'ask/d.ts': '',
      },
      ['cycle of folders: ask → ask/x → ask'],
    ],
    [
      'two ways to one file, which is not a cycle',
      { 'ask/a.ts': "import './b.ts'; import './c.ts';", 'ask/b.ts': "import './c.ts';", 'ask/c.ts': '' },
      [],
    ],
    [
      'names',
      { 'ask/readZone.ts': '', 'ask/utils.ts': '', 'ask/index.ts': '', 'use/index.ts': '', 'ask/helpers/a.ts': '' },
      [
        'ask/readZone.ts: is not kebab-case',
        'ask/utils.ts: the name says nothing',
        'ask/index.ts: the name says nothing',
        'ask/helpers/a.ts: the name says nothing',
      ],
    ],
    [
      'a file in no stage',
      { 'main.ts': '', 'infra/a.ts': '' },
      ['main.ts: lies in no stage', 'infra/a.ts: lies in no stage'],
    ],
    [
      'default exports',
      { 'ask/a.ts': 'export default 1;', 'ask/b.ts': 'const b = 1; export { b as default };' },
      ['ask/a.ts: has a default export', 'ask/b.ts: has a default export'],
    ],
    [
      'any',
      {
        'ask/a.ts': 'export function a(b: readonly any[]): void {}',
        'ask/b.ts': 'export const anything = "any"; // any',
      },
      ['ask/a.ts: says any'],
    ],
    [
      'I/O',
      {
        'ask/a.ts': "import 'node:fs/promises';",
        'plan/a.ts': "import type { Agent } from 'undici';",
        'shape/a.ts': "import 'node:https';",
        'show/a.ts': "export const b = () => import('node:child_process');",
        'shape/b.ts': 'export const b = () => fetch("x");',
        'run/a.ts': "import 'node:net';\nexport const c = () => fetch('x');",
        'use/a.ts': "import 'node:fs';",
        'ask/path.ts': "import 'node:path';",
      },
      [
        'ask/a.ts: does I/O by node:fs/promises',
        'plan/a.ts: does I/O by undici',
        'shape/a.ts: does I/O by node:https',
        'show/a.ts: does I/O by node:child_process',
        'shape/b.ts: uses fetch',
      ],
    ],
    [
      'the engine outside run',
      { 'show/a.ts': "import { DuckDBInstance } from '@duckdb/node-api';", 'run/a.ts': "import '@duckdb/node-api';" },
      ['show/a.ts: does I/O by @duckdb/node-api'],
    ],
    [
      'clock, chance, environment, console',
      {
        'ask/a.ts': 'console.log(1);',
        'plan/a.ts': 'export const b = process.env.HOME;',
        'run/a.ts': 'export const c = Date.now();',
        'shape/a.ts': 'export const d = new Date();',
        'show/a.ts': 'export const e = [Math.random(), performance.now()];',
        'tell/a.ts': "import process from 'node:process';",
        'ask/b.ts': 'export const f = { out: console };',
        'ask/c.ts': 'globalThis.process.exit();',
        'run/b.ts': "import { randomUUID } from 'node:crypto';",
        'use/a.ts': 'console.log(process.argv, Date.now(), Math.random(), new Date());',
      },
      [
        'ask/a.ts: uses console',
        'plan/a.ts: uses process',
        'run/a.ts: uses Date.now',
        'shape/a.ts: uses new Date()',
        'show/a.ts: uses Math.random',
        'show/a.ts: uses performance',
        'tell/a.ts: reaches its surroundings by node:process',
        'ask/b.ts: uses console',
        'ask/c.ts: uses globalThis.process',
        'run/b.ts: uses crypto.randomUUID',
      ],
    ],
    [
      'text that only looks like globals',
      {
        'ask/a.ts': '/* console.log */ export const a = { process: "console.log", console: 1 }; // Date.now()',
        'plan/a.ts': 'export const b = (clock: { now(): number }) => [clock.now(), new Date(0), Math.max(1)];',
        'run/a.ts': 'export const c = ({ process }: { process: string }) => process;',
        'shape/a.ts': 'export const d = `new Date()`; export const e = /Math.random()/;',
        'ask/b.ts': 'export const f = (x: { process: () => void }) => x.process();',
        'ask/c.ts':
          'export const g = (valueOf: { now(): number }, toString: string) => [valueOf.now(), toString.length];',
      },
      [],
    ],
    [
      'heavy packages',
      {
        'ask/a.ts': "import 'arquero';",
        'plan/a.ts': "import { createElement } from 'react';",
        'ask/b.ts': "import type { Spec } from 'vega-lite';",
        'plan/b.ts': "import { render } from 'ink';",
        'show/a.ts': "import 'ink'; import 'react'; import 'arquero';",
        'ask/c.ts': "import 'zod'; import 'reactive-thing-not';",
      },
      [
        'ask/a.ts: weighs down the start by arquero',
        'plan/a.ts: weighs down the start by react',
        'ask/b.ts: weighs down the start by vega-lite',
        'plan/b.ts: weighs down the start by ink',
      ],
    ],
  ])('judges %s', (_, files, violations) => {
    expect([...findViolations(new Map(Object.entries(files)))].sort()).toEqual([...violations].sort());
  });
});
