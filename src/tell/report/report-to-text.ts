import type { Nodes, Parents, RootContent } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { toNotes } from '../../show/labels/notes.ts';
import { sanitize } from '../../show/labels/sanitize.ts';
import { writeTable } from '../../show/terminal/write-table.ts';
import { describeSource } from './describe-source.ts';
import { isShownAsTable } from './draw-part.ts';
import { htmlComment } from './render-blocks.ts';
import type { ReportPictures } from './report-pictures.ts';
import type { Report, ReportBlock, ReportCell, ReportPart } from './report.ts';
import {
  describeReport,
  nameOf,
  startsWithHeading,
  describeProblems,
  toProblems,
  warningsOf,
  describeCheck,
} from './summary.ts';

/** A report as plain text for an email: prose without markup, tables in columns, charts in words. */
export async function writeReportText(report: Report, pictures: ReportPictures): Promise<string> {
  const head = startsWithHeading(report) ? [] : [underline(sanitize(report.title), '=')];
  const blocks = [];
  for (const block of report.blocks) blocks.push(await writeBlock(block, pictures));
  const problems = toProblems(report);
  const problemList =
    problems.length === 0
      ? ''
      : [`${describeProblems(problems)}:`, ...problems.map(({ text }) => `- ${sanitize(text)}`)].join('\n');
  return `${[...head, problemList, ...blocks, '---', sanitize(describeReport(report))].filter((text) => text !== '').join('\n\n')}\n`;
}

async function writeBlock(block: ReportBlock, pictures: ReportPictures): Promise<string> {
  switch (block.kind) {
    case 'prose':
      return proseLines(block.markdown);
    case 'cell':
      return writeCell(block, pictures);
    case 'checks':
      return [
        ...titled(block.title),
        ...block.checks.map(
          (check) =>
            `${{ passed: 'ok     ', failed: 'FAILED ', unknown: 'unknown', 'not-judged': 'not judged:' }[check.state]} ${sanitize(describeCheck(check))}`,
        ),
      ].join('\n');
    case 'failure':
      return [
        `FAILED: ${sanitize(nameOf(block))}`,
        ...block.message.split('\n').map(sanitize),
        ...(block.hint === undefined ? [] : [sanitize(block.hint)]),
      ].join('\n');
  }
}

async function writeCell(cell: ReportCell, pictures: ReportPictures): Promise<string> {
  const { title, description, parts, footnotes } = cell;
  const texts = [...titled(title), ...(description === undefined ? [] : [sanitize(description)])];
  const warnings = warningsOf(cell);
  if (warnings.length > 0) texts.push(warnings.map(sanitize).join('\n'));
  for (const part of parts) texts.push(await writePart(part, parts, title, pictures));
  // A table has its own notes.
  const said = [
    ...footnotes,
    ...parts.flatMap((part) => (part.kind === 'stats' ? toNotes(part.result.provenance).map(({ text }) => text) : [])),
    ...parts.map(({ result }) => describeSource(result)),
  ];
  return [...texts, [...new Set(said)].map(sanitize).join('\n')].filter((text) => text !== '').join('\n\n');
}

async function writePart(
  part: ReportPart,
  parts: readonly ReportPart[],
  title: string | undefined,
  pictures: ReportPictures,
): Promise<string> {
  const name = part.title === undefined || part.title === title ? [] : [sanitize(part.title)];
  switch (part.kind) {
    case 'stats':
      return [
        ...name,
        ...part.stats.map(({ label, text, previous, note }) => {
          const from = previous?.changePercent ? `${previous.changePercent} from ` : 'before: ';
          const beside = previous ? `${from}${previous.text}, ${previous.label}` : note;
          return sanitize(`${label}: ${text}${beside === undefined ? '' : ` (${beside})`}`);
        }),
      ].join('\n');
    case 'table':
      return [...name, (await writeTable(part.result, { width: Infinity, colour: false })).trimEnd()].join('\n\n');
    case 'chart': {
      const picture = pictures.get(part);
      const words = picture === undefined ? [] : [sanitize('why' in picture ? picture.why : picture.words)];
      return [
        ...words,
        ...(isShownAsTable(part, parts)
          ? []
          : [(await writeTable(part.result, { width: Infinity, colour: false })).trimEnd()]),
      ].join('\n\n');
    }
  }
}

function titled(title: string | undefined): readonly string[] {
  return title === undefined ? [] : [underline(sanitize(title), '-')];
}

function underline(text: string, line: string): string {
  return `${text}\n${line.repeat([...text].length)}`;
}

/**
 * Prose as sanitized plain text without markup. `joined`: join the lines of a paragraph, for callers that wrap them.
 */
export function proseLines(markdown: string, { joined = false }: { readonly joined?: boolean } = {}): string {
  const root = fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  if (joined) joinLines(root);
  return blocksOf(root).join('\n\n');
}

function joinLines(node: Nodes): void {
  if (node.type === 'text') node.value = node.value.replaceAll('\n', ' ');
  if ('children' in node) node.children.forEach(joinLines);
}

function blocksOf(parent: Parents): readonly string[] {
  return parent.children.map((node) => writeNode(node)).filter((text) => text !== '');
}

function writeNode(node: RootContent): string {
  switch (node.type) {
    case 'heading':
      return underline(lineOf(node), node.depth === 1 ? '=' : '-');
    case 'list':
      return node.children
        .map((item, index) => indent(blocksOf(item).join('\n'), node.ordered ? `${(node.start ?? 1) + index}. ` : '- '))
        .join('\n');
    case 'blockquote':
      return blocksOf(node)
        .join('\n\n')
        .split('\n')
        .map((line) => `> ${line}`.trimEnd())
        .join('\n');
    case 'code':
      return node.value
        .split('\n')
        .map((line) => `    ${sanitize(line)}`)
        .join('\n');
    case 'table':
      return node.children.map((row) => row.children.map(lineOf).join('  |  ')).join('\n');
    case 'thematicBreak':
      return '---';
    case 'definition':
      return '';
    case 'footnoteDefinition':
      return indent(blocksOf(node).join('\n'), `[${sanitize(node.label ?? node.identifier)}] `);
    case 'html':
      return htmlComment.test(node.value) ? '' : node.value.split('\n').map(sanitize).join('\n');
    default:
      return lineOf(node);
  }
}

function indent(text: string, mark: string): string {
  return text
    .split('\n')
    .map((line, index) => (index === 0 ? mark : ' '.repeat(mark.length)) + line)
    .join('\n');
}

/** The sanitized words of a paragraph. The URL of a link follows its text. */
function lineOf(node: Nodes): string {
  switch (node.type) {
    case 'break':
      return '\n';
    case 'html':
      return htmlComment.test(node.value) ? '' : node.value.split('\n').map(sanitize).join('\n');
    case 'image':
      return sanitize(node.alt ?? '');
    case 'footnoteReference':
      return `[${sanitize(node.label ?? node.identifier)}]`;
    case 'link': {
      const text = node.children.map(lineOf).join('');
      return node.url.endsWith(text) || !/^(?:https?|mailto):/i.test(node.url)
        ? text
        : `${text} <${sanitize(node.url)}>`;
    }
    default:
      return 'children' in node
        ? node.children.map(lineOf).join('')
        : 'value' in node
          ? node.value.split('\n').map(sanitize).join('\n')
          : '';
  }
}
