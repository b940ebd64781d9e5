import path from 'node:path';
import { usageError, throwIfAborted } from '../../../ask/sluice-error.ts';
import { plural } from '../../../ask/text.ts';
import { nothingRejected } from '../../../run/backend.ts';
import type { Chunks } from '../../../run/file/byte-source.ts';
import type { Provenance } from '../../../shape/result/provenance.ts';
import type { Column } from '../../../plan/column.ts';
import type { Result } from '../../../shape/result/result.ts';
import {
  type FormatName,
  isChartFormat,
  isRowFormat,
  toFileExtension,
  readFormatName,
} from '../../../show/format-name.ts';
import { toNotes } from '../../../show/labels/notes.ts';
import type { WriteTableOptions } from '../../../show/terminal/write-table.ts';
import type { RowSource } from '../../../show/text/row-source.ts';
import type { WriteChartOptions } from '../../../show/write-chart.ts';
import type { WriteResultOptions } from '../../../show/write-result.ts';
import { answerQuestion, streamFor, type AnswerOptions } from '../../answer/answer-question.ts';
import { formatToWrite } from '../../output/format-to-write.ts';
import { refuseBytes } from '../../output/stdout.ts';
import { allowsColour } from '../../output/terminal-abilities.ts';
import { toChunks, writeAnswerFile } from '../../output/write-answer-file.ts';
import type { Effects, Sink } from '../../process/effects.ts';
import { type ExitCode, exitCodes } from '../../process/exit-code.ts';
import type { GlobalFlags } from '../../process/global-flags.ts';
import { lineWidth } from '../../process/line-width.ts';
import type { UsersAsked } from '../../users/list-users.ts';
import { unwrap } from '../../workspace/refuse.ts';
import type { ChartFlagValues } from '../command/chart-options.ts';
import type { QueryFlags } from '../command/command-flags.ts';
import type { Invocation } from '../command/invocation.ts';
import { tellRejected, toReporter } from '../command/reporter.ts';

interface AnswerPlace {
  readonly formats: readonly FormatName[];
  /** File name without extension, if `-o` names a folder. */
  readonly name: string;
  /** True for one of several answers: `-o` then names a folder even for one format, and messages name the answer. */
  readonly amongOthers?: boolean | undefined;
  /** The same figures, arranged for tables. */
  readonly table?: Result | undefined;
  /** How to draw it, if known. */
  readonly chart?: ChartFlagValues | undefined;
}

/** Writes an answer, or its streamed rows, in all formats to the output of the flags, and prints its notes. */
export async function writeAnswer(
  answer: Result | RowSource,
  place: AnswerPlace,
  { flags, effects }: Invocation<QueryFlags>,
): Promise<void> {
  const { formats, name, amongOthers } = place;
  const target = flags.output === undefined ? undefined : path.resolve(effects.cwd, flags.output);
  const intoFolder = amongOthers || formats.length > 1;
  if (target !== undefined && intoFolder) {
    const { makeOutputFolder } = await import('../../../run/file/make-folder.ts');
    await makeOutputFolder(target);
  }
  const boxes = new Set<string>();
  const drawing = formats.some(isChartFormat) ? await import('../command/chart-options.ts') : undefined;
  const chart = drawing
    ? {
        ...(await drawing.toChartOptions(place.chart, flags, effects)),
        onMissing: (missing: readonly string[]) => missing.forEach((character) => boxes.add(character)),
      }
    : undefined;
  const shared = { withProvenance: flags.withProvenance, rawCells: flags.rawCsv, chart, signal: effects.signal };
  for (const format of formats) {
    const shown = place.table && (format === 'table' || format === 'markdown') ? place.table : answer;
    if (target === undefined) {
      await writeChunks(
        effects.stdout,
        toChunks(shown, format, {
          ...shared,
          chart: chart && { ...chart, ...drawing?.toDrawing(flags, effects) },
          table: tableOptions(flags, effects, shown.columns),
          arrowForm: 'stream',
        }),
        effects.signal,
      );
    } else {
      await writeAnswerFile(shown, format, intoFolder ? path.join(target, name + toFileExtension(format)) : target, {
        ...shared,
        ...fileWidth(flags, chart),
      });
    }
  }
  if (boxes.size > 0) {
    const { describeMissingGlyphs } = await import('../../chart/missing-glyphs.ts');
    await toReporter(flags, effects, amongOthers ? name : undefined).alert(describeMissingGlyphs([...boxes]));
  }
  const isTold =
    target === undefined &&
    formats.every((format) => format === 'table' || format === 'markdown' || format === 'chart');
  await narrate(answer.provenance, place, isTold, flags, effects);
}

/** Rows of a table if the height of the screen is unknown. */
const usualRows = 50;

/** How to draw a table on stdout. `columns`: those of an answer, which a chart can draw. */
export function tableOptions(
  { all, color, width }: Pick<QueryFlags, 'all'> & GlobalFlags,
  { stdout, env }: Effects,
  columns: readonly Column[] = [],
): WriteTableOptions {
  const isSeries = columns.some(({ granularity }) => granularity !== undefined);
  // Leave room for headings, marks, notes and the prompt.
  const screenful = stdout.isTerminal && stdout.rows ? Math.max(20, stdout.rows - 8) : usualRows;
  return {
    width: lineWidth({ width }, { stdout, env }) ?? Infinity,
    maxRows: all ? undefined : screenful,
    howToSeeAll: `--all prints all${isSeries ? ', -f chart draws them' : ''}`,
    colour: allowsColour(color, env, stdout.isTerminal),
  };
}

/** Files have all columns and no colour, regardless of the terminal. Only `--width` limits them. */
export function fileTableOptions({ width = Infinity }: GlobalFlags): WriteTableOptions {
  return { width, colour: false };
}

function fileWidth(
  flags: GlobalFlags,
  chart: WriteChartOptions | undefined,
): Pick<WriteResultOptions, 'table' | 'chart'> {
  const { width } = flags;
  return width === undefined
    ? {}
    : { table: fileTableOptions(flags), chart: chart && { ...chart, terminal: { width, colours: 0 } } };
}

/** Prints notes, except those that the answer itself shows. */
async function narrate(
  provenance: Provenance,
  { name, amongOthers }: AnswerPlace,
  isTold: boolean,
  flags: GlobalFlags,
  effects: Effects,
): Promise<void> {
  const voice = toReporter(flags, effects, amongOthers ? name : undefined);
  const { rejected, elapsedMs, backend, source, query, rows, kept } = provenance;
  // The note of a table on the screen says it already; a person who sends the table elsewhere does not see the note.
  const isSeen = isTold && effects.stdout.isTerminal && !flags.verbose;
  if (rejected.count > 0 && !isSeen) await tellRejected(rejected, voice, effects.cwd);
  const notes = isTold ? [] : toNotes({ ...provenance, rejected: nothingRejected });
  for (const { text, alert } of notes) {
    // Reaching a limit is expected if the query sets it; a default limit must not go unnoticed.
    await (alert && query.limit === undefined ? voice.alert(text) : voice.note(text));
  }
  await voice.detail(
    `${amongOthers ? '' : `${name}: `}${rows} ${plural(rows, 'row')} from ${source} by ${backend}` +
      ` in ${Math.round(elapsedMs)} ms${kept === undefined ? '' : `, kept since ${kept}`}`,
  );
}

/** `--users`: the users behind an answer, in any row format. */
export async function writeUsers(
  { session, bound }: UsersAsked,
  formats: readonly FormatName[],
  invocation: Invocation<QueryFlags>,
): Promise<ExitCode> {
  const { flags, effects } = invocation;
  const stream = streamFor(formats, flags);
  await using answered = await answerQuestion(session, bound, { signal: effects.signal, stream });
  await writeAnswer(answered.rows, { formats, name: 'users' }, invocation);
  return exitCodeFor(answered.rows);
}

/** Tables for people show compared ranges side by side; other formats have the rows of the API. */
export function toAnswerOptions(flags: QueryFlags, formats: readonly FormatName[], signal: AbortSignal): AnswerOptions {
  const forPeople = formats.every((format) => !isRowFormat(format));
  return {
    signal,
    ranges: forPeople ? 'beside' : 'stacked',
    fill: flags.fill,
    fillWith: flags.fillWith === undefined ? undefined : 0,
  };
}

/**
 * The formats of the flags, or of the output file's extension; default: a chart if its kind is given, otherwise a
 * table. Throws `InvalidInputError`.
 */
export function readFormats(flags: QueryFlags, isTerminal: boolean): readonly FormatName[] {
  const formats = namedFormats(flags, isTerminal);
  if (flags.rawCsv && !formats.some((name) => name === 'csv' || name === 'tsv'))
    throw usageError(`--raw-csv requires csv or tsv, not ${formats.join(', ')}.`, 'Add `-f csv`.');
  return formats;
}

function namedFormats(
  { format, output, allSaved, explain, chart }: QueryFlags,
  isTerminal: boolean,
): readonly FormatName[] {
  if (format === undefined && output !== undefined && !allSaved && !explain)
    return [formatToWrite(output, undefined, '-f')];
  const formats = (format ?? [chart === undefined ? 'table' : 'chart']).map((name) =>
    unwrap(readFormatName(name, ['--format']), 'The format'),
  );
  if (formats.length > 1 && output === undefined)
    throw usageError('Several formats need an output folder.', 'Add `-o FOLDER`.');
  if (
    allSaved &&
    output === undefined &&
    formats.some((name) => name !== 'table' && name !== 'markdown' && name !== 'chart')
  ) {
    throw usageError(`Several answers as ${formats[0]} need an output folder.`, 'Add `-o FOLDER`.');
  }
  const [only] = formats;
  if (only && output === undefined && !explain) refuseBytes(only, 'answer', { isTerminal });
  if (only && output !== undefined && formats.length === 1 && !allSaved) formatToWrite(output, only, '-f');
  return formats;
}

export function exitCodeFor({ provenance }: { readonly provenance: Provenance }): ExitCode {
  return provenance.rejected.count > 0 ? exitCodes.partial : exitCodes.done;
}

/** Writes chunks in sequence, at the pace of the reader. */
export async function writeChunks(sink: Sink, chunks: Chunks, signal: AbortSignal): Promise<void> {
  for await (const chunk of chunks) {
    throwIfAborted(signal);
    await sink.write(chunk);
  }
}
