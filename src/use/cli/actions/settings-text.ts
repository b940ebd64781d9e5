import { sanitize } from '../../../show/sanitize.ts';
import type { Setting } from '../../config/setting.ts';
import type { Settings } from '../../config/settings.ts';
import type { TokenSource } from '../../config/token-source.ts';
import { showPath } from '../../output/show-path.ts';

export interface ShownSetting {
  readonly name: string;
  readonly value: string;
  readonly origin: string;
}

/** As they stand in a configuration, where that is elsewhere than their name says. */
const names: Readonly<Record<string, string>> = {
  platformUrl: 'platform.url', platformProject: 'platform.project', token: 'platform token', tokenHeader: 'platform.tokenHeader',
  cubeUrl: 'cube.url', cubeToken: 'cube token', usageGroups: 'usage.groups', usageMonths: 'usage.months', usageFrozen: 'usage.frozen', usageExclude: 'usage.exclude', usageOptional: 'usage.optional',
};

/** Every setting, its value and where it came from, for people. Of tokens it says only where they are. */
export function listSettings(settings: Settings, cwd: string): readonly ShownSetting[] {
  return Object.entries(settings).map(([name, { value, origin }]: [string, Setting<unknown>]) => ({ name: names[name] ?? name, value: showValue(value, cwd), origin: sanitize(origin) }));
}

/** A line each. */
export function writeSettings(settings: Settings, cwd: string): string {
  const lines = listSettings(settings, cwd);
  const width = Math.max(...lines.map(({ name }) => name.length));
  const values = Math.min(44, Math.max(...lines.map(({ value }) => value.length)));
  return lines.map(({ name, value, origin }) => `  ${name.padEnd(width)}  ${value.padEnd(values)}  ${origin}\n`).join('');
}

function showValue(value: unknown, cwd: string): string {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return '-';
  if (typeof value === 'string') return sanitize(value.startsWith('/') ? showPath(value, cwd) : value);
  if (Array.isArray(value)) return value.map((one: unknown) => showValue(one, cwd)).join(', ');
  if (isToken(value)) return value.kind === 'variable' ? 'set' : sanitize(value.kind === 'file' ? `in ${showPath(value.file, cwd)}` : `from ${value.command}`);
  if (value !== null && typeof value === 'object') {
    const entries = Object.entries(value);
    return entries.length === 0 ? '-' : entries.map(([key, one]) => `${sanitize(key)}: ${showValue(one, cwd)}`).join(', ');
  }
  return String(value);
}

function isToken(value: unknown): value is TokenSource {
  return value !== null && typeof value === 'object' && 'kind' in value;
}
