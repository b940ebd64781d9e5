import path from 'node:path';
import { toFileExtension, type FormatName } from '../../../show/format-name.ts';
import type { UsageFlags } from '../command-flags.ts';
import { readFormats } from './answer-settings.ts';
import { usageError } from './report-place.ts';

/** Those of an answer, and a letter. */
export type UsageFormat = FormatName | 'eml';

/** The formats that hold more than one table: titles, the month in progress, and what is to be known beside the figures. */
const pages = ['table', 'markdown', 'html', 'eml'] as const;

export type UsagePage = (typeof pages)[number];

export function isUsagePage(format: UsageFormat): format is UsagePage {
  return (pages as readonly string[]).includes(format);
}

/** The formats that the flags name, or the ending of the file to write; else a table. Throws `InvalidInputError`. */
export function readUsageFormats(flags: UsageFlags, isTerminal: boolean): readonly UsageFormat[] {
  const { format, output } = flags;
  if (format === undefined) return output !== undefined && path.extname(output).toLowerCase() === '.eml' ? ['eml'] : readFormats(flags, isTerminal);
  const others = format.filter((name) => name.trim().toLowerCase() !== 'eml');
  if (others.length === format.length) return readFormats(flags, isTerminal);
  if (others.length === 0) return ['eml'];
  if (output === undefined) throw usageError('Several formats need a folder to go to.', 'Add `-o FOLDER`.');
  return [...readFormats({ ...flags, format: others }, isTerminal), 'eml'];
}

export function toUsageEnding(format: UsageFormat): string {
  return format === 'eml' ? '.eml' : toFileExtension(format);
}
