import { plural } from '../../../ask/text.ts';
import type { RejectedLines } from '../../../run/backend.ts';
import { encodingHint } from '../../../run/duckdb/reading/unfit-file.ts';
import { showPath } from '../../process/show-path.ts';
import type { Reporter } from './narrate.ts';

/** Names the lines that could not be read, one by one, also to those who want to hear nothing. */
export async function tellRejected(
  { count, examples }: RejectedLines,
  voice: Reporter,
  cwd: string,
  consequence = ' (exit code 5)',
): Promise<void> {
  if (count === 0) return;
  for (const { file, line, reason } of examples) await voice.alert(`${showPath(file, cwd)}:${line}: ${reason}`);
  if (count > examples.length) await voice.alert(`… and ${count - examples.length} more`);
  const hint = encodingHint(examples);
  if (hint !== undefined) await voice.alert(`  hint: ${hint}`);
  await voice.alert(`${count} ${plural(count, 'line is', 'lines are')} not counted${consequence}`);
}
