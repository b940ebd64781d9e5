import path from 'node:path';
import { plural } from '../../../ask/text.ts';
import { nothingRejected } from '../../../run/backend.ts';
import type { Provenance } from '../../../shape/result/provenance.ts';
import type { Result } from '../../../shape/result/result.ts';
import { type FormatName, isChartFormat, toFileExtension } from '../../../show/format-name.ts';
import { toNotes } from '../../../show/labels/notes.ts';
import type { WriteTableOptions } from '../../../show/terminal/write-table.ts';
import type { RowSource } from '../../../show/text/row-source.ts';
import type { WriteChartOptions } from '../../../show/write-chart.ts';
import type { WriteResultOptions } from '../../../show/write-result.ts';
import { answerQuestion, streamFor } from '../../answer/answer-question.ts';
import { allowsColour } from '../../output/terminal-abilities.ts';
import { toChunks, writeAnswerFile } from '../../output/write-answer-file.ts';
import type { Effects } from '../../process/effects.ts';
import type { ExitCode } from '../../process/exit-code.ts';
import type { GlobalFlags } from '../../process/global-flags.ts';
import { lineWidth } from '../../process/line-width.ts';
import type { UsersAsked } from '../../users/list-users.ts';
import type { ChartFlagValues } from '../command/chart-options.ts';
import type { QueryFlags } from '../command/command-flags.ts';
import type { Invocation } from '../command/invocation.ts';
import { tellRejected, toReporter } from '../command/reporter.ts';
import { writeChunks } from '../command/output.ts';
import { exitCodeFor } from './answer-settings.ts';

export interface AnswerPlace {
  readonly formats: readonly FormatName[];
  /** What a file is called when `-o` names a folder. */
  readonly name: string;
  /** One of several answers: `-o` names a folder even for one format, and what is said names the answer. */
  readonly amongOthers?: boolean | undefined;
  /** The same figures, laid out for tables that people read. */
  readonly table?: Result | undefined;
  /** What is known of how to draw it. */
  readonly chart?: ChartFlagValues | undefined;
}

/**
 * Writes an answer, or its rows piece by piece, in all formats to where the flags say, and says what is to be said
 * beside it.
 */
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
  const shared = { withProvenance: flags.withProvenance, chart, signal: effects.signal };
  for (const format of formats) {
    const shown = place.table && (format === 'table' || format === 'markdown') ? place.table : answer;
    if (target === undefined) {
      await writeChunks(
        effects.stdout,
        toChunks(shown, format, {
          ...shared,
          chart: chart && { ...chart, ...drawing?.toDrawing(flags, effects) },
          table: tableOptions(flags, effects),
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

/** Rows of a table where nobody knows how high the screen is. */
const usualRows = 50;

/** How a table is drawn on stdout. */
export function tableOptions(
  { all, color, width }: Pick<QueryFlags, 'all'> & GlobalFlags,
  { stdout, env }: Effects,
): WriteTableOptions {
  // Headings, marks and notes want some lines, and so does the prompt.
  const screenful = stdout.isTerminal && stdout.rows ? Math.max(20, stdout.rows - 8) : usualRows;
  return {
    width: lineWidth({ width }, { stdout, env }) ?? Infinity,
    maxRows: all ? undefined : screenful,
    howToSeeAll: '--all prints all',
    colour: allowsColour(color, env, stdout.isTerminal),
  };
}

/** A file has all columns and no colour, whatever the terminal; only where a width is asked for, it has that one. */
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

/** Says what is to be known, but for what the answer itself tells already. */
async function narrate(
  provenance: Provenance,
  { name, amongOthers }: AnswerPlace,
  isTold: boolean,
  flags: GlobalFlags,
  effects: Effects,
): Promise<void> {
  const voice = toReporter(flags, effects, amongOthers ? name : undefined);
  const { rejected, elapsedMs, backend, source, query, rows, kept } = provenance;
  if (rejected.count > 0) {
    await tellRejected(rejected, voice, effects.cwd);
  }
  const notes = isTold ? [] : toNotes({ ...provenance, rejected: nothingRejected });
  for (const { text, alert } of notes) {
    // Who names a limit expects it to be reached; one that nobody named must not go unnoticed.
    await (alert && query.limit === undefined ? voice.alert(text) : voice.note(text));
  }
  await voice.detail(
    `${amongOthers ? '' : `${name}: `}${rows} ${plural(rows, 'row')} from ${source} by ${backend} in ${Math.round(elapsedMs)} ms${kept === undefined ? '' : `, kept since ${kept}`}`,
  );
}

/** `--users`: who stands behind an answer, in any format that rows have. */
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
