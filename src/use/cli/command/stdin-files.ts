import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { newSourceCopy } from '../../../run/file/source-copy.ts';
import type { Settings } from '../../config/settings.ts';
import type { Effects } from '../../process/effects.ts';
import { claimStdin } from './claim-stdin.ts';

const spooled = new WeakMap<Effects, Promise<string>>();

/** Replaces standard input, `-`, by a temporary file. It is read once, because data is read several times. */
export function withStdin(files: readonly string[], effects: Effects): Promise<readonly string[]> {
  return Promise.all(files.map((file) => (file === '-' ? spoolStdin(effects) : file)));
}

/** The same for the data files in the settings. */
export async function spoolSettings(settings: Settings, effects: Effects): Promise<Settings> {
  const { events, tables } = settings;
  const read = await Promise.all(
    Object.entries(tables.value).map(async ([table, files]) => [table, await withStdin(files, effects)] as const),
  );
  return {
    ...settings,
    events: { ...events, value: await withStdin(events.value, effects) },
    tables: { ...tables, value: Object.fromEntries(read) },
  };
}

function spoolStdin(effects: Effects): Promise<string> {
  claimStdin(effects, 'the data');
  const spooling = spooled.get(effects) ?? copyStdin(effects);
  spooled.set(effects, spooling);
  return spooling;
}

async function copyStdin(effects: Effects): Promise<string> {
  if (effects.terminal)
    await effects.stderr.write('Reading events from the keyboard. Press ctrl-d on an empty line to end.\n');
  const copy = newSourceCopy('stdin');
  const pieces = effects.openStdin ? effects.openStdin() : [await effects.readStdin()];
  await pipeline(Readable.from(pieces), createWriteStream(copy, { mode: 0o600 }));
  return copy;
}
