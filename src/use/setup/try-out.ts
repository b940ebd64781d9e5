import { SluiceError } from '../../ask/sluice-error.ts';
import { firstRowsSentence } from '../../run/duckdb/reading/recognise/first-rows.ts';
import { markSentences } from '../../run/duckdb/reading/recognise/recognise-fields.ts';
import { sanitize } from '../../show/labels/sanitize.ts';
import type { Settings } from '../config/settings.ts';
import { showPath } from '../process/show-path.ts';
import { storeToAsk } from '../workspace/store-to-ask.ts';
import type { Session } from '../workspace/session.ts';
import { check, type Finding } from './check.ts';
import { encodingHint } from '../../run/duckdb/reading/formats/unfit-file.ts';
import { answerableQuestions, type EventsFound, lookAtEvents, openEvents, writeEventsFound } from './look-at-events.ts';
import { partOfEvents, slowBytes } from './part-of-events.ts';
import { lookAtRemote } from './look-at-remote.ts';
import { type StarterQuestion, starterQuestions } from './starter-questions.ts';

export interface Trial {
  readonly findings: readonly Finding[];
  /** Questions that can be asked now. */
  readonly questions: readonly StarterQuestion[];
  /** Bytes of text that each question reads, if a store would make it much faster. */
  readonly slowBytes?: number | undefined;
}

interface TrialOptions {
  readonly settings: Settings;
  /** Absolute path of the workspace. */
  readonly root: string;
  /** Absolute path; paths are shown relative to it. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

function unlessEmpty(error: unknown): undefined {
  if (!(error instanceof SluiceError) || error.code !== 'store-empty') throw error;
}

/** Tests a set-up, as `init` does before it writes one. */
export async function tryOut(options: TrialOptions): Promise<Trial> {
  return options.settings.backend.value === 'embedded' ? tryEvents(options) : tryRemote(options);
}

async function tryEvents(options: TrialOptions): Promise<Trial> {
  const { settings, cwd, now, signal } = options;
  const { events } = settings;
  const { builtInModel } = await import('../../plan/model/built-in-model.ts');
  const usual = starterQuestions(builtInModel, { now: now() });
  // A store that exists but is empty has nothing to test.
  const store = await storeToAsk(settings).catch(unlessEmpty);
  if (events.value.length === 0 && store === undefined) {
    return {
      questions: usual,
      findings: [
        {
          what: 'events',
          verdict: 'none',
          text: 'No events are configured yet.',
          hint: 'Generate sample events: `sluice sample`',
        },
      ],
    };
  }
  const where =
    store === undefined
      ? events.value.map((file) => showPath(file, cwd)).join(', ')
      : `the store ${showPath(store, cwd)}`;
  await using session = await openEvents(options);
  let found: EventsFound | undefined;
  const finding = await check(
    'events',
    async () => {
      found = await lookAtEvents(session, options);
      if (found.count > 0) {
        const numbers = markSentences(found.recognition?.marks).map(sanitize);
        const { firstRows } = found.recognition ?? {};
        const below = firstRows ? [sanitize(firstRowsSentence(firstRows, firstRows.columns))] : [];
        const encoding = encodingHint(found.rejected.examples);
        return [
          `${writeEventsFound(found, cwd)}, in ${where}`,
          ...(encoding ? [`${encoding}.`] : []),
          ...(found.presets ?? []),
          ...numbers,
          ...below,
        ].join('\n');
      }
      return {
        verdict: 'fails',
        text: `No events found in ${where}.`,
        hint: 'Check that these are the right files.',
      };
    },
    { signal },
  );
  if (!found || finding.verdict !== 'ok') return { findings: [finding], questions: usual };
  return {
    findings: [finding],
    questions: await questionsAbout(found, session, options),
    slowBytes: store === undefined ? await slowBytes(settings, cwd) : undefined,
  };
}

/** Looks at a part of large text files only: each question reads them from beginning to end. */
async function questionsAbout(
  found: EventsFound,
  session: Session,
  options: TrialOptions,
): Promise<readonly StarterQuestion[]> {
  const { settings, cwd } = options;
  await using part = settings.events.value.length > 0 ? await partOfEvents(settings, cwd) : undefined;
  if (!part) return answerableQuestions(session, options, found);
  const ofPart = { ...options, settings: part.settings };
  await using sessionOfPart = await openEvents(ofPart);
  return await answerableQuestions(sessionOfPart, ofPart, found);
}

async function tryRemote({ settings, root, env, now, signal }: TrialOptions): Promise<Trial> {
  const { findings, model } = await lookAtRemote(settings, { env, root, signal });
  const { builtInModelOfServers } = await import('../../plan/model/built-in-model.ts');
  return { findings, questions: starterQuestions(model ?? builtInModelOfServers, { now: now() }) };
}
