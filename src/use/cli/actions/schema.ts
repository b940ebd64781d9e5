import { type ExitCode, exitCodes } from '../../process/exit-code.ts';
import { type SchemaName, schemaOf } from '../../model/json-schemas.ts';
import type { Invocation } from '../command/invocation.ts';

/** `sluice schema`. */
export async function runSchema({ args, effects }: Invocation<object>): Promise<ExitCode> {
  await effects.stdout.write(`${JSON.stringify(await schemaOf((args[0] ?? 'query') as SchemaName), null, 2)}\n`);
  return exitCodes.done;
}
