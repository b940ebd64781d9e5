import path from 'node:path';
import type { Settings } from '../../config/settings.ts';
import type { ReportRunFlags } from '../command/command-flags.ts';

/** The folder that keeps which reports ran. */
export function stateFolder({ state }: Pick<ReportRunFlags, 'state'>, settings: Settings, cwd: string): string {
  return state === undefined ? settings.runs.value : path.resolve(cwd, state);
}
