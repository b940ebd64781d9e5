import { readZone } from '../../../ask/time/zone.ts';
import { toAddress, toProject } from '../../config/read-environment.ts';
import type { Answers, InitBackend, UsageGroup } from '../../first-day/answers.ts';
import { readGroup } from '../../first-day/read-group.ts';
import type { Draft } from './init-answers.ts';
import type { Asker } from './init-asker.ts';

/** What can be offered for an answer. */
export interface Surroundings {
  /** Paths and patterns of files that look like events. */
  readonly eventFiles: readonly string[];
  /** The store that would answer, for people. */
  readonly store?: string | undefined;
  /** The address that the environment names, for each backend that has one. */
  readonly hosts: Readonly<Partial<Record<InitBackend, string>>>;
  readonly project?: string | undefined;
  /** A variable that holds a token, for each backend that takes one. */
  readonly tokens: Readonly<Partial<Record<InitBackend, string>>>;
  readonly timezone: string;
}

/** Asks for what the draft leaves open. */
export async function askForAnswers(asker: Asker, draft: Draft, around: Surroundings): Promise<Answers> {
  const backend = draft.backend ?? await asker.choose<InitBackend>('Where are your events?', [
    { value: 'embedded', label: 'In files', hint: 'answered on this machine, without network' },
    { value: 'platform', label: 'On the platform', hint: "a project's product analytics, over its API" },
    { value: 'cube', label: 'Behind a Cube server', hint: 'over its REST API' },
  ], draft.host === undefined ? 'embedded' : 'platform');
  if (backend === 'embedded') return finish(asker, { ...draft, backend, events: draft.events ?? await askForEvents(asker, around) }, around);
  const host = draft.host ?? await askForHost(asker, backend, around);
  const project = backend === 'platform' ? draft.project ?? await askForProject(asker, around) : draft.project;
  const token = draft.token ?? (around.tokens[backend] === undefined ? await askForToken(asker, backend) : undefined);
  return finish(asker, { ...draft, backend, host, project, token }, around);
}

async function finish(asker: Asker, draft: Draft & { readonly backend: InitBackend }, around: Surroundings): Promise<Answers> {
  const timezone = draft.timezone ?? await asker.text('In which time zone do your days begin?', {
    initial: around.timezone,
    check: (name) => readZone(name).issues.map(({ message, hint }) => `${message} ${hint ?? ''}`.trim())[0],
  });
  const groups = draft.groups.length > 0 || draft.backend !== 'platform' ? draft.groups : await askForGroups(asker);
  return { ...draft, timezone, groups };
}

const elsewhere = 'elsewhere';
const noneYet = 'none';

export async function askForEvents(asker: Asker, { eventFiles, store }: Surroundings): Promise<readonly string[]> {
  const chosen = await asker.choose('Which files are they?', [
    ...(store === undefined ? [] : [{ value: noneYet, label: `Those in the store ${store}`, hint: 'what was taken in' }]),
    ...eventFiles.map((file) => ({ value: `file:${file}`, label: file })),
    { value: elsewhere, label: eventFiles.length === 0 ? 'I will type a path' : 'Others', hint: 'a path, a folder or a pattern' },
    ...(store === undefined ? [{ value: noneYet, label: 'None yet', hint: 'sample events, or a store to be filled' }] : []),
  ]);
  if (chosen === noneYet) return [];
  if (chosen !== elsewhere) return [chosen.slice('file:'.length)];
  return [await asker.text('Path, folder or pattern', { example: 'events/*.ndjson.gz', check: notEmpty })];
}

function askForHost(asker: Asker, backend: InitBackend, around: Surroundings): Promise<string> {
  const [question, example] = backend === 'platform' ? ['Address of the platform', 'https://code.example.org'] : ['Address of the Cube API', 'https://cube.example.org/cubejs-api/v1'];
  return asker.text(question, {
    example, initial: around.hosts[backend],
    check: (answer) => notEmpty(answer) ?? (URL.canParse(toAddress(answer)) ? undefined : `This is no address. Such as ${example}`),
  }).then(toAddress);
}

function askForProject(asker: Asker, { project }: Surroundings): Promise<number | string> {
  return asker.text('Which project? Its number or its path', { example: '42, or shop/web', initial: project, check: notEmpty }).then(toProject);
}

async function askForToken(asker: Asker, backend: InitBackend): Promise<Answers['token']> {
  const variable = backend === 'platform' ? 'SLUICE_TOKEN' : 'SLUICE_CUBE_TOKEN';
  const kind = await asker.choose(`Where is the access token to be had? (${variable} is not set)`, [
    { value: 'variable', label: `I will set ${variable}`, hint: 'nothing of it is written' },
    { value: 'file', label: 'From a file', hint: 'kept out of version control' },
    { value: 'command', label: 'From a command', hint: 'such as pass show analytics' },
  ]);
  if (kind === 'variable') return undefined;
  return kind === 'file'
    ? { kind, value: await asker.text('Which file?', { check: notEmpty }) }
    : { kind: 'command', value: await asker.text('Which command?', { example: 'pass show analytics', check: notEmpty }) };
}

async function askForGroups(asker: Asker): Promise<readonly UsageGroup[]> {
  const groups: UsageGroup[] = [];
  while (await asker.confirm(groups.length === 0 ? 'Name groups of projects for the usage report?' : 'One more group?', false)) {
    const check = (answer: string): string | undefined => {
      const read = readGroup(answer);
      if (!read.ok) return read.issues.map(({ message, hint }) => `${message} ${hint ?? ''}`)[0];
      return groups.some(({ name }) => name === read.value.name) ? 'There is a group of this name already.' : undefined;
    };
    const read = readGroup(await asker.text('Its name and projects', { example: 'acme=42,7', check }));
    if (read.ok) groups.push(read.value);
  }
  return groups;
}

function notEmpty(answer: string): string | undefined {
  return answer === '' ? 'It takes an answer; Ctrl-C stops.' : undefined;
}
