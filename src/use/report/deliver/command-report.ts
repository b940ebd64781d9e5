import { ConfigError } from '../../../ask/sluice-error.ts';
import { quote } from '../../../ask/text.ts';
import type { CommandDelivery } from '../../../tell/delivery/delivery.ts';
import { unwrap } from '../../workspace/refuse.ts';
import { readReportFormat, renderReport, toReportEnding } from '../report-format.ts';
import type { DeliveryWorld, Outgoing, Sent } from './outgoing.ts';
import { pipeInto, succeeds } from './pipe-into.ts';

/**
 * Gives a report to a command of the configuration, once for each format: the file on stdin, its name in `SLUICE_NAME`.
 * A report names a command and does not hold one: who may write reports may not run programs. What the receiver has
 * already is not sent again, if it can be asked: the records may be lost. Errors:
 * `command-missing`, `command-failed`.
 */
export async function runCommand(
  { command, formats: wanted }: CommandDelivery,
  { report, base }: Outgoing,
  world: DeliveryWorld,
): Promise<Sent> {
  const setting = Object.hasOwn(world.commands ?? {}, command) ? world.commands?.[command] : undefined;
  if (setting === undefined) {
    throw new ConfigError(`The configuration has no command ${quote(command)}.`, {
      code: 'command-missing',
      hint: 'Add it to sluice.yaml: `commands: {s3: aws s3 cp - "s3://reports/$SLUICE_NAME"}`.',
    });
  }
  const { run: program, has } = typeof setting === 'string' ? { run: setting } : setting;
  const formats = [...new Set(wanted.map((format) => unwrap(readReportFormat(format), 'The format')))];
  let bytes = 0;
  const missing = new Set<string>();
  for (const format of formats) {
    const variables = { SLUICE_NAME: base + toReportEnding(format), SLUICE_REPORT: report.name };
    if (has !== undefined && !world.force && (await succeeds(has, world, variables))) continue;
    const rendered = await renderReport(report, format, { base: undefined });
    await pipeInto(program, rendered.main, world, {
      what: `The command ${command}`,
      code: 'command-failed',
      setting: `commands.${command}`,
      variables,
    });
    bytes += Buffer.byteLength(rendered.main);
    for (const character of rendered.missing ?? []) missing.add(character);
  }
  return { formats, bytes, files: [], missing: [...missing] };
}
