import { shortNameOf } from '../../ask/query/member-name.ts';
import { allProperties } from '../../ask/query/property-name.ts';
import type { RejectedLines } from '../../run/backend.ts';
import { datedNote, localNote } from '../../run/events/expected-facts.ts';
import {
  isRenamed,
  markSentences,
  nameRecognised,
  type Recognition,
} from '../../run/duckdb/reading/recognise/recognise-fields.ts';
import { wrappedSentences } from '../../run/duckdb/reading/formats/wrapped-sentences.ts';
import { formatCount } from '../../shape/format/format-number.ts';
import { sanitize } from '../../show/labels/sanitize.ts';
import { resultOf } from '../answer/answer-question.ts';
import { askQuery } from '../answer/question.ts';
import type { Environment } from '../config/read-environment.ts';
import type { Settings } from '../config/settings.ts';
import { showPath } from '../process/show-path.ts';
import { openDownload } from '../workspace/open-download.ts';
import { openEncodings, openMappings } from '../workspace/open-mappings.ts';
import { presetSentences } from '../workspace/preset-sentences.ts';
import { openSession, type Session } from '../workspace/session.ts';
import {
  amountQuestion,
  itemsQuestion,
  mostGroups,
  propertyQuestions,
  type StarterQuestion,
  starterQuestions,
  weeklyQuestion,
} from './starter-questions.ts';

/** A summary of the events in the settings. */
export interface EventsFound {
  readonly count: number;
  /** First and last day with an event in the settings' zone, `YYYY-MM-DD`. */
  readonly first?: string | undefined;
  readonly last?: string | undefined;
  readonly rejected: RejectedLines;
  /** The recognised columns of the first file. */
  readonly recognition?: Recognition | undefined;
  /** True if the times of a file have no time of day. */
  readonly isDated?: boolean | undefined;
  /** Whether some times name no zone. */
  readonly isLocal?: boolean | undefined;
  /** Formats of the files, and missing fields. */
  readonly presets?: readonly string[] | undefined;
  /** Snowplow entities in the files. */
  readonly entities?: readonly string[] | undefined;
}

export interface LookOptions {
  readonly settings: Settings;
  readonly cwd: string;
  readonly env: Environment;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/** Opens the events in the settings with the built-in model, regardless of the workspace's model. */
export async function openEvents({ settings, cwd, env, now, signal }: LookOptions): Promise<Session> {
  const { builtInModel } = await import('../../plan/model/built-in-model.ts');
  return openSession({ model: builtInModel, settings, now, cwd, remote: { env, root: cwd, signal } });
}

/** Counts the events of `openEvents`. Errors: those of opening and asking. */
export async function lookAtEvents(
  session: Session,
  { settings, cwd, env, signal }: LookOptions,
): Promise<EventsFound> {
  const times = {
    dimension: 'TrackedEvents.utcTime',
    granularity: 'day',
  } as const;
  const days = await resultOf(session, askQuery({ measures: ['TrackedEvents.count'], timeDimensions: [times] }), {
    signal,
    fill: 'none',
  });
  const labels = [...days.values('TrackedEvents.utcTime.day')]
    .filter((label) => label !== null)
    .map((label) => String(label).slice(0, 10));
  const count = [...days.values('TrackedEvents.count')].reduce<number>((sum, value) => sum + Number(value), 0);
  return {
    count,
    first: labels[0],
    last: labels.at(-1),
    rejected: days.provenance.rejected,
    ...(await lookIntoFiles(settings, cwd, env)),
  };
}

/** Maximum number of files searched for entities. */
const mostFiles = 20;

async function lookIntoFiles(
  settings: Settings,
  cwd: string,
  env: Environment,
): Promise<Pick<EventsFound, 'entities' | 'isDated' | 'isLocal' | 'presets' | 'recognition'>> {
  if (settings.events.value.length === 0) return {};
  const [{ openEngine }, { findFiles }, { readEventFile }] = await Promise.all([
    import('../../run/duckdb/engine/engine.ts'),
    import('../../run/duckdb/reading/find-files.ts'),
    import('../../run/duckdb/reading/event-reading.ts'),
  ]);
  const purpose = {
    code: 'events-not-found',
    what: 'events',
    hint: 'Correct the path.',
  } as const;
  const download = openDownload(settings, { env });
  const files = await findFiles(settings.events.value, cwd, purpose, download);
  await using engine = await openEngine({ threads: 1 });
  const options = {
    encoding: await openEncodings(settings, download),
    mappingOf: await openMappings(settings, download),
  };
  const found = await Promise.all(files.slice(0, mostFiles).map((file) => readEventFile(engine, file, options)));
  return {
    entities: [...new Set(found.flatMap(({ entities }) => entities))].sort(),
    presets: [
      ...(files.length > mostFiles
        ? [`Inspected the first ${mostFiles} of ${formatCount(files.length, 'file')}. All are read.`]
        : []),
      ...wrappedSentences(
        found.flatMap(({ recognition }, index) =>
          recognition?.wrapped ? [{ file: files[index]!, wrapped: recognition.wrapped }] : [],
        ),
      ).map(sanitize),
      ...presetSentences(
        found.flatMap(({ recognised }, index) =>
          recognised ? [{ file: sanitize(showPath(files[index]!, cwd)), recognised }] : [],
        ),
      ),
    ],
    isDated: found.some(({ recognition }) => recognition?.isDated),
    isLocal: found.some(({ recognition }) => recognition?.isLocal),
    // A preset already describes its files.
    recognition: found[0]?.recognised ? undefined : found[0]?.recognition,
  };
}

/** A summary in one line, for people. */
export function writeEventsFound({ count, first, last, rejected, entities = [] }: EventsFound, cwd: string): string {
  const read = entities.length === 0 ? '' : `; entities: ${entities.join(', ')}`;
  const range = first === undefined ? '' : `, ${first} to ${last}`;
  const broken =
    rejected.count === 0
      ? ''
      : `; ${formatCount(rejected.count, 'line')} could not be read, the first: ` +
        `${showPath(rejected.examples[0]?.file ?? '', cwd)}:${rejected.examples[0]?.line ?? ''}`;
  return `${formatCount(count, 'event')}${range}${read}${broken}`;
}

/** The recognised columns and the presets, one line each; empty if nothing is known. */
export function writeRecognition({ recognition, presets = [], isDated = false, isLocal = false }: EventsFound): string {
  const lines = [
    ...presets,
    ...(recognition ? writeColumns(recognition) : []),
    ...(isDated ? [datedNote] : []),
    ...(isLocal ? [localNote] : []),
  ];
  return lines.map((line) => `\n${line}`).join('');
}

function writeColumns({ recognised, properties, missing, lost, marks }: Recognition): readonly string[] {
  const list = (what: string, names: readonly string[]) => (names.length === 0 ? [] : [`${what}: ${names.join(', ')}`]);
  return [
    ...list('recognised', recognised.some(isRenamed) ? recognised.map(nameRecognised) : []),
    ...list('kept as properties', properties),
    ...markSentences(marks),
    ...list(
      'in the mapping but not in the file',
      lost.map(({ from }) => from),
    ),
    ...list(
      'missing',
      missing.map(({ title }) => title),
    ),
  ];
}

/** Those on a dimension that has few values at all: one question counts the values of all dimensions. */
async function withFewGroups(
  session: Session,
  questions: readonly StarterQuestion[],
  signal: AbortSignal,
): Promise<readonly StarterQuestion[]> {
  if (questions.length === 0) return [];
  const measures = questions.map(
    ({ saved }) => `TrackedEvents.distinct(${shortNameOf(saved.query.dimensions?.[0] ?? '')})`,
  );
  const { timeDimensions } = questions[0]!.saved.query;
  const answer = await resultOf(session, askQuery({ measures, timeDimensions }), { signal, fill: 'none' });
  return questions.filter((_, index) => {
    const [values] = answer.values(measures[index]!);
    return Number(values) > 1 && Number(values) < mostGroups;
  });
}

/** Maximum number of starter questions about properties. */
const mostAboutProperties = 2;

const dateOrTime = /^\d{1,4}[-./]\d{1,2}[-./]\d{1,4}\b|^\d{1,2}:\d{2}\b/;

/**
 * The starter questions that these events can answer, also on an amount of money, of events and of the items in a list,
 * if the events have one. If they have neither types nor pages, some are about properties with few values.
 */
export async function answerableQuestions(
  session: Session,
  { now, signal }: LookOptions,
  { first, last }: Pick<EventsFound, 'first' | 'last'>,
): Promise<readonly StarterQuestion[]> {
  const facts = { now: now(), first, last };
  /** The figures by group, without groups that have no value. None if all groups are dates or times. */
  const figuresOf = async ({ saved: { query } }: StarterQuestion) => {
    const answer = await resultOf(session, askQuery(query), { signal, fill: 'none' });
    const groups = query.dimensions?.[0] === undefined ? undefined : [...answer.values(query.dimensions[0])];
    if (groups?.every((group) => group === null || dateOrTime.test(String(group)))) return [];
    return [...answer.values(query.measures?.[0] ?? '')]
      .map(Number)
      .filter((figure, row) => figure > 0 && groups?.[row] !== null);
  };
  const usual: StarterQuestion[] = [];
  for (const starter of starterQuestions(session.model, facts))
    if ((await figuresOf(starter)).length > 0) usual.push(starter);
  await session.refreshModel(signal, [allProperties]);
  const sums: StarterQuestion[] = [];
  for (const starter of [amountQuestion(session.model, facts), itemsQuestion(session.model, facts)])
    if (starter && (await figuresOf(starter)).length > 0) sums.push(starter);
  if (usual.some(({ saved }) => saved.query.dimensions !== undefined)) return [...usual, ...sums];
  const own: StarterQuestion[] = [];
  for (const starter of await withFewGroups(session, propertyQuestions(session.model, facts), signal)) {
    if (own.length === mostAboutProperties) break;
    if (own.some(({ name }) => name === starter.name)) continue;
    const figures = await figuresOf(starter);
    // Values of one event each are IDs or free text.
    if (figures.length > 1 && figures.length < mostGroups && figures.some((figure) => figure > 1)) own.push(starter);
  }
  // A row that is no step of a visit, such as an order or a ticket, is a session of its own.
  const lasting = async ({ saved: { query } }: StarterQuestion) =>
    query.measures?.[1] !== sessionLength ||
    [...(await resultOf(session, askQuery(query), { signal, fill: 'none' })).values(sessionLength)].some(
      (minutes) => Number(minutes) > 0.5,
    );
  const others: StarterQuestion[] = [];
  for (const starter of usual.slice(1)) if (await lasting(starter)) others.push(starter);
  return [weeklyQuestion(facts, usual.length > 0), ...sums, ...own, ...usual.slice(0, 1), ...others];
}

const sessionLength = 'Sessions.averageDurationMinutes';
