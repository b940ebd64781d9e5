import { BackendError, inputError } from '../../ask/sluice-error.ts';
import { readZone } from '../../ask/time/zone.ts';
import { freezeMonth } from '../../tell/usage/frozen-month.ts';
import { nameMonth } from '../../tell/usage/month.ts';
import { isBeforeEvents } from '../../tell/usage/usage-days.ts';
import { describeMissingDays } from '../../tell/usage/usage-notes.ts';
import type { Settings } from '../config/settings.ts';
import { atPresent, type Session } from '../workspace/session.ts';
import { unwrap } from '../workspace/refuse.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { type AnsweredUsage, answerUsage, type UsageOptions, type UsageSurroundings } from './answer-usage.ts';
import { type FreezeOutcome, freezeInto } from './frozen-files.ts';
import { openLocalUsage } from './open-local-usage.ts';
import type { UsageSource } from './usage-source.ts';

export interface RunUsage extends Omit<UsageOptions, 'show' | 'chart'> {
  /** Time zone (IANA name). Defaults to the configured time zone. */
  readonly timezone?: string | undefined;
  /** Saves the reported month as a frozen record. */
  readonly freeze?: boolean | undefined;
  /** Freezes the month even if the data end before the month does. */
  readonly allowStale?: boolean | undefined;
}

interface UsageRun extends AnsweredUsage {
  /** The result of freezing, if requested. */
  readonly froze?: FreezeOutcome | undefined;
}

/**
 * Counts the events of each project by month. Throws `InvalidInputError` (unknown group, or a month that is not valid
 * or cannot be frozen), and the errors of questions if all projects fail.
 */
export async function runUsage(workspace: Workspace, asked: RunUsage): Promise<UsageRun> {
  await using opened = await openUsage(workspace, asked.timezone);
  const { month, months, groups, forecast } = asked;
  const answered = await opened.atOneState(
    () => answerUsage(opened.source, { month, months, groups, show: 'table', forecast }, opened.surroundings),
    { tell: async (done, note) => (await workspace.note(note), done) },
  );
  return asked.freeze ? { ...answered, froze: await freeze(answered, opened.surroundings, asked) } : answered;
}

interface OpenedUsage extends AsyncDisposable, Pick<Session, 'atOneState'> {
  readonly source: UsageSource;
  readonly surroundings: UsageSurroundings;
}

/** On the platform, each project is queried by its own question, so `platform.project` need not be configured. */
async function openUsage(workspace: Workspace, timezone: string | undefined): Promise<OpenedUsage> {
  const { settings: configured, warnings, cwd, signal, remote, note } = workspace;
  const zone = unwrap(readZone(timezone ?? configured.timezone.value), 'The zone');
  // A time zone from a flag replaces the configured one.
  const settings: Settings = { ...configured, timezone: { ...configured.timezone, value: zone } };
  if (settings.backend.value === 'platform') {
    for (const warning of warnings) await note(warning);
    const present = workspace.asOf ?? workspace.clock;
    const now = () => present(zone);
    const { openPlatformUsage } = await import('./open-platform-usage.ts');
    const source = await openPlatformUsage(settings, { remote, cwd, now });
    return {
      source,
      surroundings: { settings, time: { now: now(), zone }, cwd, signal },
      atOneState: (work) => work(),
      [Symbol.asyncDispose]: () => source[Symbol.asyncDispose](),
    };
  }
  const opened = await workspace.openSession();
  const session = atPresent(opened, opened.now(zone));
  return {
    source: openLocalUsage(session),
    surroundings: { settings: session.settings, time: { now: session.now(zone), zone }, cwd, signal },
    atOneState: session.atOneState,
    [Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
  };
}

/**
 * Freezes a month. Figures that are already frozen do not change; projects that could not be counted then are added.
 */
async function freeze(
  { usage, provenance }: AnsweredUsage,
  { settings, cwd, signal }: UsageSurroundings,
  { allowStale }: RunUsage,
): Promise<FreezeOutcome> {
  const { reported, open } = usage.plan;
  const name = nameMonth(reported.month);
  if (open?.month === reported.month)
    throw inputError('cannot-freeze', `${name} is not over and cannot be frozen.`, 'Freeze it next month.');
  if (!allowStale && isBeforeEvents(usage.plan, usage.coverage)) {
    throw inputError(
      'before-events',
      `${name} is not frozen, because it ended before the first event.`,
      `Load its events first. If there were none, run: sluice usage --month ${reported.month} --freeze --allow-stale`,
    );
  }
  const uncovered = allowStale ? undefined : describeMissingDays(usage);
  if (uncovered !== undefined) {
    throw new BackendError(`${name} is not frozen. ${uncovered}`, {
      code: 'incomplete-answer',
      hint:
        'Freeze it when later events are loaded. ' +
        `If there will be none, run: sluice usage --month ${reported.month} --freeze --allow-stale`,
    });
  }
  const fresh = freezeMonth(usage, { asOf: provenance.asOf, source: provenance.source });
  return freezeInto(settings.usageFrozen.value, fresh, cwd, signal);
}
