import fc from 'fast-check';
import type { Nodes } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { describe, expect, it } from 'vitest';
import { sanitize } from '../../../src/show/labels/sanitize.ts';
import { escapeMarkdown } from '../../../src/show/text/markdown-cell.ts';
import { escapeStart, writeReportMarkdown } from '../../../src/tell/report/report-to-markdown.ts';
import { drawPictures, pictureName } from '../../../src/tell/report/report-pictures.ts';
import type { Report } from '../../../src/tell/report/report.ts';
import { anyText } from '../../show/arbitrary-result.ts';
import { attack, cellOf, days, everything, reportOf } from './specimen-reports.ts';
import { withParts } from '../../../src/ask/cloneable.ts';

function* walk(node: Nodes): Generator<Nodes> {
  yield node;
  if ('children' in node) for (const child of node.children) yield* walk(child);
}

// Some platforms link addresses in plain text. They show where they lead, and are not markup.
const nodesOf = (markdown: string) => [
  ...walk(
    fromMarkdown(markdown, {
      extensions: [gfm()],
      mdastExtensions: gfmFromMarkdown().map((each) => ({ ...each, transforms: [] })),
    }),
  ),
];
const writeWithPictures = async (report: Report, folder = 'specimen.assets') =>
  writeReportMarkdown(report, { pictures: await drawPictures(report), folder });

describe('a report as Markdown', () => {
  it('refers to its picture files, with a description in words', async () => {
    const pictures = await drawPictures(everything);
    const drawn = [...pictures.values()].flatMap((picture) => ('name' in picture ? [picture] : []));
    const images = nodesOf(await writeWithPictures(everything, 'a b (c)')).flatMap((node) =>
      node.type === 'image' ? [node] : [],
    );
    expect(images.map(({ url }) => decodeURIComponent(url))).toEqual(drawn.map(({ name }) => `a b (c)/${name}`));
    expect(images[0]?.alt).toMatch(/^Line chart: Visits a day\./);
    for (const { name, svg } of drawn) {
      expect(name).toMatch(pictureName);
      expect(svg).toMatch(/^<svg /);
    }
  });

  it('shows the figures of a chart that cannot be drawn as a table, with the reason', async () => {
    const markdown = await writeWithPictures(everything);
    expect(markdown).toContain(
      '**Undrawable**\n\n*Not drawn: This result has nothing to draw: no measure contains numbers.*\n\n| Page |',
    );
  });

  it('adds notes below a picture that neither it nor a table shows', async () => {
    const chart = { kind: 'chart', result: days, preference: 'line', annotations: [] } as const;
    const alone = await writeWithPictures(reportOf([cellOf([chart])]));
    expect(alone).toMatch(/^!\[.*\]\(.*\.svg\)\n\n- 7 events without a user are not counted\.\n\n\*/m);
    const both = await writeWithPictures(reportOf([cellOf([chart, { kind: 'table', result: days }])]));
    expect(both.match(/not counted/g)).toHaveLength(1);
    const cut = withParts(days, { provenance: { ...days.provenance, truncated: { limit: 4 } } });
    expect(await writeWithPictures(reportOf([cellOf([{ ...chart, result: cut }])]))).not.toContain('- Stopped');
  });

  it('names pictures by content: a different name for each, the same for equal ones', async () => {
    const nameOf = async (title: string) =>
      [
        ...(await drawPictures(reportOf([cellOf([{ kind: 'chart', result: days, annotations: [], title }])]))).values(),
      ].map((picture) => ('name' in picture ? picture.name : ''));
    expect(await nameOf('Users: Ä')).toEqual(await nameOf('Users: Ä'));
    expect(await nameOf('Users: Ä')).not.toEqual(await nameOf('Users, A'));
    expect((await nameOf('../../x'))[0]).toMatch(/^x-[0-9a-f]{8}\.svg$/);
    expect((await nameOf('価格'))[0]).toMatch(/^chart-/);
  });

  it('lists failures first', () => {
    expect(writeReportMarkdown(everything)).toMatch(
      /^> \*\*4 things in this report need attention\*\*\n>\n> - Elsewhere: It did not answer\.\n> - In part: Project 7/,
    );
  });

  it('lets nothing escape: no link, no HTML, no mention, no command of the platform', async () => {
    for (const markdown of [writeReportMarkdown(attack), await writeWithPictures(attack)]) {
      const kinds = new Set(nodesOf(markdown).map(({ type }) => type));
      for (const kind of [
        'link',
        'linkReference',
        'definition',
        'html',
        'inlineCode',
        'delete',
        'footnoteReference',
        'footnoteDefinition',
      ] as const)
        expect(kinds).not.toContain(kind);
      // Platforms ignore commands and references within code.
      const outside = markdown.replace(/^(`{3,})text\n[^]*?\n\1$/gm, '').replace(/\\./gu, '');
      expect(outside).not.toMatch(/^\s*\/\w/m);
      expect(outside).not.toMatch(/(?<!\w)[@#~]\w|[<>]\w|!\d/);
    }
    const code = nodesOf(writeReportMarkdown(attack)).filter(({ type }) => type === 'code');
    expect(code).toHaveLength(attack.blocks.filter(({ kind }) => kind === 'failure').length);
  });

  it('keeps quoted text at the start of a line from becoming a command, a list or a heading', () => {
    expect(['/close', '-- x', '1. x', '12) x', '+ x', '= x', '/docs'].map(escapeStart)).toEqual([
      '\\/close',
      '\\-- x',
      '1\\. x',
      '12\\) x',
      '\\+ x',
      '\\= x',
      '\\/docs',
    ]);
    fc.assert(
      fc.property(anyText, (text) => {
        const line = escapeStart(escapeMarkdown(sanitize(text).trim()));
        const kinds = nodesOf(`${line}\n`).map(({ type }) => type);
        expect(line.startsWith('/')).toBe(false);
        expect(kinds.filter((kind) => !['root', 'paragraph', 'text'].includes(kind))).toEqual([]);
      }),
    );
  });
});
