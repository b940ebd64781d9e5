import path from 'node:path';
import type { Result } from '../../../shape/result.ts';
import { toFileExtension, type FormatName } from '../../../show/format-name.ts';
import { toNotes } from '../../../show/notes.ts';
import type { WriteTableOptions } from '../../../show/terminal/write-table.ts';
import { writeResult } from '../../../show/write-result.ts';
import { showPath } from '../../show-path.ts';
import type { QueryFlags } from '../commands/query.ts';
import type { Effects } from '../effects.ts';
import type { GlobalFlags } from '../global-flags.ts';
import { toVoice } from '../narrate.ts';
import { writeChunks, writeFileWhole } from '../output.ts';
import type { Invocation } from '../program.ts';

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
  const screenful = stdout.isTerminal && stdout.rows !== undefined ? Math.max(20, stdout.rows - 8) : usualRows;
  return {
    width: stdout.isTerminal ? stdout.columns ?? 80 : Infinity,
    maxRows: all ? undefined : screenful,
    colour: stdout.isTerminal && color !== false && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb',
  };
}

/** Lines that could not be read are told one by one; the rest only where the answer itself does not tell it. */
async function narrate(result: Result, name: string, isTold: boolean, flags: GlobalFlags, effects: Effects): Promise<void> {
  const voice = toVoice(flags, effects);
  const { rejected, elapsedMs, backend, source } = result.provenance;
  for (const { file, line, reason } of rejected.examples) await voice.alert(`${showPath(file, effects.cwd)}:${line}: ${reason}`);
  const more = rejected.count - rejected.examples.length;
  if (more > 0) await voice.alert(`… and ${more} more lines that could not be read`);
  if (!isTold) {
    // Who names a limit expects it to be reached; one that nobody named must not go unnoticed.
    const expected = result.provenance.query.limit !== undefined;
    for (const { text, alert } of toNotes({ ...result.provenance, rejected: { count: 0, examples: [] } })) {
      await (alert && !expected ? voice.alert(text) : voice.note(text));
    }
  }
  if (rejected.count > 0) await voice.alert(`${rejected.count} ${rejected.count === 1 ? 'line is' : 'lines are'} in no figure (exit code 5)`);
  await voice.detail(`${name}: ${result.rowCount} rows from ${source} by ${backend} in ${Math.round(elapsedMs)} ms`);
}
