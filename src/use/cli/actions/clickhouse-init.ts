import { createEventTable } from '../../clickhouse/manage-clickhouse.ts';
import { type ExitCode, exitCodes } from '../../process/exit-code.ts';
import type { ClickHouseInitFlags } from '../command/command-flags.ts';
import type { Invocation } from '../command/invocation.ts';
import { openCommandWorkspace } from '../command/open-workspace.ts';

/** `sluice clickhouse init`. */
export async function runClickHouseInit({ flags, effects }: Invocation<ClickHouseInitFlags>): Promise<ExitCode> {
  const workspace = await openCommandWorkspace(flags, effects);
  for (const warning of workspace.warnings) await workspace.note(warning);
  const statements = await createEventTable(workspace, { apply: flags.apply });
  await effects.stdout.write(`${statements.join(';\n\n')};\n`);
  await workspace.note(
    flags.apply
      ? 'The table of events exists on the server.'
      : 'Nothing was changed. Run the SQL on the server, or use --apply.',
  );
  return exitCodes.done;
}
