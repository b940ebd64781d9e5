import { exitCodes, type ExitCode } from '../exit-code.ts';
import { examine, type Examination } from '../../first-day/examine.ts';
import { version } from '../../version.ts';
import type { DoctorFlags } from '../command-flags.ts';
import type { Invocation } from '../invocation.ts';
import { toVoice } from '../narrate.ts';
import { readCommandSettings, withSample } from '../open-workspace.ts';
import { classOf } from '../report-error.ts';
import { textWidth } from '../text-width.ts';
import { writeFinding, writeFindingsJson } from './doctor-text.ts';
import { writeSettings } from './settings-text.ts';
import { sanitize } from '../../../show/sanitize.ts';

/** `sluice doctor`: every setting with its origin, then what works and what does not: one fault hides no other. */
export async function runDoctor({ flags, effects }: Invocation<DoctorFlags>): Promise<ExitCode> {
  const { cwd, env, now, signal, stdout } = effects;
  const voice = toVoice(flags, effects);
  const read = await readCommandSettings(flags, effects);
  for (const warning of read.warnings) await voice.note(warning);
  const { settings, note, asOf } = await withSample(read, cwd);
  if (note !== undefined) await voice.note(note);
  const examination: Examination = {
    settings, faults: read.faults, root: read.root, cwd, env, signal, isSample: note !== undefined,
    now: asOf === undefined ? now : () => asOf, warn: (text) => voice.note(text),
  };
  const findings = [];
  const isJson = flags.format === 'json';
  if (!isJson) {
    await stdout.write(`sluice ${version} on Node ${process.versions.node}\nworkspace ${sanitize(read.root)}${read.file === undefined ? ', no configuration' : `, configured by ${sanitize(read.file)}`}\n\n${writeSettings(settings, cwd)}\n`);
  }
  for await (const finding of examine(examination)) {
    findings.push(finding);
    if (!isJson) await stdout.write(writeFinding(finding, textWidth(flags, effects)));
  }
  if (isJson) await stdout.write(writeFindingsJson({ version, node: process.versions.node, root: read.root, file: read.file, settings, cwd, findings }));
  const fault = findings.find(({ verdict }) => verdict === 'fails');
  return fault === undefined ? exitCodes.done : classOf(fault.error);
}
