import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Column, Value } from '../../../../src/plan/column.ts';
import { type Result, toResult } from '../../../../src/shape/result/result.ts';
import { cellWidth } from '../../../../src/show/labels/cell-width.ts';
import { layOutColumns } from '../../../../src/use/explorer/grid/grid-layout.ts';
import { cellAt } from '../../../../src/use/explorer/grid/grid-pages.ts';
import { composeGrid } from '../../../../src/use/explorer/grid/compose-grid.ts';
import { type GridSource, sourceOfResult } from '../../../../src/use/explorer/grid/grid-source.ts';
import type { GridMessage } from '../../../../src/use/explorer/grid/grid-state.ts';
import { updateGrid } from '../../../../src/use/explorer/grid/update-grid.ts';
import { namedKey, typedKey } from '../../../../src/use/explorer/terminal/key.ts';
import type { TextLook } from '../../../../src/show/terminal/paint.ts';
import { anyResult, anyText } from '../../../show/arbitrary-result.ts';
import {
  dayColumn,
  emptyProvenance,
  exampleResult,
  hostileTexts,
  numberColumn,
  textColumn,
} from '../../../show/example-result.ts';
import { openDesk } from './open-desk.ts';
import { keyOf } from '../key-of.ts';

const plain: TextLook = { depth: 'plain', unicode: true };

/** A result of this size, whose values are computed on access. */
function wideResult(rows: number, columns: number): Result {
  const list = Array.from(
    { length: columns },
    (_, index): Column => (index % 3 === 0 ? textColumn(`text${index}`) : numberColumn(`number${index}`)),
  );
  return toResult({
    columns: list,
    data: list.map((_, index) =>
      index % 3 === 0
        ? Array.from({ length: rows }, (_row, row) => `t${(row * 7 + index) % 101}`)
        : Float64Array.from({ length: rows }, (_row, row) => (row * 13 + index) % 1009),
    ),
    provenance: { ...emptyProvenance, rows },
  });
}

const pages = exampleResult([
  [textColumn('docPath', 'Page'), ['/', '/blog', '/pricing', '/docs', null]],
  [numberColumn('count', 'Views'), [1234567, 12, 340, 56, null]],
  [numberColumn('rate', 'Rate'), [0.5, 12.25, 3, null, 100]],
]);

describe('the grid', () => {
  it('draws headings, rows and where one stands', async () => {
    await using desk = await openDesk(pages, { width: 60, height: 9 });
    expect(composeGrid(desk.state, plain).map((line) => line.trimEnd())).toEqual([
      '  Page          Views    Rate',
      '─────────────────────────────',
      '› /         1,234,567     0.5',
      '  /blog            12   12.25',
      '  /pricing        340       3',
      '  /docs            56       –',
      '  –                 –     100',
      '',
      'row 1 of 5',
    ]);
  });

  it('breaks headings into lines rather than cut them, if all columns then fit, and if there is height for it', async () => {
    const wide = exampleResult([
      [textColumn('docPath', 'Page'), ['/', '/blog']],
      [numberColumn('a', 'Events (2026-10-05 to 2026-10-18)'), [1509, 53]],
      [numberColumn('b', 'Events (2026-09-21 to 2026-10-04)'), [1461, 13]],
      [numberColumn('c', 'Events (change in %)'), [3.29, 307.69]],
    ]);
    const draw = async (width: number, height: number, keys: readonly string[] = []) => {
      await using desk = await openDesk(wide, { width, height });
      desk.press(...keys);
      await desk.settle();
      return composeGrid(desk.state, plain).map((line) => line.trimEnd());
    };
    expect((await draw(60, 14)).slice(0, 5)).toEqual([
      '                    Events            Events     Events',
      '            (2026-10-05 to    (2026-09-21 to    (change',
      '  Page         2026-10-18)       2026-10-04)      in %)',
      '───────────────────────────────────────────────────────',
      '› /                  1,509             1,461       3.29',
    ]);
    const sorted = await draw(60, 14, ['right', 's']);
    expect(sorted.slice(0, 3).join(' ')).toMatch(/2026-10-18\) ▲/);
    expect((await draw(140, 14))[0]).toMatch(/Page +Events \(2026-10-05 to 2026-10-18\) +Events/);
    expect((await draw(60, 7))[1]).toMatch(/^─+$/);
  });

  it('draws signs for filled and partial cells as tables do, and says what they mean', async () => {
    const result = exampleResult(
      [
        [
          dayColumn('utcTime', 'Day'),
          ['2024-03-01T00:00:00.000', '2024-03-02T00:00:00.000', '2024-03-03T00:00:00.000'],
        ],
        [numberColumn('count', 'Views'), [5, 0, 3]],
      ],
      {
        marks: { 'TrackedEvents.utcTime.day': [0, 0, 8], 'TrackedEvents.count': [0, 1, 8] },
      },
    );
    await using desk = await openDesk(result, { width: 100, height: 8 });
    const lines = composeGrid(desk.state, plain);
    expect(lines.slice(2, 5).map((line) => line.trimEnd())).toEqual([
      expect.stringMatching(/2024-03-01\s+5$/),
      expect.stringMatching(/2024-03-02\s+0·$/),
      expect.stringMatching(/2024-03-03 ~\s+3$/),
    ]);
    expect(lines.at(-1)).toContain('~ partial: cut by the present');
    expect(lines.at(-1)).toContain('· filled: there were no rows');
  });

  it('never shows a part of a number', async () => {
    await using desk = await openDesk(pages, { width: 60, height: 9 });
    desk.press('right', ...Array.from({ length: 8 }, () => '<'));
    const cells = composeGrid(desk.state, plain)
      .slice(2, 6)
      .map((line) => line.slice(10, 20));
    expect(cells.join('\n')).not.toMatch(/\d,|234|567/);
    expect(composeGrid(desk.state, plain)[2]).toContain('…');
    desk.press('=');
    expect(composeGrid(desk.state, plain)[2]).toContain('1,234,567');
  });

  it('is exactly as large as its room, and obeys nothing that is in the rows, whatever is pressed', async () => {
    const keys = fc.constantFrom(
      'up',
      'down',
      'left',
      'right',
      'pageup',
      'pagedown',
      'g',
      'G',
      'home',
      'end',
      's',
      'S',
      'f',
      '<',
      '>',
      '=',
      '-',
      '+',
      'i',
      'v',
      '/',
      'x',
      '5',
      '>',
      'enter',
      'escape',
      'wheelup',
      'wheeldown',
      'space',
      'tab',
      'ctrl-d',
      'ctrl-u',
      'down',
    );
    await fc.assert(
      fc.asyncProperty(
        anyResult,
        fc.integer({ min: 0, max: 70 }),
        fc.integer({ min: 0, max: 14 }),
        fc.array(keys, { maxLength: 14 }),
        fc.constantFrom<TextLook['depth']>('colour', 'attributes', 'plain'),
        fc.boolean(),
        async (result, width, height, pressed, depth, unicode) => {
          await using desk = await openDesk(result, { width, height });
          for (const key of pressed) {
            desk.press(key);
            if (key !== 'down') await desk.settle();
            const lines = composeGrid(desk.state, { depth, unicode });
            expect(lines).toHaveLength(height);
            for (const line of lines) {
              const shown = stripVTControlCharacters(line);
              expect(cellWidth(shown), shown).toBeLessThanOrEqual(width);
              expect(shown).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u);
              if (depth === 'plain') expect(line).toBe(shown);
            }
          }
        },
      ),
      { numRuns: 80 },
    );
  });

  it('finds its way through any keys and any answers in any order, without a throw', () => {
    const result = wideResult(2000, 9);
    const source = sourceOfResult(result);
    const key = fc.oneof(
      fc
        .constantFrom(
          'up',
          'down',
          'left',
          'right',
          'pagedown',
          'G',
          'g',
          'end',
          'home',
          's',
          'f',
          '-',
          '+',
          'i',
          'v',
          '/',
          'enter',
          'escape',
          '>',
          '<',
        )
        .map(keyOf),
      fc.constantFrom('a', '5', ' ').map(typedKey),
      fc.constant(namedKey('click')).map((one) => ({ ...one, at: { column: 20, row: 4 } })),
    );
    return fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.oneof(
            key.map((one) => ({ press: one })),
            fc.nat(5).map((answer) => ({ answer })),
            fc.nat(5).map((fail) => ({ fail })),
            fc.tuple(fc.nat(100), fc.nat(30)).map(([width, height]) => ({ width, height })),
          ),
          { maxLength: 40 },
        ),
        async (steps) => {
          await using desk = await openDesk(source, { width: 60, height: 10 });
          for (const step of steps) {
            if ('press' in step) desk.send({ kind: 'key', key: step.press });
            else if ('width' in step) desk.send({ kind: 'resized', ...step });
            else if ('answer' in step) {
              const wanted = desk.wanted[step.answer];
              if (wanted) desk.send(await desk.feed.fetch(wanted));
            } else {
              const wanted = desk.wanted[step.fail];
              const view = wanted?.view ?? 0;
              const failures: readonly GridMessage[] = [
                { kind: 'view-failed', view, why: 'no' },
                { kind: 'statistics-failed', view, column: 0, why: 'no' },
                ...(wanted?.kind === 'rows' ? [{ kind: 'rows-failed', view, wanted, why: 'no' } as const] : []),
              ];
              failures.forEach((failure) => desk.send(failure));
            }
            const { state } = desk;
            expect(composeGrid(state, plain)).toHaveLength(state.height);
            expect(state.row).toBeGreaterThanOrEqual(0);
            expect(state.row === 0 || state.row < state.rowCount).toBe(true);
            expect(state.hidden).not.toContain(state.column);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('shows what the rows hold, wherever one goes', async () => {
    const result = wideResult(5000, 20);
    await using desk = await openDesk(result, { width: 70, height: 15 });
    for (const keys of [
      ['pagedown', 'pagedown'],
      ['G'],
      ['end'],
      ['pageup', 'left', 'left'],
      ['g', 'home'],
      ['f', 'right', 'right', 'right', 'right', 'right', 'right', 'right'],
    ]) {
      desk.press(...keys);
      await desk.settle();
      const { state } = desk;
      for (let row = state.top; row < state.top + 10; row += 1) {
        for (const column of [state.column, 0])
          expect(cellAt(state, row, column)?.value).toBe(result.values(result.columns[column]!.key)[row]);
      }
    }
  });

  it('draws rows that are not there yet as such, at once, and nothing moves when they come', async () => {
    await using desk = await openDesk(wideResult(40_000, 30), { width: 80, height: 12 });
    desk.press('G');
    const before = composeGrid(desk.state, plain);
    expect(before[5]).toMatch(/^\s+…/);
    await desk.settle();
    const after = composeGrid(desk.state, plain);
    expect(after[5]).toMatch(/t\d+\s+\d+/);
    expect([after[0], after[1], after.at(-1)]).toEqual([before[0], before[1], before.at(-1)]);
  });

  it('asks for no more than a few blocks at once, however fast somebody goes', async () => {
    await using desk = await openDesk(wideResult(40_000, 30), { width: 80, height: 12 });
    desk.press(...Array.from({ length: 500 }, () => 'pagedown'));
    expect(desk.wanted.length).toBeLessThanOrEqual(4);
    await desk.settle();
    expect(composeGrid(desk.state, plain).join('\n')).not.toContain('…');
  });

  it('keeps no more rows however many were seen', async () => {
    await using desk = await openDesk(wideResult(120_000, 20), { width: 120, height: 40 });
    let most = 0;
    for (let step = 0; step < 150; step += 1) {
      desk.press(...Array.from({ length: 20 }, () => 'pagedown'), step % 3 === 0 ? 'end' : 'home');
      await desk.settle();
      most = Math.max(most, desk.state.pages.strips.size);
    }
    expect(most).toBeLessThanOrEqual(1024);
    expect(desk.state.row).toBeGreaterThan(50_000);
  });

  it('sorts up, down and not at all, and keeps the old rows in sight until the new ones are there', async () => {
    await using desk = await openDesk(pages, { width: 60, height: 9 });
    desk.press('right', 's');
    expect(composeGrid(desk.state, plain).at(-1)).toContain('sorting');
    expect(composeGrid(desk.state, plain)[2]).toContain('1,234,567');
    await desk.settle();
    const firsts = () => [0, 1, 2, 3, 4].map((row) => cellAt(desk.state, row, 1)?.value);
    expect(composeGrid(desk.state, plain)[0]).toContain('Views ▲');
    expect(firsts()).toEqual([12, 56, 340, 1234567, null]);
    desk.press('s');
    await desk.settle();
    expect(firsts()).toEqual([1234567, 340, 56, 12, null]);
    desk.press('s');
    await desk.settle();
    expect(firsts()).toEqual([1234567, 12, 340, 56, null]);
  });

  it('forgets a sort that was overtaken by another', async () => {
    await using desk = await openDesk(pages, { width: 60, height: 9 });
    desk.press('right', 's', 's');
    const [up, down] = desk.wanted.filter(({ kind }) => kind === 'view');
    const [first, second] = await Promise.all([desk.feed.fetch(up!), desk.feed.fetch(down!)]);
    desk.send(second);
    desk.send(first);
    expect(cellAt(desk.state, 0, 1)?.value).toBe(1234567);
    expect(desk.state.sort).toEqual([{ column: 1, descending: true }]);
  });

  it('drops rows that come late, of an order that is gone', async () => {
    const result = wideResult(5000, 4);
    await using desk = await openDesk(result, { width: 70, height: 12 });
    desk.press('G');
    const late = await Promise.all(desk.takeWanted().map((wanted) => desk.feed.fetch(wanted)));
    desk.press('right', 's');
    await desk.settle();
    late.forEach((message) => desk.send(message));
    desk.press('G');
    await desk.settle();
    const sorted = [...result.values(result.columns[1]!.key)].map(Number).sort((a, b) => a - b);
    for (let row = desk.state.top; row < 5000; row += 1) expect(cellAt(desk.state, row, 1)?.value).toBe(sorted[row]);
  });

  it('filters by a text, or by a column, tells how many there are, and forgets it again', async () => {
    await using desk = await openDesk(pages, { width: 70, height: 9 });
    const filter = async (text: string) => {
      desk.press('/', 'ctrl-u', ...Array.from(text, (letter) => (letter === ' ' ? 'space' : letter)), 'enter');
      await desk.settle();
      return desk.state.rowCount;
    };
    expect(await filter('views > 50')).toBe(3);
    expect(composeGrid(desk.state, plain).at(-1)).toMatch(/row 1 of 3 \(5 in all\).*filter: views > 50/);
    expect(await filter('BLOG')).toBe(1);
    expect(await filter('page ~ o and views < 50')).toBe(1);
    expect(await filter('views is not set')).toBe(1);
    expect(await filter('nothing like it')).toBe(0);
    expect(composeGrid(desk.state, plain).join('\n')).toContain('No row matches the filter.');
    expect(await filter('')).toBe(5);
    // A comparison with an unknown column is not a search text.
    for (const wrong of ['change > 50', 'vews>5', 'views > 5 and pge = x']) {
      expect(await filter(wrong)).toBe(5);
      expect(composeGrid(desk.state, plain).join('\n'), wrong).toContain('There is no column');
      desk.press('escape');
    }
    expect(await filter('"a > b"')).toBe(0);
    expect(await filter('')).toBe(5);
    desk.press('/', ...Array.from('views > x'.replaceAll(' ', '')), 'enter');
    expect(composeGrid(desk.state, plain).join('\n')).toContain('"x" is not a number.');
    desk.press('escape');
    expect(desk.state.panel).toBeUndefined();
  });

  it('filters while it is typed, completes names and values, and takes it back', async () => {
    await using desk = await openDesk(pages, { width: 70, height: 9 });
    const type = async (text: string) => {
      desk.press(...Array.from(text, (letter) => (letter === ' ' ? 'space' : letter)));
      await desk.settle();
      return desk.state.rowCount;
    };
    // The text may become a condition, so all rows stay for now.
    expect(await type('/pa')).toBe(5);
    expect(composeGrid(desk.state, plain).at(-2)).toContain('tab: Page');
    desk.press('tab');
    expect(await type('= /b')).toBe(1);
    expect(composeGrid(desk.state, plain).at(-2)).toContain('tab: Page = /blog');
    desk.press('tab');
    await desk.settle();
    expect([desk.state.rowCount, cellAt(desk.state, 0, 0)?.value]).toEqual([1, '/blog']);
    // An invalid filter keeps the previous rows.
    expect(await type(' and veiws > 5')).toBe(5);
    expect(composeGrid(desk.state, plain).at(-2)).toContain('There is no column "veiws".');
    desk.press('ctrl-u');
    expect(await type('views > 50')).toBe(3);
    desk.press('enter', '/', 'ctrl-u');
    expect(await type('blog')).toBe(1);
    desk.press('escape');
    await desk.settle();
    expect([desk.state.rowCount, desk.state.filterText]).toEqual([3, 'views > 50']);
  });

  it('chooses rows, marks them, and forgets them where other rows come', async () => {
    await using desk = await openDesk(pages, { width: 70, height: 9 });
    desk.press('space', 'down', 'space');
    expect([...desk.state.chosen.keys()]).toEqual([0, 2]);
    const lines = composeGrid(desk.state, plain);
    expect([lines[2], lines[4], lines.at(-1)]).toEqual([
      expect.stringMatching(/^● /),
      expect.stringMatching(/^● /),
      expect.stringContaining('2 chosen'),
    ]);
    desk.press('g', 'space');
    expect([...desk.state.chosen.keys()]).toEqual([2]);
    desk.press('s');
    await desk.settle();
    expect(desk.state.chosen.size).toBe(0);
  });

  it('keeps frozen columns at their place', async () => {
    await using desk = await openDesk(wideResult(10, 30), { width: 60, height: 8 });
    // By default the first column is frozen.
    desk.press('end');
    await desk.settle();
    const [head = ''] = composeGrid(desk.state, plain);
    expect(head).toMatch(/^\s+text0.*│.*number29/);
    desk.press('home', 'f', 'end');
    expect(composeGrid(desk.state, plain)[0]).not.toContain('text0');
  });

  it('hides columns, but not the last one, and shows them again', async () => {
    await using desk = await openDesk(pages, { width: 60, height: 9 });
    desk.press('-', '-', '-', '-');
    expect(composeGrid(desk.state, plain)[0]?.trim()).toBe('Rate');
    expect(composeGrid(desk.state, plain).at(-1)).toContain('2 hidden');
    desk.press('+');
    expect(composeGrid(desk.state, plain)[0]).toMatch(/Page.*Views.*Rate/);
  });

  it('counts what is in a column', async () => {
    await using desk = await openDesk(wideResult(1000, 3), { width: 80, height: 30 });
    desk.press('right', 'i');
    expect(composeGrid(desk.state, plain).join('\n')).toContain('counting…');
    await desk.settle();
    const text = composeGrid(desk.state, plain).join('\n');
    expect(text).toMatch(/rows\s+1,000/);
    expect(text).toMatch(/spread\s+[▁▂▃▄▅▆▇█ ]{20,}/);
    expect(text).toContain('most common values');
    desk.press('escape');
    expect(composeGrid(desk.state, plain)[2]).toMatch(/t0/);
  });

  it('shows the whole of a long value, JSON laid out with its numbers as they are, and scrolls in it', async () => {
    const json = `{"id":12345678901234567890.10,"list":[1,{}],"text":"${'word '.repeat(200)}end"}`;
    await using desk = await openDesk(exampleResult([[textColumn('properties'), [json]]]), { width: 40, height: 12 });
    desk.press('v');
    expect(composeGrid(desk.state, plain).map((line) => line.trimEnd())).toEqual(
      expect.arrayContaining(['{', '  "id": 12345678901234567890.10,', '    {}']),
    );
    desk.press(...Array.from({ length: 30 }, () => 'pagedown'));
    expect(composeGrid(desk.state, plain).join('\n')).toContain('end"');
    desk.press('pageup');
    expect(composeGrid(desk.state, plain).join('\n')).not.toContain('end"');
  });

  it('shows every letter of a value that is wrapped', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: fc.constantFrom('a', 'b', ' ', '字', '👩‍👩‍👧', 'é', '-'), minLength: 1, maxLength: 200 }),
        async (text) => {
          await using desk = await openDesk(exampleResult([[textColumn('text'), [text]]]), { width: 15, height: 60 });
          desk.press('v');
          const shown = composeGrid(desk.state, plain).slice(3, -1).join('').replaceAll(' ', '');
          expect(shown).toBe(text.replaceAll(' ', ''));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('follows the mouse', async () => {
    await using desk = await openDesk(wideResult(1000, 3), { width: 80, height: 12 });
    desk.press('wheeldown', 'wheeldown');
    expect([desk.state.top, desk.state.row]).toEqual([6, 6]);
    desk.send({ kind: 'key', key: { ...namedKey('click'), at: { column: 3, row: 5 } } });
    expect([desk.state.row, desk.state.column]).toEqual([9, 0]);
  });

  it('shows the columns at the left again when there is room for them', async () => {
    await using desk = await openDesk(pages, { width: 14, height: 9 });
    desk.press('end');
    const narrow = desk.state.left;
    desk.send({ kind: 'resized', width: 120, height: 9 });
    expect([narrow > 1, desk.state.left]).toEqual([true, 1]);
  });

  it('sorts by a heading that is clicked', async () => {
    await using desk = await openDesk(pages, { width: 70, height: 9 });
    const { x = 0 } = layOutColumns(desk.state)[1] ?? {};
    desk.send({ kind: 'key', key: { ...keyOf('click'), at: { column: x, row: 0 } } });
    await desk.settle();
    expect([desk.state.column, desk.state.sort]).toEqual([1, [{ column: 1, descending: false }]]);
    desk.send({ kind: 'key', key: { ...keyOf('click'), at: { column: x, row: 3 } } });
    await desk.settle();
    expect([desk.state.row, desk.state.sort.length]).toEqual([1, 1]);
  });

  it('keeps the row in sight when the room changes', async () => {
    await using desk = await openDesk(wideResult(1000, 12), { width: 80, height: 30 });
    desk.press(...Array.from({ length: 20 }, () => 'down'), 'end');
    desk.send({ kind: 'resized', width: 30, height: 8 });
    await desk.settle();
    expect(desk.state.row).toBe(20);
    expect(composeGrid(desk.state, plain).filter((line) => line.startsWith('›'))).toHaveLength(1);
    expect(composeGrid(desk.state, plain)[0]).toContain('number11');
  });

  it('says what went wrong, does not ask again and again, and tries again when somebody moves', async () => {
    const result = wideResult(5000, 4);
    let broken = true;
    const whole = sourceOfResult(result);
    const source: GridSource = {
      ...whole,
      open: async (view) => {
        const opened = await whole.open(view);
        return {
          ...opened,
          read: async (start, ...rest) => {
            if (broken && start > 1000) throw new Error('the disk is gone');
            return opened.read(start, ...rest);
          },
        };
      },
    };
    await using desk = await openDesk(source, { width: 80, height: 12 });
    desk.press('G');
    await desk.settle();
    expect(composeGrid(desk.state, plain).at(-1)).toContain('the disk is gone');
    broken = false;
    desk.press('up');
    await desk.settle();
    expect(composeGrid(desk.state, plain).join('\n')).not.toContain('…');
  });

  it('leaves alone keys that mean nothing to it', async () => {
    await using desk = await openDesk(pages);
    for (const key of ['x', 'q', 'f1', 'ctrl-c', 'tab'])
      expect(updateGrid(desk.state, { kind: 'key', key: keyOf(key) })).toEqual({
        state: desk.state,
        wants: [],
        handled: false,
      });
  });

  it('never shows what a terminal obeys in its panels', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.constantFrom(...hostileTexts), anyText), async (text) => {
        await using desk = await openDesk(exampleResult([[textColumn('x', text), [text, text as Value]]]), {
          width: 30,
          height: 14,
        });
        for (const key of ['v', 'escape', 'i']) {
          desk.press(key);
          await desk.settle();
          for (const line of composeGrid(desk.state, plain)) {
            expect(cellWidth(line)).toBeLessThanOrEqual(30);
            expect(line).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u);
          }
        }
      }),
      { numRuns: 60 },
    );
  });
});
