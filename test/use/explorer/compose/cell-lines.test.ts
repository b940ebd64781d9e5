import { describe, expect, it } from 'vitest';
import { cellWidth } from '../../../../src/show/labels/cell-width.ts';
import { cellHeight, composeCell } from '../../../../src/use/explorer/compose/cell-lines.ts';
import type { ExplorerCell } from '../../../../src/use/explorer/state/state.ts';
import { toCell } from '../../../../src/use/explorer/update/change-cells.ts';

const hint = 'After the measures, write `by`, `where`, a range such as `last 7 days`, `top`, `order by`, `limit`.';
const line = 'count between 2026-01-01 and 2026-02-01';

describe('a failed cell', () => {
  it.each([40, 60, 80])(
    'wraps messages and hints at %i columns, but not the line with the marks below it',
    (columns) => {
      const message = `The question has errors.\n1:7  error  "between" is not expected here.\n  ${line}\n        ^^^^^^^\n  hint: ${hint}`;
      const failed: ExplorerCell['run'] = { kind: 'failed', failure: { message, hint: undefined, lost: false } };
      const cell = toCell(1, { kind: 'line', line }, { run: failed });
      const around = { size: { columns, rows: 24 }, now: 0 };
      const [, ...lines] = composeCell(cell, { index: 0, chosen: true }, around, { depth: 'plain', unicode: true });
      expect(lines.join('\n').replaceAll(/\s+/g, ' ')).toContain(`hint: ${hint}`);
      expect(lines.every((one) => cellWidth(one) <= columns)).toBe(true);
      const marks = lines.findIndex((one) => one.includes('^'));
      expect(lines[marks]).toBe('          ^^^^^^^');
      expect(lines[marks - 1]).toContain('    count between 2026');
      expect(cellHeight(cell, around)).toBe(lines.length + 1);
    },
  );
});
