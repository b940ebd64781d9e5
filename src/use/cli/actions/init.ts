import path from 'node:path';
import { sayIssue } from '../../../ask/outcome.ts';
import { columnsIn, type MappingProposal } from '../../../plan/mapping/propose-mapping.ts';
import { readZone } from '../../../ask/time/zone.ts';
import { toAddress, toProject } from '../../config/read-environment.ts';
import type { Effects } from '../../process/effects.ts';
import { type ExitCode, exitCodes } from '../../process/exit-code.ts';
import { classOf } from '../../process/report-error.ts';
import { shellWord } from '../../../ask/text.ts';
import { showBytes, showPath } from '../../process/show-path.ts';
import { promptWidth } from '../../process/text-width.ts';
import {
  type Answers,
  type Draft,
  fromFolder,
  type InitBackend,
  readGroup,
  type UsageGroup,
} from '../../setup/answers.ts';
import type { Finding } from '../../setup/check.ts';
import { lookAround, type Surroundings, toOffered } from '../../setup/look-around.ts';
import { proposeColumns, writeProposal } from '../../setup/proposed-columns.ts';
import { type SetupPlace, type Tried, tryAnswers, writeTried } from '../../setup/set-up.ts';
import { isEmptyFile, refuseExisting, type WrittenWorkspace } from '../../setup/write-workspace.ts';
import { openMappings } from '../../workspace/open-mappings.ts';
import type { InitFlags } from '../command/command-flags.ts';
import type { Invocation } from '../command/invocation.ts';
import { openCommandSettings } from '../command/open-workspace.ts';
import { type Reporter, toReporter } from '../command/reporter.ts';
import { completeDraft, readInitFlags } from './init-answers.ts';
import { type Asker, openAsker } from '../command/terminal-asker.ts';

/** Asks for answers that are missing in the draft. */
async function askForAnswers(asker: Asker, draft: Draft, around: Surroundings): Promise<Answers> {
  const backend =
    draft.backend ??
    (await asker.choose<InitBackend>(
      'Where are your events?',
      [
        { value: 'embedded', label: 'In files', hint: 'queried on this machine, without a network' },
        { value: 'platform', label: 'On the platform', hint: "a project's product analytics, over its API" },
        { value: 'cube', label: 'Behind a Cube server', hint: 'over its REST API' },
      ],
      draft.host === undefined ? 'embedded' : 'platform',
    ));
  if (backend === 'embedded')
    return finish(asker, { ...draft, backend, events: draft.events ?? (await askForEvents(asker, around)) }, around);
  const host = draft.host ?? (await askForHost(asker, backend, around));
  const project = backend === 'platform' ? (draft.project ?? (await askForProject(asker, around))) : draft.project;
  const token = draft.token ?? (around.tokens[backend] === undefined ? await askForToken(asker, backend) : undefined);
  return finish(asker, { ...draft, backend, host, project, token }, around);
}

async function finish(
  asker: Asker,
  draft: Draft & { readonly backend: InitBackend },
  around: Surroundings,
): Promise<Answers> {
  const timezone =
    draft.timezone ??
    (await asker.text('Which time zone do you report in?', {
      initial: around.timezone,
      check: (name) => readZone(name).issues.map(sayIssue)[0],
    }));
  const { proposal, ...others } = draft;
  const localZone = proposal && (await askForTimes(asker, proposal, timezone));
  const groups = draft.groups.length > 0 || draft.backend !== 'platform' ? draft.groups : await askForGroups(asker);
  const columns = proposal && columnsIn(proposal, timezone);
  return { ...others, ...(columns && { columns }), localZone, timezone, groups };
}

/** The zone of times without one. In UTC, days are those that the times say. */
async function askForTimes(asker: Asker, proposal: MappingProposal, timezone: string): Promise<string | undefined> {
  const own = readZone(timezone);
  if (!proposal.isLocal || proposal.isDated || (own.ok && own.value === 'UTC')) return undefined;
  return asker.choose('The times name no zone. In which zone are they?', [
    { value: 'UTC', label: 'UTC', hint: 'most databases and trackers' },
    { value: timezone, label: timezone, hint: 'most spreadsheets' },
  ]);
}

const datesNote = 'Dates without a time are read as days of the time zone that you report in.';

const elsewhere = 'elsewhere';
const noneYet = 'none';

async function askForEvents(asker: Asker, { eventFiles, store }: Surroundings): Promise<readonly string[]> {
  const chosen = await asker.choose('Which files?', [
    ...(store === undefined ? [] : [{ value: noneYet, label: `The store ${store}`, hint: 'events already loaded' }]),
    ...eventFiles.map((file) => ({ value: `file:${file}`, label: file })),
    {
      value: elsewhere,
      label: eventFiles.length === 0 ? 'Type a path' : 'Others',
      hint: 'a path, a folder or a pattern',
    },
    ...(store === undefined
      ? [{ value: noneYet, label: 'None yet', hint: 'use sample events, or load files later' }]
      : []),
  ]);
  if (chosen === noneYet) return [];
  if (chosen !== elsewhere) return [chosen.slice('file:'.length)];
  return [await asker.text('Path, folder or pattern', { example: 'events/*.ndjson.gz', check: notEmpty })];
}

function askForHost(asker: Asker, backend: InitBackend, around: Surroundings): Promise<string> {
  const [question, example] =
    backend === 'platform'
      ? ['URL of the platform', 'https://code.example.org']
      : ['URL of the Cube API', 'https://cube.example.org/cubejs-api/v1'];
  return asker
    .text(question, {
      example,
      initial: around.hosts[backend],
      check: (answer) =>
        notEmpty(answer) ?? (URL.canParse(toAddress(answer)) ? undefined : `Enter a URL such as ${example}`),
    })
    .then(toAddress);
}

function askForProject(asker: Asker, { project }: Surroundings): Promise<number | string> {
  return asker
    .text('Which project (number or path)?', { example: '42, or shop/web', initial: project, check: notEmpty })
    .then(toProject);
}

async function askForToken(asker: Asker, backend: InitBackend): Promise<Answers['token']> {
  const variable = backend === 'platform' ? 'SLUICE_TOKEN' : 'SLUICE_CUBE_TOKEN';
  const kind = await asker.choose(`Where is the access token? (${variable} is not set)`, [
    { value: 'variable', label: `I will set ${variable}`, hint: 'the token is not written to a file' },
    { value: 'file', label: 'From a file', hint: 'kept out of version control' },
    { value: 'command', label: 'From a command', hint: 'such as pass show analytics' },
  ]);
  if (kind === 'variable') return undefined;
  return kind === 'file'
    ? { kind, value: await asker.text('Which file?', { check: notEmpty }) }
    : {
        kind: 'command',
        value: await asker.text('Which command?', { example: 'pass show analytics', check: notEmpty }),
      };
}

async function askForGroups(asker: Asker): Promise<readonly UsageGroup[]> {
  const groups: UsageGroup[] = [];
  while (
    await asker.confirm(
      groups.length === 0 ? 'Add groups of projects for the usage report?' : 'Add another group?',
      false,
    )
  ) {
    const check = (answer: string): string | undefined => {
      const read = readGroup(answer);
      if (!read.ok) return read.issues.map(sayIssue)[0];
      return groups.some(({ name }) => name === read.value.name) ? 'A group with this name already exists.' : undefined;
    };
    const read = readGroup(await asker.text('Its name and projects', { example: 'acme=42,7', check }));
    if (read.ok) groups.push(read.value);
  }
  return groups;
}

function notEmpty(answer: string): string | undefined {
  return answer === '' ? 'Enter an answer, or press Ctrl-C to quit.' : undefined;
}

interface InitLocation extends SetupPlace {
  readonly effects: Effects;
  readonly show: (file: string) => string;
}

/** `sluice init`: asks or reads flags, tests the answers, and only then writes. */
export async function runInit({ args, flags: given, effects }: Invocation<InitFlags>): Promise<ExitCode> {
  const [file] = args;
  const flags = file === undefined ? given : { ...given, backend: 'embedded', events: [file, ...(given.events ?? [])] };
  const place: InitLocation = {
    config: path.resolve(effects.cwd, flags.config ?? 'sluice.yaml'),
    cwd: effects.cwd,
    env: effects.env,
    now: effects.now,
    signal: effects.signal,
    effects,
    show: (file) => showPath(file, effects.cwd),
  };
  const force = flags.force === true;
  const plain = fromFolder(readInitFlags(flags), place);
  const taken = await refuseExisting(place.config, force, place.show).then(
    () => undefined,
    (error: Error) => error,
  );
  if (taken && file === undefined) throw taken;
  const mappings =
    taken &&
    (await openCommandSettings({ config: given.config }, effects).then(
      ({ settings }) => openMappings(settings),
      () => {
        throw taken;
      },
    ));
  const proposed = await proposeColumns(flags.events, flags.encoding, place, mappings).catch((error: unknown) => {
    if (!force) throw taken ?? error;
  });
  if (taken && !proposed) throw taken;
  if (proposed) {
    const voice = toReporter(flags, effects);
    await voice.alert(writeProposal(proposed, datesNote));
    // `sluice init FILE > sluice.yaml`: the shell has created the empty file that receives the mapping.
    const isRedirected = !effects.stdout.isTerminal && (await isEmptyFile(place.config));
    if (taken || ((isRedirected || !effects.terminal) && !flags.yes)) {
      await voice.alert(
        isRedirected
          ? `Printed the mapping. Check it in ${place.show(place.config)}. Next: sluice doctor`
          : taken
            ? `${taken.message} Nothing was written. Add this to it:`
            : 'Nothing was written. Add this to sluice.yaml and correct it, or run the same command with --yes:',
      );
      await effects.stdout.write(proposed.yaml);
      return isRedirected ? exitCodes.done : exitCodes.wrongInput;
    }
  }
  const draft: Draft = { ...plain, proposal: proposed?.proposal };
  const around = await lookAround(place);
  if (effects.terminal && !flags.yes)
    return await initByAsking(
      draft,
      around,
      place,
      await openAsker(effects.terminal, promptWidth(effects.stderr), effects.signal),
      force,
    );
  const voice = toReporter(flags, effects);
  const offered = flags.yes ? toOffered(around) : undefined;
  const tried = await tryAnswers(completeDraft(draft, offered), place);
  for (const finding of tried.findings) await voice.note(writeFinding(force ? finding : withSameAgain(finding)));
  const fault = tried.findings.find(({ verdict }) => verdict === 'fails');
  if (fault && !force) {
    await voice.alert(`Nothing was written. To write it anyway, add --force.`);
    return classOf(fault.error);
  }
  await tellWritten(await writeTried(tried, place, force), place, voice);
  await voice.note(nextStep(tried));
  return exitCodes.done;
}

async function initByAsking(
  draft: Draft,
  around: Surroundings,
  place: InitLocation,
  asker: Asker,
  force: boolean,
): Promise<ExitCode> {
  asker.begin('sluice init');
  for (let open = draft; ; ) {
    const answers = await askForAnswers(asker, open, around);
    asker.tell('info', 'Checking …');
    const tried = withoutToken(await tryAnswers(answers, place));
    for (const finding of tried.findings)
      asker.tell(({ ok: 'success', fails: 'error', none: 'info' } as const)[finding.verdict], writeFinding(finding));
    const works = tried.findings.every(({ verdict }) => verdict !== 'fails');
    const what = `${place.show(place.config)}${
      tried.questions.length === 0
        ? ''
        : `, ${tried.questions.length}` +
          ` questions in ${place.show(tried.queries)}` +
          ` and a report in ${place.show(tried.reports)}`
    }`;
    const decision = works
      ? (await asker.confirm(`Write ${what}?`, true))
        ? 'write'
        : 'stop'
      : await asker.choose(
          'The check failed.',
          [
            { value: 'again', label: 'Answer again' },
            { value: 'write', label: 'Write it anyway', hint: 'check it later with `sluice doctor`' },
            { value: 'stop', label: 'Quit without writing' },
          ],
          'again',
        );
    if (decision === 'again') {
      // Ask again for everything except groups and time zone, including flags that did not work.
      open = { groups: tried.answers.groups, timezone: tried.answers.timezone };
      continue;
    }
    if (decision === 'stop') {
      asker.end('Nothing was written.');
      return exitCodes.done;
    }
    const { written, kept } = await writeTried(tried, place, force);
    asker.tell('success', [`Wrote ${written.map(place.show).join(', ')}.`, ...keptLine(kept, place)].join('\n'));
    asker.end(nextStep(tried));
    return exitCodes.done;
  }
}

/** A token that the user has yet to set is not a failure. */
function withoutToken(tried: Tried): Tried {
  return {
    ...tried,
    findings: tried.findings.map((finding) =>
      finding.error?.code === 'token-missing' ? { ...finding, verdict: 'none' } : finding,
    ),
  };
}

async function tellWritten({ written, kept }: WrittenWorkspace, place: InitLocation, voice: Reporter): Promise<void> {
  await voice.note(`Wrote ${written.map(place.show).join(', ')}.`);
  for (const line of keptLine(kept, place)) await voice.note(line);
}

function keptLine(kept: readonly string[], { show }: InitLocation): readonly string[] {
  return kept.length === 0 ? [] : [`Not changed: ${kept.map(show).join(', ')}.`];
}

function writeFinding({ what, verdict, text, hint }: Finding): string {
  return `${verdict === 'ok' ? '' : `${what}: `}${text}${hint === undefined ? '' : `\n${hint}`}`;
}

/** Nothing is set up yet, so replaces the hint to run the doctor. */
function withSameAgain(finding: Finding): Finding {
  return { ...finding, hint: finding.hint?.replace(/then:? `sluice doctor`$/, 'then run the same command again') };
}

/** The next command to run. */
function nextStep({ findings, questions, slowBytes, answers }: Tried): string {
  if (findings.some(({ verdict, error }) => verdict === 'fails' || error !== undefined)) return 'Next: sluice doctor';
  if (findings.some(({ what, verdict }) => what === 'events' && verdict === 'none'))
    return "Next: sluice sample, or with your own events: sluice ingest 'events/*.ndjson.gz'";
  const first = questions[0]?.name;
  const next = `Next: sluice ${first === undefined ? 'model' : `query ${first}`}`;
  if (slowBytes === undefined) return next;
  const files = (answers.events ?? []).map(shellWord).join(' ');
  return (
    `${next}\nEach question reads ${showBytes(slowBytes)} of text. ` +
    `To make questions fast, load it once: sluice ingest ${files}`
  );
}
