import { plural } from '../../ask/text.ts';
import type { RejectedLines } from '../../run/backend.ts';
import { formatNumber } from '../../shape/format/format-number.ts';
import { answerQuestion } from '../answer/answer-question.ts';
import { questionOf } from '../answer/question.ts';
import type { Settings } from '../config/settings.ts';
import { showPath } from '../process/show-path.ts';
import { openSession } from '../workspace/session.ts';
import { type StarterQuestion, starterQuestions } from './starter-questions.ts';

/** What stands in the events that settings name. */
export interface EventsFound {
  readonly count: number;
  /** First and last day with an event in the settings' zone, `YYYY-MM-DD`. */
  readonly first?: string | undefined;
  readonly last?: string | undefined;
  readonly rejected: RejectedLines;
  /** Entities of Snowplow's that are read from files. */
  readonly entities?: readonly string[] | undefined;
}

export interface LookOptions {
  readonly settings: Settings;
  readonly cwd: string;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/** Counts the events, with the built-in model whatever the workspace's own is. Errors: those of opening and asking. */
export async function lookAtEvents({ settings, cwd, now, signal }: LookOptions): Promise<EventsFound> {
  const { builtInModel } = await import('../../plan/model/built-in-model.ts');
  await using session = openSession({ model: builtInModel, settings, now, cwd });
  const times = { dimension: 'TrackedEvents.utcTime', granularity: 'day' } as const;
  const days = await answerQuestion(session, questionOf({ measures: ['TrackedEvents.count'], timeDimensions: [times] }), { signal, fill: 'none' });
  const labels = [...days.values('TrackedEvents.utcTime.day')].filter((label) => label !== null).map((label) => String(label).slice(0, 10));
  const count = [...days.values('TrackedEvents.count')].reduce<number>((sum, value) => sum + Number(value), 0);
  return { count, first: labels[0], last: labels.at(-1), rejected: days.provenance.rejected, entities: await entitiesIn(settings, cwd) };
}

/** So many files are looked at for what entities they have. */
const mostFiles = 20;

async function entitiesIn(settings: Settings, cwd: string): Promise<readonly string[]> {
  if (settings.events.value.length === 0) return [];
  const [{ openEngine }, { findFiles }, { readEntities }] = await Promise.all([
    import('../../run/duckdb/engine/engine.ts'), import('../../run/duckdb/reading/find-files.ts'), import('../../run/duckdb/reading/event-reading.ts'),
  ]);
  const files = await findFiles(settings.events.value, cwd, { code: 'events-not-found', what: 'events', hint: 'Correct the path.' });
  await using engine = await openEngine({ threads: 1 });
  const found = await Promise.all(files.slice(0, mostFiles).map((file) => readEntities(engine, file)));
  return [...new Set(found.flat())].sort();
}

/** In one line, for people. */
export function writeEventsFound({ count, first, last, rejected, entities = [] }: EventsFound, cwd: string): string {
  const read = entities.length === 0 ? '' : `; entities: ${entities.join(', ')}`;
  const range = first === undefined ? '' : `, ${first} to ${last}`;
  const broken = rejected.count === 0 ? '' : `; ${formatNumber(rejected.count)} ${plural(rejected.count, 'line')} could not be read, the first: ${showPath(rejected.examples[0]?.file ?? '', cwd)}:${rejected.examples[0]?.line ?? ''}`;
  return `${formatNumber(count)} ${plural(count, 'event')}${range}${read}${broken}`;
}

/** The starter questions that these events have an answer to. */
export async function answerableQuestions({ settings, cwd, now, signal }: LookOptions, { first, last }: Pick<EventsFound, 'first' | 'last'>): Promise<readonly StarterQuestion[]> {
  const { builtInModel } = await import('../../plan/model/built-in-model.ts');
  await using session = openSession({ model: builtInModel, settings, now, cwd });
  const answerable: StarterQuestion[] = [];
  for (const starter of starterQuestions(builtInModel, { now: now(), first, last })) {
    const { query } = starter.saved;
    const answer = await answerQuestion(session, questionOf(query), { signal, fill: 'none' });
    if ([...answer.values(query.measures?.[0] ?? '')].some((value) => Number(value) > 0)) answerable.push(starter);
  }
  return answerable;
}
