import { stat } from 'node:fs/promises';
import path from 'node:path';
import { isStdout } from '../../output/stdout.ts';
import { inputError, type InvalidInputError, usageError } from '../../../ask/sluice-error.ts';
import { quote } from '../../../ask/text.ts';
import { isAddress } from '../../../tell/delivery/delivery.ts';
import { unwrap } from '../../workspace/refuse.ts';
import type { Envelope } from '../envelope.ts';
import { type ReportPlace, filesIn } from '../place-report.ts';
import type { ReportFile } from '../report-files.ts';
import { type ReportFormat, reportFormats } from '../../../show/format-name.ts';
import { readReportFormat, toReportEnding } from '../report-format.ts';

/** Headers of an email, as flags give them. */
export interface EmailHeaders {
  readonly to?: readonly string[] | undefined;
  readonly from?: string | undefined;
  readonly subject?: string | undefined;
}

/** Output flags of a manual run. */
interface AskedPlace {
  readonly format?: readonly string[] | undefined;
  readonly output?: string | undefined;
  readonly force?: boolean | undefined;
  readonly deliver?: boolean | undefined;
}

/** Output of a manual run. `none`: only deliver. */
export type ReportLocation =
  | { readonly kind: 'none' }
  | { readonly kind: 'stdout'; readonly format: ReportFormat }
  | (ReportPlace & { readonly kind: 'files'; readonly folder: string | undefined });

/** The formats that a manual run writes. */
export function formatsOf(place: ReportLocation): readonly ReportFormat[] {
  if (place.kind === 'none') return [];
  return place.kind === 'stdout' ? [place.format] : place.files.map(({ format }) => format);
}

export async function toPlace(
  { format, output, force = false, deliver = false }: AskedPlace,
  { name }: ReportFile,
  cwd: string,
): Promise<ReportLocation> {
  const named = format?.map((text) => unwrap(readReportFormat(text), 'The format'));
  if (deliver && output === undefined && named === undefined) return { kind: 'none' };
  if (isStdout(output)) {
    const [only = 'markdown', another] = named ?? [];
    if (another) throw usageError('Several formats need an output folder.', 'Add `-o FOLDER`.');
    return { kind: 'stdout', format: only };
  }
  refuseAddress(output);
  const target = path.resolve(cwd, output);
  const isFolder =
    (named?.length ?? 0) > 1 ||
    /[\\/]$/.test(output) ||
    (await stat(target).then(
      (found) => found.isDirectory(),
      () => false,
    ));
  if (isFolder)
    return {
      kind: 'files',
      folder: target,
      files: filesIn(target, name, [...new Set(named ?? ['markdown' as const])]),
      force,
    };
  const ending = path.extname(target).toLowerCase();
  const byEnding = reportFormats.find((one) => toReportEnding(one) === ending);
  const chosen = named?.[0] ?? byEnding;
  if (!chosen)
    throw usageError(
      `${output} has no ending of a known format.`,
      `Use a name that ends in ${reportFormats.map(toReportEnding).join(' or ')}, or in / for a folder, ` +
        'or specify the format with `-f`.',
    );
  return { kind: 'files', folder: undefined, files: [{ format: chosen, path: target }], force };
}

/** Throws `InvalidInputError` for a URL such as `s3://bucket/x`, which would become a folder named `s3:`. */
export function refuseAddress(output: string): void {
  if (isAddress(output))
    throw usageError(
      `${quote(output)} is a URL, not a file or folder.`,
      'Write to a local folder, then upload the file.',
    );
}

/**
 * Email headers from flags; undefined without such flags. Lazy, because only emails need the package that parses
 * addresses. Throws `InvalidInputError`.
 */
export async function toEnvelope(
  { from, to, subject }: EmailHeaders,
  formats: readonly string[],
): Promise<Envelope | undefined> {
  const given = Object.entries({ from, to, subject }).find(([, value]) => value !== undefined);
  if (given === undefined) return undefined;
  if (!formats.includes('eml'))
    throw usageError(`--${given[0]} is only for emails (\`-f eml\`).`, 'Add `-f eml`, or remove the flag.');
  const { readEnvelope } = await import('../envelope.ts');
  return readEnvelope({ from, to, subject });
}

/** `--param name=value`, each once. Throws `InvalidInputError`. */
export function readGiven(params: readonly string[] = []): ReadonlyMap<string, string> {
  const given = new Map<string, string>();
  for (const param of params) {
    const at = param.indexOf('=');
    const name = param.slice(0, at).trim();
    if (at === -1 || name === '')
      throw usage(`${quote(param)} has no value.`, 'Write --param name=value, such as --param month=2026-10.');
    if (given.has(name)) throw usage(`The parameter ${quote(name)} is given twice.`, 'Give it once.');
    given.set(name, param.slice(at + 1));
  }
  return given;
}

function usage(message: string, hint: string): InvalidInputError {
  return inputError('usage', message, hint, ['--param']);
}
