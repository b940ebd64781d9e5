import type { SteadyProvenance } from '../../shape/result/provenance.ts';
import { toNotes } from '../../show/labels/notes.ts';
import { sanitize } from '../../show/labels/sanitize.ts';
import type { Report } from './report.ts';
import { withArrow } from './trend.ts';
import { describeReport, describeProblems, toProblems } from './summary.ts';

/** Slack's limits: https://docs.slack.dev/reference/block-kit/blocks. */
const longest = { header: 150, text: 3000, field: 2000, fields: 10 };
/** Teams rejects messages over 28 KB. */
const mostProblems = 5;

interface ChatFigure {
  readonly label: string;
  readonly text: string;
}

/** The headline, problems and first figures of a report with their notes, for a chat message. */
function gist(report: Report) {
  const problems = toProblems(report);
  const shown = report.blocks.flatMap((block) =>
    block.kind === 'cell' ? block.parts.flatMap((part) => (part.kind === 'stats' ? part : [])) : [],
  );
  const stats = shown.flatMap((part) => part.stats);
  const quoted = report.blocks.flatMap((block) => (block.kind === 'prose' ? block.figures : []));
  const figures: readonly ChatFigure[] =
    stats.length > 0
      ? stats.map(({ label, text, previous }) => ({
          label: sanitize(label),
          text: sanitize(
            previous
              ? `${text} (${previous.changePercent ? `${withArrow(previous.changePercent)} from ` : 'before: '}${previous.text})`
              : text,
          ),
        }))
      : quoted.map(({ path, text }) => ({ label: sanitize(path), text: sanitize(text) }));
  const sources = stats.length > 0 ? shown.map(({ result }) => result.provenance) : quoted.map((one) => one.provenance);
  return {
    title: sanitize(report.title),
    problemSummary: problems.length === 0 ? undefined : describeProblems(problems),
    said: report.notice?.text ?? [],
    problems: problems.slice(0, mostProblems).map(({ text }) => sanitize(text)),
    figures: figures.slice(0, longest.fields),
    notes: notesOf(sources).slice(0, mostProblems).map(sanitize),
    about: sanitize(describeReport(report)),
  };
}

/**
 * What is to be known of figures: that lines could not be read, that the range is not over. Those of a chat message are
 * no rows, so it leaves out that there may be more of them, and what the problems say.
 */
function notesOf(sources: readonly (SteadyProvenance | undefined)[]): readonly string[] {
  const notes = sources.flatMap((source) => (source === undefined ? [] : toNotes(source)));
  const said = notes.filter(({ kind }) => kind !== 'limit' && kind !== 'stale').map(({ text }) => text);
  return [...new Set(said)];
}

/**
 * A report as a message for Slack's incoming webhooks: blocks with problems, warnings, figures, their notes and a link.
 */
export function writeSlackMessage(report: Report, link?: string): string {
  const { title, problemSummary, said, problems, figures, notes, about } = gist(report);
  const text = (markdown: string) => ({ type: 'mrkdwn', text: cut(markdown, longest.text) });
  return JSON.stringify({
    text: cut(escapeSlack(problemSummary === undefined ? title : `${title}: ${problemSummary}`), longest.text),
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: cut(title, longest.header), emoji: false } },
      ...(problemSummary === undefined
        ? []
        : [
            {
              type: 'section',
              text: text(
                [`:warning: *${escapeSlack(problemSummary)}*`, ...problems.map((one) => `• ${escapeSlack(one)}`)].join(
                  '\n',
                ),
              ),
            },
          ]),
      ...said.map((one) => ({
        type: 'section',
        text: text(one.includes('\n') ? `\`\`\`\n${cut(inCode(one), longest.text - 8)}\n\`\`\`` : escapeSlack(one)),
      })),
      ...(figures.length === 0
        ? []
        : [
            {
              type: 'section',
              fields: figures.map((figure) => ({
                type: 'mrkdwn',
                text: cut(`*${escapeSlack(figure.label)}*\n${escapeSlack(figure.text)}`, longest.field),
              })),
            },
          ]),
      ...(link === undefined
        ? []
        : [
            {
              type: 'actions',
              elements: [{ type: 'button', text: { type: 'plain_text', text: 'Open the report' }, url: link }],
            },
          ]),
      { type: 'context', elements: [...notes, about].map((one) => text(escapeSlack(one))) },
    ],
  });
}

/** A report as an adaptive card, for workflows of Teams. */
export function writeTeamsMessage(report: Report, link?: string): string {
  const { title, problemSummary, said, problems, figures, notes, about } = gist(report);
  const block = (text: string, more: object = {}) => ({
    type: 'TextBlock',
    text: cut(escapeCard(text), 1000),
    wrap: true,
    ...more,
  });
  /** Lines of an adaptive card are paragraphs, which lose the spaces that they begin with. */
  const codeBlock = (text: string) =>
    block(
      text.replaceAll('\n', '\n\n').replaceAll(/^ +/gm, (spaces) => '\u00a0'.repeat(spaces.length)),
      {
        fontType: 'Monospace',
      },
    );
  return JSON.stringify({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [
            block(title, { size: 'Large', weight: 'Bolder' }),
            ...(problemSummary === undefined ? [] : [block(problemSummary, { color: 'Attention', weight: 'Bolder' })]),
            ...problems.map((one) => block(one, { color: 'Attention', spacing: 'None' })),
            ...said.map((one) => (one.includes('\n') ? codeBlock(one) : block(one))),
            ...(figures.length === 0
              ? []
              : [
                  {
                    type: 'FactSet',
                    facts: figures.map((figure) => ({
                      title: cut(escapeCard(figure.label), 200),
                      value: cut(escapeCard(figure.text), 200),
                    })),
                  },
                ]),
            ...[...notes, about].map((one) => block(one, { isSubtle: true, size: 'Small' })),
          ],
          actions: link === undefined ? [] : [{ type: 'Action.OpenUrl', title: 'Open the report', url: link }],
        },
      },
    ],
  });
}

/** Slack reads `&`, `<` and `>` as markup. Zero-width spaces keep other signs from being formatting. */
function escapeSlack(text: string): string {
  return escapeMarkup(text).replaceAll(/[*_~`]/g, (mark) => `\u200b${mark}\u200b`);
}

/** Code in Slack's markup. Only three backticks end it. */
function inCode(text: string): string {
  return escapeMarkup(text).replaceAll('```', '`\u200b`\u200b`');
}

function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Adaptive cards support a part of Markdown. */
function escapeCard(text: string): string {
  return text.replaceAll(/[\\*_[\]()#`]/g, (mark) => `\\${mark}`);
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}
