import { analysisOfLine, readAnalysisLine } from '../../../ask/analysis-line/read-analysis-line.ts';
import { readNotation } from '../../../ask/notation/read-notation.ts';
import type { MemberCatalog } from '../../../ask/query/member-catalog.ts';

/** A line in the zone, unless it has its own; undefined if it is no question of these names. */
export function inZone(
  line: string,
  zone: string | undefined,
  { catalog: members, home: defaultCube }: { readonly catalog: MemberCatalog; readonly home: string },
): string | undefined {
  if (zone === undefined) return line;
  const zoned = `${line} in ${zone}`;
  const analysis = analysisOfLine(line, members);
  if (analysis) return readAnalysisLine(line, analysis).timezone === undefined ? zoned : line;
  const read = readNotation(line, { members, defaultCube });
  if (!read.ok || read.value.timezone !== undefined) return read.ok ? line : undefined;
  const again = readNotation(zoned, { members, defaultCube });
  return again.ok && again.value.timezone === zone ? zoned : undefined;
}
