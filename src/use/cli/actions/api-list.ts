import type { ApiListFlags } from '../command/command-flags.ts';
import type { Invocation } from '../command/invocation.ts';
import { type ExitCode, exitCodes } from '../../process/exit-code.ts';
import { listOperations } from '../../platform/list-operations.ts';
import { writeRecords } from './write-records.ts';

/** `sluice api list`. */
export async function runApiList({ flags, effects }: Invocation<ApiListFlags>): Promise<ExitCode> {
  const operations = listOperations();
  const isTable = flags.format === 'table';
  const rows = isTable
    ? operations.map(({ resource, operation, method, path, about, tier, role }) => ({
        resource,
        operation,
        method,
        path,
        about,
        tier,
        role,
      }))
    : operations.map((each) => ({ ...each }));
  await writeRecords({ records: rows }, flags.format, { ...flags, all: true }, effects);
  return exitCodes.done;
}
