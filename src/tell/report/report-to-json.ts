import type { Value } from '../../plan/column.ts';
import type { Result } from '../../shape/result/result.ts';
import { toJsonNumber, toJsonValue, toSafeJson } from '../../show/text/json-value.ts';
import { writeJsonWithProvenance } from '../../show/text/write-json.ts';
import type { Report, ReportAlert, ReportBlock, ReportFigure, ReportPart, ReportStat } from './report.ts';

/**
 * A report as JSON: `{sluice: 'report', version: 1, name, title, …, blocks}`, with the blocks of `Report` in order. A
 * part's `result` is `{columns, rows, marks, provenance}` as in `-f json --with-provenance`; a figure has its own
 * provenance. The output is the same in every run.
 */
export function writeReportJson({ blocks, notice, ...rest }: Report): string {
  const told =
    notice &&
    `${toSafeJson({ about: notice.about, state: notice.state }).slice(0, -1)},"value":${writeValue(notice.value)}}`;
  const head =
    toSafeJson({ sluice: 'report', version: 1, ...rest }).slice(0, -1) +
    (told === undefined ? '}' : `,"notice":${told}}`);
  return `${head.slice(0, -1)},\n"blocks":[\n${blocks.map(writeBlock).join(',\n')}\n]}\n`;
}

function writeBlock(block: ReportBlock): string {
  switch (block.kind) {
    case 'prose':
      return object({
        kind: toSafeJson(block.kind),
        markdown: toSafeJson(block.markdown),
        figures: list(block.figures.map(writeFigure)),
      });
    case 'cell': {
      const { parts, watched, ...rest } = block;
      const alerts = watched === undefined ? '' : `,"watched":${list(watched.map(writeAlert))}`;
      return `${toSafeJson(rest).slice(0, -1)}${alerts},"parts":${list(parts.map(writePart))}}`;
    }
    default:
      return toSafeJson(block);
  }
}

function writePart(part: ReportPart): string {
  const { result, ...rest } = part;
  const head =
    part.kind === 'stats'
      ? object({
          kind: toSafeJson(part.kind),
          title: part.title === undefined ? undefined : toSafeJson(part.title),
          stats: list(part.stats.map(writeStat)),
        })
      : toSafeJson({ ...rest, of: undefined });
  return `${head.slice(0, -1)},"result":${writeResult(result)}}`;
}

function writeAlert({ value, ...rest }: ReportAlert): string {
  return `${toSafeJson(rest).slice(0, -1)},"value":${writeValue(value)}}`;
}

function writeResult(result: Result): string {
  return [...writeJsonWithProvenance(result)].join('').trimEnd();
}

function writeFigure({ path, text, value, provenance }: ReportFigure): string {
  return object({
    path: toSafeJson(path),
    text: toSafeJson(text),
    value: writeValue(value),
    provenance: provenance && toSafeJson(provenance),
  });
}

function writeStat({ label, text, value, gauge, note, previous }: ReportStat): string {
  return object({
    label: toSafeJson(label),
    text: toSafeJson(text),
    value: writeValue(value),
    gauge: gauge === undefined ? undefined : toJsonNumber(gauge),
    note: note === undefined ? undefined : toSafeJson(note),
    previous: previous && toSafeJson(previous),
  });
}

function writeValue(value: Value): string {
  return typeof value === 'number' ? toJsonNumber(value) : toJsonValue(value);
}

/** Joins JSON texts by key. Undefined ones are omitted. */
function object(entries: Readonly<Record<string, string | undefined>>): string {
  return `{${Object.entries(entries)
    .flatMap(([key, json]) => (json === undefined ? [] : [`${JSON.stringify(key)}:${json}`]))
    .join(',')}}`;
}

function list(items: readonly string[]): string {
  return `[${items.join(',')}]`;
}
