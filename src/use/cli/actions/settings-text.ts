import { sanitize } from '../../../show/sanitize.ts';
import type { Setting } from '../../config/setting.ts';
import type { Settings } from '../../config/settings.ts';
import type { TokenSource } from '../../config/token-source.ts';
import { showPath } from '../../show-path.ts';

/** Every setting, its value and where it came from, a line each. Of tokens it says only where they are. */
export function writeSettings(settings: Settings, cwd: string): string {
  const lines = Object.entries(settings).map(([name, setting]: [string, Setting<unknown>]) => [name, showValue(setting.value, cwd), setting.origin] as const);
  const width = Math.max(...lines.map(([name]) => name.length));
  const values = Math.min(44, Math.max(...lines.map(([, value]) => value.length)));
  return lines.map(([name, value, origin]) => `  ${name.padEnd(width)}  ${value.padEnd(values)}  ${sanitize(origin)}\n`).join('');
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
