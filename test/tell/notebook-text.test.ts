import fc from 'fast-check';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { describe, expect, it } from 'vitest';
import { newNotebook, toCell, withoutProseEnd, withSeparator } from '../../src/tell/notebook/edit-notebook.ts';
import { readFrontMatter } from '../../src/tell/notebook/front-matter.ts';
import type { Block, Notebook } from '../../src/tell/notebook/notebook.ts';
import { cellKinds } from '../../src/tell/notebook/cell-kinds.ts';
import { readCell } from '../../src/tell/notebook/read-cell.ts';
import { readNotebook } from '../../src/tell/notebook/read-notebook.ts';
import { splitMarkdown } from '../../src/tell/notebook/split-markdown.ts';
import { arbitraryQuery } from '../ask/query/arbitrary-query.ts';

/** A notebook as the text that it was read from, with additions. */
const textOf = ({ frontMatter, blocks }: Notebook) => [frontMatter, ...blocks].map(({ source }) => source).join('');

/** Inserts a block before the one at `index`, or at the end, and keeps the new neighbours separate. */
function insertBlock(notebook: Notebook, index: number, block: Block): Notebook {
  const blocks = notebook.blocks.toSpliced(index, 0, block).map((each, place, all) => {
    const following = all.slice(place + 1).map(({ source }) => source);
    const isNeighbour = place === index - 1 || place === index;
    return isNeighbour ? { ...each, source: withSeparator(each.source, following.join('')) } : each;
  });
  return { ...notebook, blocks };
}

const prose = [
  'Words of *people*, with `code` and {{ braces.\n',
  '# A heading\n',
  '- a list\n- of two\n\n',
  '> a quote\n',
  '    indented code\n',
  '<div>\n```query\nnot a cell\n```\n</div>\n',
  '```js\nquery()\n```\n',
  '~~~\n```query\n~~~\n',
  '- ```query\n  from: listed\n  ```\n',
  '| a | b |\n| - | - |\n| 1 | 2 |\n',
  '\n',
  '***\n',
  'no line break',
  '[^1]: note\n',
  '<!-- ```query -->\n',
  'Ümläute 日本 🙂\n',
  '\t\n',
  '\\{{ kept }}\n',
  '<!-- -->\n',
];
const cells = [
  '```query\nfrom: top-pages\n```\n',
  '~~~query\nfrom: top-pages\n~~~\n',
  '````yaml query\nfrom: top-pages # ``` inside\n````\n',
  '  ```query\n  from: top-pages\n  ```\n',
  '```usage\n```\n',
  '```funnel\nfunnel: signup\n```   \n',
  '``` query\n\nfrom: top-pages\n\n```\n',
  '```annotations\nmarks: [{date: 2024-03-08, title: Launch}]\n```\n',
];
const fronts = [
  '',
  '---\ntitle: A title\n---\n',
  '---\n# nothing but a comment\n---\n\n\n',
  '---\nparams:\n  month: {type: month}\n---\n',
];

const pieces = fc.array(
  fc.oneof(fc.constantFrom(...prose, '---\n'), fc.constantFrom(...cells), fc.string({ maxLength: 12 })),
  { maxLength: 8 },
);
const anyText = fc
  .tuple(fc.constantFrom('', '\ufeff'), fc.constantFrom(...fronts), pieces)
  .map(([mark, front, parts]) => mark + front + parts.join(''))
  .chain((text) => fc.constantFrom(text, text.replaceAll('\n', '\r\n')));
const goodText = fc
  .tuple(
    fc.constantFrom('', '\ufeff'),
    fc.constantFrom(...fronts),
    fc.array(fc.constantFrom(...prose.filter((part) => part.endsWith('\n')), ...cells), { maxLength: 8 }),
    fc.constantFrom('\n', '\r\n'),
  )
  .map(([mark, front, parts, lineBreak]) => (mark + front + parts.join('\n')).replaceAll('\n', lineBreak));

function read(text: string): Notebook {
  const notebook = readNotebook(text);
  if (!notebook.ok) throw new Error(JSON.stringify([text, notebook.issues]));
  return notebook.value;
}

describe('reading notebook text', () => {
  it('cuts any text into pieces that cover it', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const { source } = readFrontMatter(text).frontMatter;
        const parts = splitMarkdown(text, source.length);
        expect(source + parts.map(({ start, end }) => text.slice(start, end)).join('')).toBe(text);
        for (const part of parts) if (part.kind === 'cell') expect(part.bodyStart).toBeLessThanOrEqual(part.bodyEnd);
      }),
      { numRuns: 400 },
    );
  });

  it('never throws, and every issue has a place in the text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        for (const { span } of readNotebook(text).issues) {
          expect(span).toBeDefined();
          expect(text.split('\n').length).toBeGreaterThanOrEqual(span!.line);
        }
      }),
      { numRuns: 400 },
    );
  });

  it('round-trips to the byte', () => {
    fc.assert(
      fc.property(goodText, (text) => {
        expect(textOf(read(text))).toBe(text);
      }),
      { numRuns: 400 },
    );
  });

  it('finds a cell for each top-level fence that CommonMark sees, and no other', () => {
    fc.assert(
      fc.property(goodText, (text) => {
        const body = text.slice(readFrontMatter(text).frontMatter.source.length).replace(/^\ufeff/, '');
        const fences = fromMarkdown(body).children.filter(
          (node) =>
            node.type === 'code' && [node.lang, node.meta].some((word) => cellKinds.some((kind) => kind === word)),
        );
        expect(read(text).blocks.filter(({ kind }) => kind === 'cell')).toHaveLength(fences.length);
      }),
      { numRuns: 200 },
    );
  });
});

const data = fc.oneof(
  fc.record(
    {
      cell: fc.constant('query' as const),
      query: arbitraryQuery,
      title: fc.string({ unit: 'grapheme' }),
      limit: fc.integer({ min: 1, max: 100 }),
    },
    { requiredKeys: ['cell', 'query'] },
  ),
  fc.record({
    cell: fc.constant('compare' as const),
    from: fc.constantFrom('top-pages', 'a ``` b', '{{ month }}', '\\{{ x }}'),
    with: fc.constantFrom('previous', 'last year'),
  }),
  fc.record(
    { cell: fc.constant('usage' as const), months: fc.integer({ min: 1, max: 12 }) },
    { requiredKeys: ['cell'] },
  ),
);

describe('editing notebooks', () => {
  it('writes cells that read back unchanged, whatever their texts contain', () => {
    fc.assert(
      fc.property(data, (content) => {
        const block = toCell(content);
        const back = readCell(block.cell, block.data, new Map());
        expect(back.ok && back.value).toEqual(JSON.parse(JSON.stringify(content)));
      }),
      { numRuns: 300 },
    );
  });

  it('keeps every other block to the byte, and adds the new blocks', () => {
    fc.assert(
      fc.property(goodText, data, fc.nat(10), (text, content, at) => {
        const before = read(text);
        const index = Math.min(at, before.blocks.length);
        const after = insertBlock(before, index, toCell(content));
        const body = ({ source }: Block) => source.replace(/<!-- -->\s*$/, '').trimEnd();
        expect(after.blocks.map(body)).toEqual(before.blocks.toSpliced(index, 0, toCell(content)).map(body));
        expect(textOf(after).startsWith(before.frontMatter.source)).toBe(true);
        const found = splitMarkdown(textOf(after), after.frontMatter.source.length).filter(
          ({ kind }) => kind === 'cell',
        );
        expect(found).toHaveLength(after.blocks.filter(({ kind }) => kind === 'cell').length);
      }),
      { numRuns: 300 },
    );
  });

  it('separates a block from one without a final line break, with the line breaks of the file', () => {
    const cell = toCell({ cell: 'query', from: 'top-pages' });
    expect(textOf(insertBlock(read('Words.'), 1, cell))).toBe(`Words.\n\n${cell.source}`);
    expect(textOf(insertBlock(read('Words\r\nof two lines.'), 1, cell))).toBe(
      `Words\r\nof two lines.\r\n\r\n${cell.source}`,
    );
    expect(textOf(insertBlock(read('```query\nfrom: a\n```'), 1, cell))).toBe(
      `\`\`\`query\nfrom: a\n\`\`\`\n\n${cell.source}`,
    );
  });

  it('keeps an indented cell out of a preceding list', () => {
    const [, indented] = read('Words.\n\n  ```query\n  from: top-pages\n  ```\n').blocks;
    const after = insertBlock(read('- ```query\n  from: listed\n  ```\n'), 1, indented!);
    expect(read(textOf(after)).blocks.filter(({ kind }) => kind === 'cell')).toHaveLength(1);
  });

  it('does not change existing neighbours', () => {
    const close = 'Words.\n```query\nfrom: a\n```\nMore words.\nLast.\n';
    const after = insertBlock(read(close), 3, toCell({ cell: 'query', from: 'b' }));
    expect(textOf(after)).toBe('Words.\n```query\nfrom: a\n```\nMore words.\nLast.\n\n```query\nfrom: b\n```\n');
  });

  it('separates neighbouring prose, so that every block reads back unchanged', () => {
    const text = fc.constantFrom(...prose.filter((part) => part.trim() !== '' && !part.startsWith('<!-- -->')));
    const block = fc.oneof(text, fc.constantFrom(...cells));
    fc.assert(
      fc.property(fc.array(block, { maxLength: 8 }), fc.constantFrom('\n', '\r\n'), (blocks, lineBreak) => {
        const given = blocks.map((source) => source.replaceAll('\n', lineBreak));
        const joined = given.map((source, index) => withSeparator(source, given[index + 1] ?? ''));
        const found = read(joined.join('')).blocks.filter(({ source }) => source.trim() !== '');
        const body = (source: string) => withoutProseEnd(source).trim();
        expect(found.map(({ source }) => body(source))).toEqual(given.map(body));
        // A second edit adds nothing.
        expect(joined.map((source, index) => withSeparator(source, joined[index + 1] ?? ''))).toEqual(joined);
      }),
      { numRuns: 400 },
    );
  });

  it('can start from an empty notebook', () => {
    const front = {
      title: 'Say: "what"',
      timezone: 'Europe/Berlin',
      params: [{ name: 'month', type: 'month', default: 'last month' }],
    } as const;
    const notebook = insertBlock(
      insertBlock(newNotebook(front), 0, { kind: 'prose', source: 'Words.\n', quotes: [] }),
      1,
      toCell({ cell: 'query', from: 'top-pages' }),
    );
    expect(textOf(notebook)).toBe(
      '---\ntitle: \'Say: "what"\'\nparams:\n  month: {type: month, default: last month}\ntimezone: Europe/Berlin\n---\n\nWords.\n\n```query\nfrom: top-pages\n```\n',
    );
    expect(read(textOf(notebook)).frontMatter).toMatchObject(front);
  });
});
