import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { builtInModel } from '../../../src/plan/model/built-in-model.ts';
import { toCatalog } from '../../../src/plan/model/catalog.ts';
import { cellWidth } from '../../../src/show/labels/cell-width.ts';
import { composeScreen } from '../../../src/use/explorer/compose/screen.ts';
import { composeReaderLines } from '../../../src/use/explorer/compose/screen-reader-lines.ts';
import { updateGrid } from '../../../src/use/explorer/grid/update-grid.ts';
import { composeLine } from '../../../src/use/explorer/line/compose-line.ts';
import { lineLimits } from '../../../src/use/explorer/line/edit-line.ts';
import { borderAt } from '../../../src/use/explorer/line/graphemes.ts';
import { lineOf } from '../../../src/use/explorer/line/line-state.ts';
import { readKeys } from '../../../src/use/explorer/shell/read-keys.ts';
import type { Effect } from '../../../src/use/explorer/state/effects.ts';
import type { ExplorerState, OpenWorkspace } from '../../../src/use/explorer/state/state.ts';
import { type Key, namedKey, nameOfKey } from '../../../src/use/explorer/terminal/key.ts';
import { startState, update } from '../../../src/use/explorer/update.ts';
import { exampleResult, numberColumn } from '../../show/example-result.ts';
import { fewEvents, folderOf } from '../run-in-folder.ts';
import { openDesk } from './grid/open-desk.ts';
import { openTerminal, sent } from './terminal.ts';
import { keyOf } from './key-of.ts';

const workspace: OpenWorkspace = {
  kind: 'open',
  catalog: toCatalog(builtInModel),
  home: 'TrackedEvents',
  savedQueries: [],
  reports: [],
  zones: ['UTC'],
  source: 'e.ndjson',
  values: new Map(),
  notes: [],
};
const look = { depth: 'plain', unicode: true } as const;
const esc = '\u001b';
const bracketed = (text: string) => `${esc}[200~${text}${esc}[201~`;
const pasteOf = (text: string): Key => ({ ...namedKey('paste'), text });

/** The explorer with open data, after keys; every state is drawn. */
function after(...keys: readonly (Key | string)[]): {
  readonly state: ExplorerState;
  readonly effects: readonly Effect[];
} {
  let { state } = update(startState({ columns: 80, rows: 24 }, 0), { kind: 'opened', workspace }, 0);
  const effects: Effect[] = [];
  for (const key of keys) {
    const done = update(state, { kind: 'key', key: typeof key === 'string' ? keyOf(key) : key }, 0);
    state = done.state;
    effects.push(...done.effects.filter(({ kind }) => kind !== 'keep-draft'));
    for (const line of composeScreen(state, look).lines) expect(cellWidth(line)).toBeLessThanOrEqual(80);
    for (const line of composeReaderLines(state)) expect(line.length).toBeLessThan(3000);
  }
  return { state, effects };
}

// With quadratic time, these would take minutes.
const long = {
  'one word': 'a'.repeat(lineLimits.question),
  'many words': 'lorem ipsum '.repeat(lineLimits.question).slice(0, lineLimits.question),
  'many lines': 'count by day\r'.repeat(lineLimits.question).slice(0, lineLimits.question),
  'other letters': 'καλημέρα 字字 '.repeat(lineLimits.question).slice(0, lineLimits.question),
} as const;

describe('a pasted list of questions', () => {
  const linesOf = (...lines: readonly string[]) =>
    after(pasteOf(lines.join('\r'))).state.cells.map(({ ask }) => ask.kind === 'line' && ask.line);

  it('has a cell for each, also for a wrong one, which tells what is wrong', () => {
    const list = ['count by docPath', 'cont by docPth', 'users by day'];
    expect(linesOf(...list)).toEqual(list);
  });

  it('may have questions that go on in the next line', () => {
    expect(linesOf('count by docPath', 'where eventType = pageview', 'top 5', 'users by day')).toEqual([
      'count by docPath where eventType = pageview top 5',
      'users by day',
    ]);
    expect(linesOf('count', 'by docPath', 'last 7 days')).toEqual([]);
    expect(linesOf('some words', 'count by day', 'and others')).toEqual([]);
  });
});

describe('a long paste', () => {
  it.each(Object.entries(long))('into the prompt, of %s, is there at once, and can be edited', (kind, text) => {
    const { state, effects } = after(
      pasteOf(text),
      'left',
      'home',
      'end',
      'alt-b',
      'alt-f',
      'x',
      'ctrl-w',
      'ctrl-y',
      'ctrl-t',
      'ctrl-_',
      'ctrl-_',
      'ctrl-_',
      'alt-backspace',
    );
    expect(effects).toEqual([]);
    expect(state.prompt.line.text.length).toBeGreaterThan(kind === 'one word' ? -1 : lineLimits.question - 100);
    expect(after(pasteOf(text)).state.prompt.line.text).toBe(text.replaceAll('\r', ' '));
    expect(after(pasteOf(text), 'ctrl-c').state.prompt.line.text).toBe('');
  });

  it('that no line holds is refused with a word, and what stood there stays', () => {
    const { state } = after('a', 'b', pasteOf(long['many words']));
    expect(state.prompt.line.text).toBe('ab');
    expect(composeScreen(state, look).lines.join('\n')).toContain(
      'The text was not inserted. This line can have at most 4,194,304 characters.',
    );
  });

  it('of more questions than fit is refused with a word', () => {
    const { state, effects } = after(
      pasteOf(Array.from({ length: 60 }, (_, i) => `count last ${i + 1} days`).join('\n')),
    );
    expect([state.cells, state.prompt.line.text, effects]).toEqual([[], '', []]);
    expect(state.said?.text).toBe('60 questions are too many to paste at once. Paste at most 50.');
  });

  it('is no question: enter says so, and keeps it', () => {
    const { state, effects } = after(pasteOf('count '.repeat(20_000)), 'enter');
    expect(state.cells).toEqual([]);
    expect(effects).toEqual([]);
    expect(composeScreen(state, look).lines.join('\n')).toContain(
      'A question has at most 100,000 characters; this line has 119,999.',
    );
    expect(state.prompt.line.text).toHaveLength(120_000);
  });

  it.each<[string, readonly string[], (state: ExplorerState) => string | undefined]>([
    ['the line of commands', [':'], ({ over }) => (over?.kind === 'palette' ? over.line.text : undefined)],
    [
      'the name of a report',
      [':', 's', 'a', 'v', 'e', 'space'],
      ({ over }) => (over?.kind === 'palette' ? over.line.text.slice(5) : undefined),
    ],
    ['the search of earlier lines', ['ctrl-r'], ({ prompt }) => prompt.line.search?.query],
  ])('is refused by %s; a short one is not', (_, keys, textOf) => {
    expect(textOf(after(...keys, pasteOf('abc\tdef')).state)).toBe('abc def');
    const { state } = after(...keys, pasteOf('a'.repeat(1001)));
    expect(textOf(state)).toBe('');
    expect(composeScreen(state, look).lines.join('\n')).toContain('This line can have at most 1,000 characters');
  });

  it('is refused by the filter of a grid, with a word; a short one is not', async () => {
    await using desk = await openDesk(exampleResult([[numberColumn('count', 'Count'), Float64Array.of(1, 2)]]));
    desk.press('/');
    const pasted = (text: string) => {
      const { panel } = updateGrid(desk.state, { kind: 'key', key: pasteOf(text) }).state;
      return panel?.kind === 'filter' ? [panel.line.text, panel.problem] : undefined;
    };
    expect(pasted('count\n> 1')).toEqual(['count > 1', undefined]);
    expect(pasted(long['one word'])).toEqual(['', expect.stringContaining('at most 1,000 characters')]);
  });

  it('is drawn around the cursor wherever that is', () => {
    const text = Array.from({ length: 4000 }, (_, index) => `${index} 字é`).join(' ');
    const state = lineOf(text);
    fc.assert(
      fc.property(fc.nat(text.length), fc.integer({ min: 20, max: 200 }), (place, width) => {
        const cursor = borderAt(text, place);
        const {
          lines: [line = ''],
          cursor: column,
        } = composeLine({ ...state, cursor }, { width, look, label: '? ' });
        expect(cellWidth(line)).toBeLessThanOrEqual(width);
        expect(line.startsWith('? …')).toBe(!text.startsWith(line.slice(2, -1)));
        expect(line.endsWith('…')).toBe(!text.endsWith(line.slice(3)));
        // The text before the cursor is the same on the screen as in the line.
        const shown = line.slice(2).replaceAll('…', '');
        expect(text).toContain(shown);
        const before = Array.from(new Intl.Segmenter().segment(line))
          .reduce((seen, { segment }) => (cellWidth(seen + segment) <= column ? seen + segment : seen), '')
          .slice(2)
          .replace('…', '');
        expect(text.slice(0, cursor).endsWith(before)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

/** The keys for terminal input in pieces; `null` is a pause. */
async function keysOf(pieces: readonly (string | Uint8Array | null)[]): Promise<readonly Key[]> {
  const input = new PassThrough();
  const keys: Key[] = [];
  const reading = readKeys(input, (key) => keys.push(key));
  for (const piece of pieces) {
    if (piece !== null) input.write(piece);
    await new Promise((resolve) => {
      setTimeout(resolve, piece === null ? 60 : 0);
    });
  }
  await new Promise((resolve) => {
    setTimeout(resolve, 60);
  });
  reading.close();
  return keys;
}

const bytesOf = (text: string, size: number) => {
  const bytes = Buffer.from(text);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
};

const cut = (text: string, size: number) =>
  Array.from({ length: Math.ceil(text.length / size) }, (_, index) => text.slice(index * size, (index + 1) * size));

describe('readKeys', () => {
  it.each([7, 1000, 4095])('gives a paste in brackets as one key, in pieces of %i characters', async (size) => {
    const text = `count by day\n${esc}[A\u0003é`.repeat(1000);
    const keys = await keysOf([...cut(`a${bracketed(text)}b`, size)]);
    expect(keys.map(({ name }) => name)).toEqual(['a', 'paste', 'b']);
    expect(keys[1]?.text).toBe(text);
  });

  it('gives much text at once as one key where the terminal has no brackets for it, line ends and all', async () => {
    const text = 'count by day\r'.repeat(1000);
    const keys = await keysOf(['a', ...cut(text, 4095), null, 'b', `${esc}[A`]);
    expect(keys.map(({ name }) => name)).toEqual(['a', 'paste', 'b', 'up']);
    expect(keys[1]?.text).toBe(text);
    expect((await keysOf(['x'.repeat(100), `${esc}[A`])).map(nameOfKey)).toEqual(['paste', 'up']);
  });

  it('takes a line and enter for typed, however fast they come', async () => {
    const typed = `count by eventType day last 30 days where docPath contains blog top 10\r`;
    expect((await keysOf([typed])).map(nameOfKey)).toEqual(
      [...typed.slice(0, -1)].map((letter) => (letter === ' ' ? 'space' : letter)).concat('enter'),
    );
  });

  it('keeps no more of a paste than shows that it is too long', async () => {
    const [key, next] = await keysOf([...cut(bracketed('x'.repeat(3 * lineLimits.question)), 1 << 20), 'b']);
    expect([key?.name, key?.text.length, next?.name]).toEqual(['paste', lineLimits.question + 1, 'b']);
  });

  it('lets ctrl-c end a paste whose end is lost', async () => {
    expect(
      (await keysOf([`${esc}[200~abc`, null, 'def', null, '\u0003'])).map((key) => [nameOfKey(key), key.text]),
    ).toEqual([
      ['paste', 'abcdef'],
      ['ctrl-c', ''],
    ]);
  });

  it('reads a paste as the terminal sent it, however it is cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('a', '\r', `${esc}[20`, '1~', esc, 'é', '𝒳', 'b'.repeat(70)), { maxLength: 12 }),
        fc.integer({ min: 1, max: 12 }),
        async (parts, size) => {
          const text = parts.join('').replaceAll(`${esc}[201~`, '');
          const keys = await keysOf(bytesOf(bracketed(text), size));
          expect(keys.map((key) => key.text)).toEqual(text === '' ? [] : [text]);
        },
      ),
      { numRuns: 20 },
    );
  });
});

describe('the explorer on a terminal', () => {
  it('takes pasted lines, with brackets or without, as one line that nobody sent off', async () => {
    await using terminal = openTerminal(folderOf({ 'e.ndjson': fewEvents, 'sluice.yaml': 'events: e.ndjson\n' }));
    await terminal.see('e.ndjson');
    await terminal.press(bracketed('count\r\nby eventType\r'));
    await terminal.see('? count by eventType');
    await terminal.press(sent.interrupt, ...cut('count by eventType\r'.repeat(3000), 4095));
    await terminal.see('count by eventType count by eventType');
    await terminal.press(sent.interrupt);
    await terminal.see('Cleared');
    expect(terminal.screen()).not.toMatch(/\d rows?\b/);
    await terminal.press(...'count by eventType', sent.enter);
    await terminal.see('2 rows');
    await terminal.press(sent.escape, bracketed('dddd'));
    await terminal.see('press o for a new question');
    expect(terminal.screen()).toContain('2 rows');
  });
});

it('f4 takes the line for a pasted SELECT statement', async () => {
  const folder = folderOf({ 'e.ndjson': fewEvents, 'sluice.yaml': 'events: e.ndjson\n' });
  await using terminal = openTerminal(folder);
  await terminal.see('Questions to begin');
  await terminal.press(
    bracketed('SELECT eventType, count(*) AS n\r\nFROM events\r\nGROUP BY 1\r\nORDER BY n DESC LIMIT 5;'),
    sent.enter,
  );
  await terminal.see(/f4 take "count by event.*enter ask/);
  await terminal.press(`${esc}OS`, sent.enter);
  await terminal.see(/1 {2}count by eventType order by count desc limit 5 +2 rows/);
});
