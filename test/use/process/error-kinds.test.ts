import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { errorCodes, errorKinds, type ErrorKind, type SluiceErrorCode } from '../../../src/ask/error-codes.ts';
import {
  AbortedError,
  BackendError,
  ConfigError,
  InvalidInputError,
  SluiceError,
} from '../../../src/ask/sluice-error.ts';
import { ExportError } from '../../../src/run/export/rows/export-error.ts';
import { HttpError } from '../../../src/run/http/http-error.ts';
import { Refusal } from '../../../src/use/server/refusal.ts';
import { exitCodeOfKind, exitCodes } from '../../../src/use/process/exit-code.ts';
import * as library from '../../../src/use/index.ts';
import { exitCodeOf } from '../../../src/use/process/report-error.ts';

const root = new URL('../../../', import.meta.url).pathname;
const codes = Object.keys(errorCodes) as SluiceErrorCode[];

/** The source text without the table of codes. */
const source = globSync('src/**/*.{ts,tsx}', { cwd: root })
  .filter((file) => !file.endsWith('ask/error-codes.ts'))
  .map((file) => readFileSync(`${root}${file}`, 'utf8'))
  .join('\n');

/** Anything that this machine refuses has exit code 1 for scripts, whatever the error. */
describe('the exit code of an error', () => {
  it('does not depend on which code reports a failed write', () => {
    const exits = (
      ['file-unwritable', 'export-unwritable', 'store-unwritable', 'output-unwritable', 'disk-full'] as const
    ).map((code) => exitCodeOf(new SluiceError('x', { code })));
    expect(new Set(exits)).toEqual(new Set([exitCodes.failed]));
  });

  it('does not depend on which code reports an unreadable file or a damaged lock', () => {
    const exitsOf = (...some: readonly SluiceErrorCode[]) =>
      some.map((code) => exitCodeOf(new BackendError('x', { code })));
    expect(exitsOf('file-unreadable', 'store-unreadable')).toEqual([1, 1]);
    expect(exitsOf('export-lock-damaged', 'store-lock-damaged', 'report-lock-damaged')).toEqual([2, 2, 2]);
    expect(exitsOf('bad-token', 'token-malformed', 'token-empty')).toEqual([3, 3, 3]);
    expect(exitsOf('sql-refused', 'query-refused', 'value-unreadable', 'value-unfit')).toEqual([2, 2, 2, 2]);
  });

  it('follows only from the code, whatever the class', () => {
    for (const code of codes) {
      const expected = exitCodeOfKind[errorCodes[code]];
      const errors = [
        new SluiceError('x', { code }),
        new BackendError('x', { code }),
        new ConfigError('x', { code }),
        new ExportError('x', { code }),
        new HttpError('x', { code, url: 'https://example.org' }),
        new InvalidInputError('x', [], { code }),
      ];
      expect([code, ...errors.map(exitCodeOf)]).toEqual([code, ...errors.map(() => expected)]);
      expect(errors.map(({ kind }) => kind)).toEqual(errors.map(() => errorCodes[code]));
    }
    expect(exitCodeOf(new AbortedError())).toBe(130);
    expect(exitCodeOf(new InvalidInputError('x', []))).toBe(2);
    expect(exitCodeOf(new Error('x'))).toBe(1);
    expect(exitCodeOf('thrown')).toBe(1);
  });

  it('is listed by kind in the README', () => {
    const rows = [...readFileSync(`${root}README.md`, 'utf8').matchAll(/^\| (\d+) \|([^|]*)\|/gm)];
    const documented = rows.flatMap(([, exit, kinds = '']) =>
      [...kinds.matchAll(/`([a-z]+)`/g)].map(([, kind]) => [kind, Number(exit)] as const),
    );
    expect(Object.fromEntries(documented)).toEqual(exitCodeOfKind);
    expect(documented).toHaveLength(errorKinds.length);
    expect(rows.map(([, exit]) => Number(exit))).toEqual(Object.values(exitCodes));
  });
});

describe('the kind of an error', () => {
  it('has an exit code, and every kind has codes', () => {
    expect(Object.keys(exitCodeOfKind)).toEqual([...errorKinds]);
    expect(new Set<ErrorKind>(Object.values(errorCodes))).toEqual(new Set(errorKinds));
    expect(Object.values(exitCodeOfKind).every((exit) => exit > 0)).toBe(true);
  });

  it('is known for every code in the sources, and no code is unused', () => {
    const thrown = [...source.matchAll(/new (?:\w*Error|Refusal)\((?:(?!\bnew\b)[^])*?\bcode: ([^,}\n]+)/g)];
    const used = new Set(
      thrown.flatMap(([, given = '']) => [...given.matchAll(/'([a-z0-9-]+)'/g)].map(([, code = '']) => code)),
    );
    expect(used.size).toBeGreaterThan(100);
    expect([...used].filter((code) => !(code in errorCodes))).toEqual([]);
    const families = [/^(?:store|export|report|listener|sync)-lock-damaged$/, /^(?:platform|cube)-not-configured$/];
    const isUsed = (code: string) => source.includes(`'${code}'`) || families.some((family) => family.test(code));
    expect(codes.filter((code) => !isUsed(code))).toEqual([]);
  });

  it('says whether a retry may help', () => {
    const retryable = codes.filter((code) => new SluiceError('x', { code }).retryable);
    expect(retryable).toEqual(expect.arrayContaining(['unreachable', 'timed-out', 'rate-limited', 'server-error']));
    for (const code of retryable)
      expect([code, ['remote', 'partial', 'system']]).toEqual([code, expect.arrayContaining([errorCodes[code]])]);
    expect(new Refusal(400, 'x')).toMatchObject({ code: 'refused', kind: 'input', retryable: false });
    expect(new AbortedError().retryable).toBe(false);
  });
});

it('exports every class of error that the library throws', () => {
  const classes = globSync('src/**/*.ts', { cwd: root }).flatMap((file) =>
    [...readFileSync(`${root}${file}`, 'utf8').matchAll(/^export class (\w+) extends (?:\w+Error)\b/gm)].map(
      ([, name = '']) => ({ file, name }),
    ),
  );
  const own = classes.filter(({ name }) => name.endsWith('Error')).map(({ name }) => name);
  expect(own).toContain('ApiError');
  for (const name of own) {
    const exported: unknown = (library as Readonly<Record<string, unknown>>)[name];
    expect(exported, name).toBeTypeOf('function');
    expect(name === 'SluiceError' || (exported as typeof SluiceError).prototype instanceof SluiceError, name).toBe(
      true,
    );
  }
});
