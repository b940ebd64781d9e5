import { sanitize } from '../../../show/sanitize.ts';
import type { Settings } from '../../config/settings.ts';
import type { Finding } from '../../first-day/check.ts';
import { breakWords } from '../break-words.ts';
import { listSettings } from './settings-text.ts';

const marks = { ok: 'ok', fails: 'FAIL', none: 'none' } as const;

const indent = 21;

/** A finding for people: its mark, what it is about, and below it what to do, within a width. What it says may be a drawing and stays as it is. */
export function writeFinding({ what, verdict, text, hint }: Finding, width: number): string {
  const hints = (hint ?? '').split('\n').flatMap((line) => breakWords(sanitize(line), width - indent));
  const [first = '', ...more] = [...text.split('\n').map(sanitize), ...(hint === undefined ? [] : hints)];
  return `${marks[verdict].padEnd(6)}${sanitize(what).padEnd(14)} ${first}\n${more.map((line) => `${' '.repeat(indent)}${line}\n`).join('')}`;
}

export interface DoctorReport {
  readonly version: string;
  readonly node: string;
  readonly root: string;
  readonly file: string | undefined;
  readonly settings: Settings;
  readonly cwd: string;
  readonly findings: readonly Finding[];
}

/** The same for machines. Of tokens it says only where they are. */
export function writeFindingsJson({ version, node, root, file, settings, cwd, findings }: DoctorReport): string {
  const report = {
    ok: findings.every(({ verdict }) => verdict !== 'fails'),
    version, node, workspace: root, config: file ?? null,
    settings: Object.fromEntries(listSettings(settings, cwd).map(({ name, value, origin }) => [name, { value, origin }])),
    checks: findings.map(({ what, verdict, text, hint, error }) => ({ what, verdict, text, hint: hint ?? null, code: error?.code ?? null })),
  };
  return `${JSON.stringify(report, null, 2)}\n`;
}
