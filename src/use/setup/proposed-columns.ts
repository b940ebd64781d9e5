import path from 'node:path';
import { stringify } from 'yaml';
import type { MappingProposal, ProposedColumn } from '../../plan/mapping/propose-mapping.ts';
import { sourceName } from '../../run/file/source-copy.ts';
import { sanitize } from '../../show/labels/sanitize.ts';
import { showPath } from '../process/show-path.ts';
import type { SetupPlace } from './set-up.ts';

const longestExample = 28;

/** A file whose columns nothing names, and the mapping that sluice proposes for it. */
export interface UnmappedFile {
  /** For people. */
  readonly file: string;
  /** The mapping as data: the proposed columns and how sure sluice is of them. */
  readonly proposal: MappingProposal;
  /** The proposal as the part of a `sluice.yaml`. */
  readonly yaml: string;
}

/** A mapping for the named files, if nothing says what their columns are. */
export async function proposeColumns(
  events: readonly string[] | undefined,
  encoding: string | undefined,
  { config, cwd, env }: SetupPlace,
): Promise<UnmappedFile | undefined> {
  const [first] = events ?? [];
  if (events === undefined || first === undefined) return undefined;
  const [{ findFiles }, { findUnmapped }, { openDownload }, { proposeMapping }] = await Promise.all([
    import('../../run/duckdb/reading/find-files.ts'),
    import('../../run/duckdb/reading/find-unmapped.ts'),
    import('../workspace/open-download.ts'),
    import('../../plan/mapping/propose-mapping.ts'),
  ]);
  const downloads = { value: path.join(path.dirname(config), '.sluice', 'downloads'), origin: 'default' };
  const download = openDownload({ downloads }, { env });
  const purpose = { code: 'events-not-found', what: 'events', hint: 'Correct the path.' } as const;
  // Files that are not there, or cannot be read, are told of when they are tried.
  const unmapped = await findFiles(events, cwd, purpose, download)
    .then((files) => findUnmapped(files, undefined, encoding))
    .catch(() => undefined);
  if (!unmapped) return undefined;
  const proposal = proposeMapping(unmapped.shape);
  if (proposal.missing.includes('time')) return undefined;
  const file = showPath(sourceName(unmapped.file), cwd);
  return { file, proposal, yaml: writeProposedYaml(proposal, events.length === 1 ? first : file) };
}

/** Where a person writes what was not found. */
const fieldOfFact: Readonly<Record<string, string>> = {
  time: 'utcTime',
  'event type': 'eventType',
  user: 'userId',
  page: 'docPath',
};

/** A line for each column: its type, an example, what it was recognised as and how sure that is. */
export function writeProposal({ columns, missing }: MappingProposal, file: string): string {
  const rows = [
    ['COLUMN', 'TYPE', 'EXAMPLE', 'FIELD', 'SURENESS'],
    ...columns.map((one) => [one.source, one.column.type, exampleOf(one), one.field ?? 'property', one.sureness ?? '']),
  ].map((row) => row.map((cell) => sanitize(cell)));
  const widths = rows[0]!.map((_, at) => Math.max(...rows.map((row) => row[at]!.length)));
  const lines = rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at]!))
      .join('  ')
      .trimEnd(),
  );
  const lacks =
    missing.length === 0
      ? []
      : [
          '',
          `No column found for: ${missing.join(', ')}. Queries on these fields return no data until you name their columns under \`columns:\`, such as ${missing.map((fact) => `\`${fieldOfFact[fact] ?? fact}: COLUMN\``).join(', ')}.`,
        ];
  return [`${sanitize(file)} has unknown column names. Proposed mapping:`, '', ...lines, ...lacks].join('\n');
}

function exampleOf({ column: { examples } }: ProposedColumn): string {
  const [text = ''] = examples;
  return text.length > longestExample ? `${text.slice(0, longestExample - 1)}…` : text;
}

/** The part of a `sluice.yaml` that says so. */
export function writeProposedYaml({ mapping }: MappingProposal, files: string): string {
  return stringify({ sources: [{ files, columns: mapping.columns }] }, { lineWidth: 0 });
}
