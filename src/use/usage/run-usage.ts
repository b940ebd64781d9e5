import { inputError } from '../../ask/sluice-error.ts';
import { readZone } from '../../ask/time/zone.ts';
import { freezeMonth } from '../../tell/usage/frozen-month.ts';
import { nameMonth } from '../../tell/usage/month.ts';
import { tellUncovered } from '../../tell/usage/usage-notes.ts';
import type { Settings } from '../config/settings.ts';
import { atPresent } from '../workspace/session.ts';
import { unwrap } from '../workspace/refuse.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { type AnsweredUsage, answerUsage, type UsageOptions, type UsageSurroundings } from './answer-usage.ts';
import { type FreezeOutcome, freezeInto } from './frozen-files.ts';
import { openLocalUsage } from './open-local-usage.ts';
import type { UsageSource } from './usage-source.ts';

export interface RunUsage extends Omit<UsageOptions, 'show' | 'chart'> {
  /** IANA name; that of the settings by default. */
  readonly timezone?: string | undefined;
  /** Keep the month as it is issued. */
  readonly freeze?: boolean | undefined;
  /** Freeze also if the data end before the month does. */
  readonly allowStale?: boolean | undefined;
}

export interface UsageRun extends AnsweredUsage {
  /** What a freeze did, if one was asked for. */
  readonly froze?: FreezeOutcome | undefined;
}

/**
 * Counts the events of months, project by project. Throws `InvalidInputError` (an unknown group, a month that cannot be
 * read or frozen), and what questions throw if every project fails.
 */
export async function runUsage(workspace: Workspace, asked: RunUsage): Promise<UsageRun> {
  await using opened = await openUsage(workspace, asked.timezone);
  const { month, months, groups, forecast } = asked;
  const answered = await answerUsage(
    opened.source,
    { month, months, groups, show: 'table', forecast },
    opened.surroundings,
  );
  return asked.freeze ? { ...answered, froze: await freeze(answered, opened.surroundings, asked) } : answered;
}

interface OpenedUsage extends AsyncDisposable {
  readonly source: UsageSource;
  readonly surroundings: UsageSurroundings;
}

/** The platform is asked project by project, and none of them need be configured for single questions. */
async function openUsage(workspace: Workspace, timezone: string | undefined): Promise<OpenedUsage> {
  const { settings: configured, warnings, cwd, signal, remote, note } = workspace;
  const zone = unwrap(readZone(timezone ?? configured.timezone.value), 'The zone');
  // A zone that a flag names means what the same zone means in the configuration.
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
      [Symbol.asyncDispose]: () => source[Symbol.asyncDispose](),
    };
  }
  const opened = await workspace.openSession();
  const session = atPresent(opened, opened.now(zone));
  return {
    source: openLocalUsage(session),
    surroundings: { settings: session.settings, time: { now: session.now(zone), zone }, cwd, signal },
    [Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
  };
}

/** A month is issued once: what was frozen stays, and what could not be counted then is added when it can be. */
async function freeze(
  { usage, provenance }: AnsweredUsage,
  { settings, cwd, signal }: UsageSurroundings,
  { allowStale }: RunUsage,
): Promise<FreezeOutcome> {
  const { reported, open } = usage.plan;
  const name = nameMonth(reported.month);
  const refuse = (message: string, hint: string) => inputError('cannot-freeze', message, hint);
  if (open?.month === reported.month)
    throw refuse(`${name} is not over and cannot be frozen.`, 'Freeze it next month.');
  const uncovered = allowStale ? undefined : tellUncovered(usage);
  if (uncovered !== undefined) {
    const hint = 'Freeze it when later events are loaded. If there will be none, add --allow-stale.';
    throw refuse(`${name} is not frozen. ${uncovered}`, hint);
  }
  const fresh = freezeMonth(usage, { asOf: provenance.asOf, source: provenance.source });
  return freezeInto(settings.usageFrozen.value, fresh, cwd, signal);
}
