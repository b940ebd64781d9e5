import type { Notebook } from '../../../tell/notebook/notebook.ts';
import type { OpenedSettings } from '../../config/open-settings.ts';
import type { Effects } from '../../process/effects.ts';
import type { GlobalFlags } from '../../process/global-flags.ts';
import { openSession, type Session } from '../../workspace/session.ts';
import { openWorkspace, presentOf, remoteSurroundings } from './open-workspace.ts';

/**
 * A session for a report. Where only usage is asked of a platform, no single project need be configured, nor be
 * onboarded: nobody asks it then what it knows. Errors: as `openWorkspace`.
 */
export async function openReportSession(
  flags: GlobalFlags,
  effects: Effects,
  notebook: Notebook | undefined,
  opened: OpenedSettings,
): Promise<Session> {
  const { settings, root } = opened;
  const onlyUsage = notebook?.blocks.every(
    (block) =>
      block.kind === 'prose' || block.cell === 'usage' || block.cell === 'check' || block.cell === 'annotations',
  );
  if (!onlyUsage || settings.backend.value !== 'platform')
    return (await openWorkspace(flags, effects, { opened })).session;
  const { builtInModelOfServers } = await import('../../../plan/model/local-dimensions.ts');
  return openSession({
    model: builtInModelOfServers,
    settings,
    now: presentOf(flags, effects) ?? effects.now,
    cwd: effects.cwd,
    remote: remoteSurroundings(flags, effects, root),
  });
}
