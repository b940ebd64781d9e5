import { withParts } from '../../ask/cloneable.ts';
import type { Report, ReportBlock, ReportCell, ReportPart } from './report.ts';

/** Keeps these notes, which hold for all answers of a report, only at the first cell that has them. */
export function sayOnce(report: Report, notes: readonly string[]): Report {
  if (notes.length === 0) return report;
  const said = new Set<string>();
  const blocks = report.blocks.map((block): ReportBlock => {
    if (block.kind !== 'cell') return block;
    const shown = withoutNotes(block, new Set(said));
    for (const { result } of shown.parts)
      for (const note of result.provenance.notes) if (notes.includes(note)) said.add(note);
    return shown;
  });
  return { ...report, blocks };
}

function withoutNotes(cell: ReportCell, said: ReadonlySet<string>): ReportCell {
  const parts = cell.parts.map((part): ReportPart => {
    const { provenance } = part.result;
    const notes = provenance.notes.filter((note) => !said.has(note));
    return notes.length === provenance.notes.length
      ? part
      : { ...part, result: withParts(part.result, { provenance: { ...provenance, notes } }) };
  });
  return { ...cell, parts };
}
