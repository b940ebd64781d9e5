import path from 'node:path';
import type { Result } from '../../../shape/result.ts';
import { toFileExtension, type FormatName } from '../../../show/format-name.ts';
import { toNotes } from '../../../show/notes.ts';
import type { WriteTableOptions } from '../../../show/terminal/write-table.ts';
import { writeResult } from '../../../show/write-result.ts';
import type { QueryFlags } from '../command-flags.ts';
import type { Effects } from '../effects.ts';
import type { GlobalFlags } from '../global-flags.ts';
import { toVoice } from '../narrate.ts';
import { writeChunks, writeFileWhole } from '../output.ts';
import type { Invocation } from '../invocation.ts';
import { tellRejected } from '../tell-rejected.ts';

export interface AnswerPlace {
  readonly formats: readonly FormatName[];
  /** What a file is called when `-o` names a folder. */
  readonly name: string;
  /** `-o` names a folder even for one format. */
  readonly intoFolder?: boolean | undefined;
}

/** Writes an answer in all formats to where the flags say, and says what is to be said beside it. */
export async function writeAnswer(result: Result, place: AnswerPlace, { flags, effects }: Invocation<QueryFlags>): Promise<void> {
  const { formats, name } = place;
  for (const format of formats) {
    const file = outputFile(place, format, flags, effects);
    const table = file === undefined ? tableOptions(flags, effects) : { width: Infinity, colour: false };
    const chunks = writeResult(result, format, { table, withProvenance: flags.withProvenance });
    if (file === undefined) await writeChunks(effects.stdout, chunks, effects.signal);
    else await writeFileWhole(file, chunks, effects.signal);
  }
  const isTold = flags.output === undefined && formats.every((format) => format === 'table' || format === 'markdown');
  await narrate(result, name, isTold, flags, effects);
}

function outputFile({ formats, name, intoFolder }: AnswerPlace, format: FormatName, { output }: QueryFlags, { cwd }: Effects): string | undefined {
  if (output === undefined) return undefined;
  const target = path.resolve(cwd, output);
  return formats.length > 1 || intoFolder ? path.join(target, name + toFileExtension(format)) : target;
}

/** Rows of a table where nobody knows how high the screen is. */
const usualRows = 50;

export function tableOptions({ all, color }: QueryFlags & GlobalFlags, { stdout, env }: Effects): WriteTableOptions {
  // Headings, marks and notes want some lines, and so does the prompt.
  const screenful = stdout.isTerminal && stdout.rows ? Math.max(20, stdout.rows - 8) : usualRows;
  return {
    width: stdout.isTerminal ? stdout.columns || 80 : Infinity,
    maxRows: all ? undefined : screenful,
    colour: stdout.isTerminal && color !== false && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb',
  };
}

/** Says what is to be known, but for what the answer itself tells already. */
async function narrate(result: Result, name: string, isTold: boolean, flags: GlobalFlags, effects: Effects): Promise<void> {
  const voice = toVoice(flags, effects);
  const { rejected, elapsedMs, backend, source, query } = result.provenance;
  await tellRejected(rejected, voice, effects.cwd);
  const notes = isTold ? [] : toNotes({ ...result.provenance, rejected: { count: 0, examples: [] } });
  for (const { text, alert } of notes) {
    // Who names a limit expects it to be reached; one that nobody named must not go unnoticed.
    await (alert && query.limit === undefined ? voice.alert(text) : voice.note(text));
  }
  await voice.detail(`${name}: ${result.rowCount} rows from ${source} by ${backend} in ${Math.round(elapsedMs)} ms`);
}
