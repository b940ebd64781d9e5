import { cellWidth, padToCells, truncateToCells } from '../labels/cell-width.ts';
import { wrapWords } from '../labels/wrap-words.ts';
import { fitColumns } from './fit-columns.ts';
import { type Glyphs, gap } from './glyphs.ts';
import { signRoom, type TableColumn } from './table-columns.ts';
import { type Line, type TextRun, toLine } from './table-line.ts';

const noSign: TextRun = { text: '', style: 'plain' };

/** Joins cells side by side. */
function joinCells(cells: readonly (readonly TextRun[])[]): Line {
  const space: TextRun = { text: ' '.repeat(gap), style: 'plain' };
  return toLine(cells.flatMap((cell, index) => (index === 0 ? cell : [space, ...cell])));
}

/** One line of a heading, above the values and not above their signs if there is room. */
function headingCell(text: string, width: number, column: TableColumn): readonly TextRun[] {
  const room = width - signRoom(column);
  const padded = cellWidth(text) <= room ? padToCells(text, room, column.align) : text;
  return [
    {
      text: padToCells(padded, width, column.align === 'right' && padded === text ? 'right' : 'left'),
      style: 'heading',
    },
  ];
}

/** A value with its sign, exactly `width` cells wide. */
function valueCell(column: TableColumn, row: number, width: number, ellipsis: string): readonly TextRun[] {
  return signedCell(column, column.values[row] as TextRun, column.signs[row] as TextRun, width, ellipsis);
}

function signedCell(
  column: TableColumn,
  value: TextRun,
  itsSign: TextRun,
  width: number,
  ellipsis: string,
): readonly TextRun[] {
  const hasRoom = width > signRoom(column);
  const sign = hasRoom ? itsSign : noSign;
  const room = hasRoom ? width - signRoom(column) : width;
  const text = fitValue(value.text, room, column.shrinks, ellipsis);
  if (column.align === 'right') {
    return [
      { text: padToCells(text, room, 'right'), style: value.style },
      { text: padToCells(sign.text, width - room, 'left'), style: sign.style },
    ];
  }
  // Put the sign directly after its text: far away at the right edge it would not be associated with it.
  const signed = sign.text === '' ? [{ text, style: value.style }] : [{ text: `${text} `, style: value.style }, sign];
  const used = signed.reduce((cells, span) => cells + cellWidth(span.text), 0);
  return [...signed, { text: ' '.repeat(Math.max(0, width - used)), style: 'plain' }];
}

/** A cut number would be another number, so numbers are shown in full or not at all. */
function fitValue(text: string, cells: number, shrinks: boolean, ellipsis: string): string {
  if (shrinks) return truncateToCells(text, cells, ellipsis);
  return cellWidth(text) <= cells ? text : truncateToCells(ellipsis, cells, '');
}

interface TableBody {
  readonly lines: readonly Line[];
  /** Number of columns that fit. The others, at the right, are omitted. */
  readonly columnCount: number;
}

/** Lays out headings, a rule, and one line per row. */
export function layOutRows(
  columns: readonly TableColumn[],
  rowCount: number,
  width: number,
  glyphs: Glyphs,
): TableBody {
  const fit = (grouped: boolean) =>
    fitColumns(
      columns.map((column) => ({
        heading: (grouped ? column.group?.heading : undefined) ?? column.heading,
        values: column.valueWidth + signRoom(column),
        shrinks: column.shrinks,
        least: column.least,
      })),
      width,
      gap,
      glyphs.ellipsis,
    );
  // With unlimited width, every column has its full name.
  const above = Number.isFinite(width) ? layOutGroups(columns, fit(true), glyphs) : undefined;
  const widths = fit(above !== undefined);
  const shown = columns.slice(0, widths.length);
  const total = widths.reduce((sum, cells) => sum + cells, gap * Math.max(0, widths.length - 1));
  const rule: Line = toLine([{ text: glyphs.rule.repeat(total), style: 'quiet' }]);
  const headings = shown.map(({ heading, group }) => (above ? group?.heading : undefined) ?? heading);
  const lines = [...(above ? [above] : []), ...layOutHeadings(shown, headings, widths, glyphs), rule];
  for (let row = 0; row < rowCount; row += 1) {
    lines.push(
      joinCells(shown.map((column, index) => valueCell(column, row, widths[index] as number, glyphs.ellipsis))),
    );
  }
  if (shown.some(({ total }) => total))
    lines.push(
      rule,
      joinCells(
        shown.map((column, index) =>
          signedCell(column, column.total ?? noSign, noSign, widths[index] as number, glyphs.ellipsis),
        ),
      ),
    );
  return { lines, columnCount: shown.length };
}

/** The headings that several columns share, above them; undefined if there are none or they do not fit. */
function layOutGroups(columns: readonly TableColumn[], widths: readonly number[], { rule }: Glyphs): Line | undefined {
  const runs: { title: string | undefined; cells: number }[] = [];
  for (const [index, cells] of widths.entries()) {
    const title = columns[index]?.group?.title;
    const last = runs.at(-1);
    if (last && title !== undefined && last.title === title) last.cells += gap + cells;
    else runs.push({ title, cells });
  }
  if (runs.every(({ title }) => title === undefined)) return undefined;
  if (runs.some(({ title, cells }) => title !== undefined && cellWidth(title) + 2 > cells)) return undefined;
  return joinCells(
    runs.map(({ title, cells }): readonly TextRun[] => {
      if (title === undefined) return [{ text: ' '.repeat(cells), style: 'plain' }];
      const left = cells - cellWidth(title) - 2;
      return [
        { text: rule.repeat(Math.floor(left / 2)), style: 'quiet' },
        { text: ` ${title} `, style: 'heading' },
        { text: rule.repeat(Math.ceil(left / 2)), style: 'quiet' },
      ];
    }),
  );
}

/** Aligns headings at the bottom, on the rule. */
function layOutHeadings(
  columns: readonly TableColumn[],
  texts: readonly string[],
  widths: readonly number[],
  glyphs: Glyphs,
): Line[] {
  const headings = texts.map((heading, index) => wrapWords(heading, widths[index] as number, glyphs));
  const height = Math.max(0, ...headings.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) =>
    joinCells(
      columns.map((column, index) =>
        headingCell(headings[index]?.at(line - height) ?? '', widths[index] as number, column),
      ),
    ),
  );
}

/** A single row of measures is listed vertically: `Count  991,631`. */
export function layOutSingleRow(columns: readonly TableColumn[], width: number, glyphs: Glyphs): TableBody {
  const widest = Math.max(0, ...columns.map((column) => column.valueWidth + signRoom(column)));
  const values = Math.min(widest, width);
  const titles = Math.min(width - values - gap, Math.max(0, ...columns.map(({ heading }) => cellWidth(heading))));
  const lines = columns.map((column) => {
    const value = valueCell(column, 0, values, glyphs.ellipsis);
    if (titles <= 0) return toLine(value);
    return joinCells([
      [
        {
          text: padToCells(truncateToCells(column.heading, titles, glyphs.ellipsis), titles, 'left'),
          style: 'heading',
        },
      ],
      value,
    ]);
  });
  return { lines, columnCount: columns.length };
}
