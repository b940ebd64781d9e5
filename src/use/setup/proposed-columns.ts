import { stringify } from 'yaml';
import type { MappingProposal, ProposedColumn } from '../../plan/mapping/propose-mapping.ts';
import { sanitize } from '../../show/labels/sanitize.ts';

const longestExample = 28;

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
