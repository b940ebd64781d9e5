import type { NotebookPorts } from '../../tell/ports.ts';
import type { RemoteSurroundings } from '../workspace/open-remote.ts';
import type { Session } from '../workspace/session.ts';
import { answerUsage } from './answer-usage.ts';
import { openLocalUsage } from './open-local-usage.ts';

/** Answers the usage cells of a report: from the session, or project by project on the platform. */
export function toUsagePort(
  session: Session,
  { remote, cwd }: { readonly remote: RemoteSurroundings; readonly cwd: string },
): NonNullable<NotebookPorts['usage']> {
  const { settings, now } = session;
  return async (cell, time, signal) => {
    await using source =
      settings.backend.value === 'platform'
        ? await (await import('./open-platform-usage.ts')).openPlatformUsage(settings, { remote, cwd, now })
        : openLocalUsage(session);
    return (await answerUsage(source, cell, { settings, time, cwd, signal })).answer;
  };
}
