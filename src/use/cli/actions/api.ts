import path from 'node:path';
import { errorIssue } from '../../../ask/outcome.ts';
import { failuresInside, isChange, type Operation } from '../../../ask/platform/operation.ts';
import { hideSecrets } from '../../../ask/platform/parameter.ts';
import { InvalidInputError, usageError } from '../../../ask/sluice-error.ts';
import { plural, quote, showText } from '../../../ask/text.ts';
import { readBaseAddress } from '../../../run/http/address.ts';
import { findNextLink } from '../../../run/http/paginate.ts';
import {
  type ApiService,
  callOperation,
  downloadOperation,
  listAll,
  runOperation,
} from '../../../run/platform/api/open-platform-api.ts';
import type { Settings } from '../../config/settings.ts';
import { listOperations } from '../../platform/list-operations.ts';
import { readGiven, type TypedParameter } from '../../platform/read-given.ts';
import { toShownRequest, writeRequest } from '../../platform/show-request.ts';
import type { Effects } from '../../process/effects.ts';
import { type ExitCode, exitCodes } from '../../process/exit-code.ts';
import type { GlobalFlags } from '../../process/global-flags.ts';
import { lineWidth } from '../../process/line-width.ts';
import { showBytes } from '../../process/show-path.ts';
import { openPlatformService, platformAddress } from '../../workspace/open-remote.ts';
import type { ApiFlags, ApiListFlags } from '../command/command-flags.ts';
import type { Invocation } from '../command/invocation.ts';
import { toReporter } from '../command/reporter.ts';
import { openCommandSettings, remoteSurroundings } from '../command/open-workspace.ts';
import { openProgress } from '../command/progress.ts';
import type { RecordFormat } from '../command/flag-values.ts';
import { openAsker } from '../command/terminal-asker.ts';
import { type Rec, writeJson, writeRecords } from './write-records.ts';

/** The arguments after `sluice api`. */
interface TypedCall {
  readonly resource: string;
  readonly name: string;
  readonly asked: Operation;
  /** Parameters given as flags. */
  readonly typed: readonly TypedParameter[];
  /** Parameters whose names are flags of sluice. */
  readonly clashing: readonly string[];
}

/** `sluice api RESOURCE OPERATION`. */
export async function runApi(call: TypedCall, { flags, effects }: Invocation<ApiFlags>): Promise<ExitCode> {
  const { asked } = call;
  refuseClashes(call, flags);
  const format = readFormat(flags);
  const typed = [...call.typed, ...(flags.param ?? []).map(readParam)];
  const given = await readGiven(asked, typed, effects);
  const { settings, root, warnings } = await openCommandSettings(flags, effects);
  const voice = toReporter(flags, effects);
  for (const warning of warnings) await voice.note(warning);
  if (flags.dryRun) {
    const request = await toShownRequest(asked, given, readBaseAddress(platformAddress(settings)));
    const text = flags.format === 'json' ? `${writeJson(request, 2)}\n` : writeRequest(request);
    await effects.stdout.write(text.split('\n').map(showText).join('\n'));
    return exitCodes.done;
  }
  if (asked.download !== undefined && flags.output === undefined)
    throw usageError('Specify the file to write.', `Add \`-o project.tar.gz\`.`);
  if (isChange(asked)) await demandYes(call, given, settings, flags, effects);
  const service = await openPlatformService(
    withTokenFile(settings, flags, effects),
    remoteSurroundings(flags, effects, root),
  );
  await using _http = service.http;
  await using progress = openProgress(flags, effects);
  const failures = await carryOut(service, { asked, given, format }, flags, effects, (text) => progress.update(text));
  await progress.wipe();
  for (const failure of failures) await voice.alert(failure);
  if (failures.length === 0) return exitCodes.done;
  await voice.alert(`${failures.length} ${plural(failures.length, 'failure', 'failures')} (exit code 5)`);
  return exitCodes.partial;
}

interface Work {
  readonly asked: Operation;
  readonly given: Readonly<Record<string, unknown>>;
  readonly format: RecordFormat;
}

/** Calls the operation. Resolves with partial failures within a success. */
async function carryOut(
  service: ApiService,
  { asked, given, format }: Work,
  flags: ApiFlags & GlobalFlags,
  effects: Effects,
  tell: (text: string) => void,
): Promise<readonly string[]> {
  const { signal } = effects;
  const voice = toReporter(flags, effects);
  const show = (data: unknown) => (flags.reveal ? data : hideSecrets(Object.values(asked.answers)[0]!, data));
  if (asked.download !== undefined) {
    const to = path.resolve(effects.cwd, flags.output!);
    const onProgress = ({ bytes, totalBytes }: { bytes: number; totalBytes?: number | undefined }) =>
      tell(`downloading: ${showBytes(bytes)}${totalBytes === undefined ? '' : ` of ${showBytes(totalBytes)}`}`);
    await downloadOperation(service, asked, given, { to, signal, onProgress });
    await voice.note(`Wrote ${flags.output}.`);
    return [];
  }
  if (asked.pagination !== undefined && flags.all) {
    const failures: string[] = [];
    let count = 0;
    const records = async function* () {
      for await (const item of listAll(service, asked, given, signal)) {
        failures.push(...failuresInside(asked, item));
        count += 1;
        tell(`${count} items`);
        yield (show([item]) as readonly Rec[])[0]!;
      }
    };
    await writeRecords({ records: records() }, format, flags, effects);
    return failures;
  }
  tell('waiting for the platform');
  if (asked.pagination !== undefined) {
    const { data, headers, failures } = await callOperation(service, asked, given, signal);
    const records = show(data) as readonly Rec[];
    await writeRecords({ records }, format, { ...flags, all: true }, effects);
    if (findNextLink(headers.get('link')) !== undefined)
      await voice.note(`This is the first page (${records.length} items). --all reads all pages.`);
    return failures;
  }
  const { data, failures, status } = await runOperation(service, asked, given, {
    follow: flags.follow,
    onState: (state) => tell(state),
    signal,
  });
  if (data === null) await voice.note(status === 404 ? 'There is none.' : `Done (${status}).`);
  else await writeRecords({ one: show(data) }, format, flags, effects);
  return failures;
}

/** `name=value`. */
function readParam(text: string): TypedParameter {
  const [, name, value] = /^([\w[\]]+)=([^]*)$/.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return { name, text: value };
  // Do not quote the text: it may be a secret.
  throw usageError('--param takes a name, an equals sign and a value.', 'Write `-p state=active`.');
}

/** Refuses a global flag that has the name of a parameter: the user probably meant the parameter. */
function refuseClashes({ clashing }: TypedCall, flags: GlobalFlags): void {
  const given = clashing.find((name) => flags[name as keyof GlobalFlags] !== undefined);
  if (given === undefined) return;
  throw usageError(
    `--${given} is a flag of every command, and not the parameter ${quote(given)}.`,
    `Write \`-p ${given}=…\`.`,
  );
}

function readFormat({ format, output }: ApiFlags): RecordFormat {
  if (format !== undefined) return format;
  const endings: Readonly<Record<string, RecordFormat>> = {
    '.json': 'json',
    '.ndjson': 'ndjson',
    '.jsonl': 'ndjson',
    '.csv': 'csv',
  };
  return endings[path.extname(output ?? '').toLowerCase()] ?? 'table';
}

/** Asks the user to confirm; without a terminal, requires `--yes`. */
async function demandYes(
  { asked }: TypedCall,
  given: Work['given'],
  settings: Settings,
  flags: ApiFlags & GlobalFlags,
  effects: Effects,
): Promise<void> {
  if (flags.yes) return;
  const { method, url } = await toShownRequest(asked, given, readBaseAddress(platformAddress(settings)));
  if (!effects.terminal)
    throw new InvalidInputError(
      `This would ${asked.about}: ${method} ${url}`,
      [errorIssue('not-confirmed', `This would ${asked.about}.`)],
      { hint: 'Add --yes to do it, or --dry-run to see the request.' },
    );
  const { stderr, env, signal } = effects;
  const width = lineWidth(flags, { stdout: stderr, env }) ?? 80;
  const asker = await openAsker(effects.terminal, width, signal, 'Nothing was sent.');
  if (await asker.confirm(`${method} ${url}: ${asked.about}?`, false)) return;
  throw new InvalidInputError('Nothing was sent.', [errorIssue('not-confirmed', 'Nothing was sent.')]);
}

/** The settings with the token of `--token-file`. */
export function withTokenFile(
  settings: Settings,
  { tokenFile }: Pick<ApiFlags, 'tokenFile'>,
  { cwd }: Effects,
): Settings {
  if (tokenFile === undefined) return settings;
  const file = path.resolve(cwd, tokenFile);
  return { ...settings, token: { value: { kind: 'file', file }, origin: 'flag --token-file' } };
}

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
