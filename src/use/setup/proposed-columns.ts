import path from 'node:path';
import { stringify } from 'yaml';
import { BackendError } from '../../ask/sluice-error.ts';
import { plural, shellWord, showText } from '../../ask/text.ts';
import type { MappingProposal, ProposedColumn } from '../../plan/mapping/propose-mapping.ts';
import { looksLikeSerial } from '../../plan/mapping/to-shape.ts';
import type { UnmappedFile as FileFound } from '../../run/duckdb/reading/find-unmapped.ts';
import { namesHint } from '../../run/duckdb/reading/formats/unfit-file.ts';
import type { MappingOf } from '../../run/duckdb/reading/recognise/map-files.ts';
import { localNote } from '../../run/events/expected-facts.ts';
import { wrappedSentences } from '../../run/duckdb/reading/formats/wrapped-sentences.ts';
import { sourceName } from '../../run/file/source-copy.ts';
import { cellWidth } from '../../show/labels/cell-width.ts';
import { sanitize } from '../../show/labels/sanitize.ts';
import { showPath } from '../process/show-path.ts';
import type { SetupPlace } from './set-up.ts';

const longestExample = 28;

/** A file with unknown columns, and the mapping that sluice proposes for it. */
export interface UnmappedFile {
  /** For people. */
  readonly file: string;
  /** The mapping as data: the proposed columns and the confidence in them. */
  readonly proposal: MappingProposal;
  /** Sentences that say from which list the events are read, if the file is one object that contains a list. */
  readonly read: readonly string[];
  /** The proposal as a section of `sluice.yaml`. */
  readonly yaml: string;
}

/**
 * Proposes a mapping for the named files if their columns are unknown. `mappingOf`: the mappings that there are
 * already. Error: `events-without-time`, as `proposeFor`.
 */
export async function proposeColumns(
  events: readonly string[] | undefined,
  encoding: string | undefined,
  { config, cwd, env }: SetupPlace,
  mappingOf?: MappingOf,
): Promise<UnmappedFile | undefined> {
  const [first] = events ?? [];
  if (events === undefined || first === undefined) return undefined;
  const [{ findFiles }, { findUnmapped }, { openDownload }] = await Promise.all([
    import('../../run/duckdb/reading/find-files.ts'),
    import('../../run/duckdb/reading/find-unmapped.ts'),
    import('../workspace/open-download.ts'),
  ]);
  const downloads = { value: path.join(path.dirname(config), '.sluice', 'downloads'), origin: 'default' };
  const download = openDownload({ downloads }, { env });
  const purpose = { code: 'events-not-found', what: 'events', hint: 'Correct the path.' } as const;
  // Missing or unreadable files are reported when they are tried.
  const files = await findFiles(events, cwd, purpose, download).catch(() => []);
  const unmapped = await findUnmapped(files, mappingOf, encoding).catch(() => undefined);
  return unmapped && proposeFor(unmapped, { cwd, pattern: events.length === 1 ? first : undefined, files, encoding });
}

interface ProposedFor {
  readonly cwd: string;
  /** The files as the user named them, if it was a single pattern. */
  readonly pattern: string | undefined;
  readonly files: readonly string[];
  /** The encoding to set for the files. */
  readonly encoding?: string | undefined;
}

/**
 * Proposes a mapping for a file with unknown columns. Returns undefined if no column is a time but other files can be
 * read without this one, or if there are fewer than two columns. Errors: `not-utf-8` for column names,
 * `events-without-time` if no column of a single file is a time, or if its events are in a list inside one object.
 */
export async function proposeFor(
  { file: path, shape, wrapped }: FileFound,
  { cwd, pattern, files, encoding }: ProposedFor,
): Promise<UnmappedFile | undefined> {
  const { proposeMapping } = await import('../../plan/mapping/propose-mapping.ts');
  const file = showPath(sourceName(path), cwd);
  const hint = namesHint(shape.columns.map(({ name }) => name));
  if (hint) throw new BackendError(`${file} has column names that are not UTF-8.`, { code: 'not-utf-8', hint });
  const proposal = proposeMapping(shape);
  if (!proposal.missing.includes('time'))
    return {
      file,
      proposal,
      read: wrapped ? wrappedSentences([{ file, wrapped }]) : [],
      yaml: writeProposedYaml(proposal, pattern ?? file, encoding),
    };
  if (files.length > 1 || shape.columns.length < 2) return undefined;
  const serial = shape.columns.find(({ examples }) => examples.length > 0 && examples.every(looksLikeSerial));
  throw new BackendError(`${file} has no column for the time of its events:\n${writeColumns(proposal)}`, {
    code: 'events-without-time',
    hint:
      serial === undefined
        ? 'Name it with --map utcTime=COLUMN, or `columns:` in sluice.yaml.'
        : `If ${showText(serial.name)} has dates as spreadsheets count them, in days, name it: ` +
          `--map ${shellWord(showText(`utcTime=${serial.name}`))}`,
  });
}

/** Fields under which the user maps what was not found. */
const fieldOfFact: Readonly<Record<string, string>> = {
  time: 'utcTime',
  'event type': 'eventType',
  user: 'userId',
  page: 'docPath',
};

/**
 * One line for each column: its type, an example, its recognised field and the confidence. `datesNote`: the sentence on
 * dates without a time.
 */
export function writeProposal(
  { proposal, file, read }: Pick<UnmappedFile, 'proposal' | 'file' | 'read'>,
  datesNote = localNote,
): string {
  const { missing, figures, types, repeated, shared, isLocal, isDated } = proposal;
  const lacks =
    missing.length === 0
      ? []
      : [
          '',
          `No column found for: ${missing.join(', ')}. ` +
            'Queries on these fields return no data until you name their columns under `columns:`, ' +
            `such as ${missing.map((fact) => `\`${fieldOfFact[fact] ?? fact}: COLUMN\``).join(', ')}.` +
            (missing.includes('event type') ? ' If every row is a page view: `eventType: {value: pageview}`.' : ''),
        ];
  const doubts =
    figures.length === 0
      ? []
      : [
          '',
          `The ${plural(figures.length, 'column')} ${figures.map(sanitize).join(', ')}` +
            ` ${plural(figures.length, 'looks', 'look')} like figures, not events. ` +
            'sluice counts each row as one event: export raw events instead.',
        ];
  const unnamed =
    types.length === 0
      ? []
      : [
          '',
          `No event type looks like a page view: ${types.slice(0, 8).map(sanitize).join(', ')}` +
            `${types.length > 8 ? ' …' : ''}. ` +
            'If one is, map it: `eventType: {column: …, values: {NAME: pageview}}`.',
        ];
  const noIds = [
    ...repeated.map((name) => [name, 'its values repeat, so they cannot be the IDs of events'] as const),
    ...shared.map(
      (name) => [name, 'several users have the same values, so they cannot be the IDs of sessions'] as const,
    ),
  ].map(([name, why]) => `\n${sanitize(name)} is kept as a property: ${why}.`);
  return [
    ...read.map((text) => sanitize(text)),
    `${sanitize(file)} has unknown column names. Proposed mapping:`,
    '',
    writeColumns(proposal),
    ...lacks,
    ...unnamed,
    ...noIds,
    ...(isLocal ? ['', isDated ? datesNote : localNote] : []),
    ...doubts,
  ].join('\n');
}

function writeColumns({ columns }: MappingProposal): string {
  const rows = [
    ['COLUMN', 'TYPE', 'EXAMPLE', 'FIELD', 'CONFIDENCE'],
    ...columns.map((one) => [
      one.source,
      one.column.type,
      exampleOf(one),
      one.field ?? 'property',
      one.confidence ?? '',
    ]),
  ].map((row) => row.map((cell) => sanitize(cell)));
  const widths = rows[0]!.map((_, at) => Math.max(...rows.map((row) => cellWidth(row[at]!))));
  return rows
    .map((row) =>
      row
        .map((cell, at) => cell + ' '.repeat(widths[at]! - cellWidth(cell)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function exampleOf({ column: { examples } }: ProposedColumn): string {
  const [text = ''] = examples;
  return text.length > longestExample ? `${text.slice(0, longestExample - 1)}…` : text;
}

/** The mapping as a section of `sluice.yaml`. */
function writeProposedYaml({ mapping }: MappingProposal, files: string, encoding?: string): string {
  const source = { files, ...(encoding !== undefined && { encoding }), columns: mapping.columns };
  return stringify({ sources: [source] }, { lineWidth: 0 });
}
