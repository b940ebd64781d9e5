import { rm } from 'node:fs/promises';
import path from 'node:path';
import { quote } from '../../ask/quote.ts';
import { writeUtc } from '../../ask/time/local-time.ts';
import type { TimeRange } from '../../ask/time/range.ts';
import { ExportError } from './export-error.ts';
import { findExportRecord, keepExportRecord, type ExportRecord } from './export-record.ts';
import { listUnits, type Unit, type UnitListing } from './units/list-units.ts';
import { findOverlap } from './tile.ts';
import { describeForm } from './units/unit-form.ts';

/** What is in the folder of an export before a run adds to it. */
export interface OpenedFolder {
  /** Of all runs so far and this one. */
  readonly range: TimeRange;
  /** The folders by day are this zone's. */
  readonly zone: string;
  readonly units: readonly Unit[];
  /** Files of nobody knows whom, which stay as they are. */
  readonly foreign: readonly string[];
}

/**
 * Makes a folder the place of an export, or finds that it is one already, and removes what writers left that were
 * stopped. Only for who holds its lock. Errors: `export-of-something-else` where it is that of another query, source or
 * form (or, where it does not grow, time), `export-apart` where it is of another time, `export-damaged`, `export-record-unreadable`.
 */
export async function openExportFolder(folder: string, wanted: ExportRecord, grows = true): Promise<OpenedFolder> {
  const found = await findExportRecord(folder);
  if (found) demandSame(folder, found, wanted);
  if (found && !grows) demandSameTime(folder, found.range, wanted.range);
  const listing = await listUnits(folder);
  demandWhole(folder, listing, found ?? wanted);
  const range = found ? joined(folder, found.range, wanted.range) : wanted.range;
  for (const file of listing.leftovers) await rm(file, { force: true });
  const record = { ...wanted, zone: found?.zone ?? wanted.zone, range };
  if (!found || range.start !== found.range.start || range.end !== found.range.end) await keepExportRecord(folder, record);
  return { range, zone: record.zone, units: listing.units, foreign: listing.foreign };
}

/** Throws where two exports are not of the same rows in the same form. */
export function demandSame(place: string, found: ExportRecord, wanted: ExportRecord): void {
  const differences = [
    ...(found.query === wanted.query ? [] : [differenceOf(found.dimensions, wanted.dimensions)]),
    ...(found.project === wanted.project ? [] : [`of project ${found.project ?? '(none)'}, not ${wanted.project ?? '(none)'}`]),
    ...(found.source === wanted.source ? [] : [`from ${found.source || 'nowhere'}, not from ${wanted.source || 'nowhere'}`]),
    ...(describeForm(found.form) === describeForm(wanted.form) ? [] : [`as ${describeForm(found.form)}, not as ${describeForm(wanted.form)}`]),
  ];
  if (differences.length === 0) return;
  throw new ExportError(`In ${place} there is another export: ${differences.join('; ')}.`, { code: 'export-of-something-else', hint: 'Ask for the same, or export to another place.' });
}

function demandSameTime(folder: string, found: TimeRange, wanted: TimeRange): void {
  if (found.start === wanted.start && found.end === wanted.end) return;
  throw new ExportError(`In ${folder} wait the windows of another time: ${writeUtc(found.start)} to ${writeUtc(found.end)}.`, {
    code: 'export-of-something-else', hint: 'Finish that export first, or remove this folder, or name another file.',
  });
}

function differenceOf(found: readonly string[], wanted: readonly string[]): string {
  const without = wanted.filter((name) => !found.includes(name));
  const more = found.filter((name) => !wanted.includes(name));
  const named = (names: readonly string[]) => `${names.slice(0, 3).join(', ')}${names.length > 3 ? ` and ${names.length - 3} more` : ''}`;
  const said = [...(without.length > 0 ? [`without ${named(without)}`] : []), ...(more.length > 0 ? [`with ${named(more)}`] : [])];
  return said.length > 0 ? said.join(' and ') : 'of another query';
}

function demandWhole(folder: string, { damaged, units }: UnitListing, record: ExportRecord): void {
  const shown = (file: string) => path.relative(folder, file);
  const [first, ...more] = [
    ...damaged.map(({ file, what }) => `${shown(file)} ${what}`),
    ...units.filter(({ manifest }) => manifest.query !== record.query).map(({ file }) => `${shown(file)} is of another query`),
    ...units.filter(({ manifest }) => manifest.project !== record.project).map(({ file, manifest }) => `${shown(file)} is of project ${quote(manifest.project ?? '(none)')}`),
    ...findOverlap(units).map(([one, other]) => `${shown(one.file)} and ${shown(other.file)} overlap`),
  ];
  if (first === undefined) return;
  throw new ExportError(`The export in ${folder} is damaged: ${first}${more.length > 0 ? `; and ${more.length} more` : ''}.`, {
    code: 'export-damaged', hint: 'Nothing was written over. Remove such a file with its manifest, and run the same command again: its window is exported afresh.',
  });
}

function joined(folder: string, one: TimeRange, other: TimeRange): TimeRange {
  if (other.start > one.end || one.start > other.end) {
    throw new ExportError(`The export in ${folder} is of another time, and what lies between would be missing.`, { code: 'export-apart', hint: 'Let the ranges meet, or export to another folder.' });
  }
  return { start: Math.min(one.start, other.start), end: Math.max(one.end, other.end) };
}
