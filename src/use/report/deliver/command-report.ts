import { ConfigError } from '../../../ask/sluice-error.ts';
import { quote } from '../../../ask/text.ts';
import type { CommandDelivery } from '../../../tell/delivery/delivery.ts';
import { unwrap } from '../../workspace/refuse.ts';
import { readReportFormat, renderReport, toReportEnding } from '../report-format.ts';
import type { DeliveryWorld, Outgoing, Sent } from './outgoing.ts';
import { pipeInto, succeeds } from './pipe-into.ts';
import { markOf } from './recipients.ts';

/**
 * Pipes a report into a configured command, once for each format: the file on stdin, its name in `SLUICE_NAME`. Reports
 * only name a command, because authors of reports must not be able to run programs. A retry leaves out the formats that
 * the command took. If the receiver can be asked, also skips what it already has, because the records may be lost.
 * Errors: `command-missing`, `command-failed`.
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
    const mark = markOf(format);
    if (world.receipts?.has(mark)) continue;
    if (has !== undefined && !world.force && (await succeeds(has, world, variables))) continue;
    const rendered = await renderReport(report, format, { base: undefined, printing: world });
    await pipeInto(program, rendered.main, world, {
      what: `The command ${command} for ${variables.SLUICE_NAME}`,
      code: 'command-failed',
      setting: `commands.${command}`,
      variables,
    });
    await world.receipts?.add(mark);
    bytes += Buffer.byteLength(rendered.main);
    for (const character of rendered.missing ?? []) missing.add(character);
  }
  return { formats, bytes, files: [], missing: [...missing] };
}
