import { expect, it } from 'vitest';
import type { ReportFigure, ReportPart } from '../../../src/tell/report/report.ts';
import { writeSlackMessage, writeTeamsMessage } from '../../../src/tell/report/report-to-chat.ts';
import { emptyProvenance, exampleResult, numberColumn } from '../../show/example-result.ts';
import { cellOf, reportOf } from './specimen-reports.ts';

const provenance = {
  ...emptyProvenance,
  rejected: { count: 2, examples: [{ file: 'a/<b>.ndjson', line: 3, reason: 'not *JSON*' }] },
  uncounted: [{ what: 'events without a user', rows: 7 }],
  truncated: { limit: 1 },
  endsEarly: 'The data ends on 2024-03-09.',
  notes: ['2024-03-10 is not over: the current time is 2024-03-10 13:00.'],
};
const result = exampleResult([[numberColumn('count'), [30]]], { provenance });
const stats: ReportPart = { kind: 'stats', result, stats: [{ label: 'Visits', text: '30', value: 30 }] };
const figure: ReportFigure = { path: 'visits.count', text: '30', value: 30, provenance };
const written = {
  stats: reportOf([cellOf([stats, stats])]),
  quotes: reportOf([
    { kind: 'prose', markdown: '30', figures: [figure, { path: 'day', text: 'today', value: null }] },
    cellOf([{ kind: 'table', result }]),
  ]),
};

it.each(Object.entries(written))('messages have the notes of the figures that they show, once: %s', (_, report) => {
  const slack = JSON.parse(writeSlackMessage(report)) as { blocks: { type: string; elements: { text: string }[] }[] };
  expect(slack.blocks.at(-1)).toEqual({
    type: 'context',
    elements: [
      '2 lines could not be read and are not included. The first: a/&lt;b&gt;.ndjson:3, not \u200b*\u200bJSON\u200b*\u200b',
      '7 events without a user are not counted.',
      '2024-03-10 is not over: the current time is 2024-03-10 13:00.',
      'As of 2024-03-10 13:00 · days in Europe/Berlin',
    ].map((text) => ({ type: 'mrkdwn', text })),
  });
  const teams = JSON.parse(writeTeamsMessage(report)) as {
    attachments: { content: { body: { text: string; isSubtle?: boolean }[] } }[];
  };
  const subtle = teams.attachments[0]!.content.body.filter(({ isSubtle }) => isSubtle).map(({ text }) => text);
  expect(subtle).toEqual([
    '2 lines could not be read and are not included. The first: a/<b>.ndjson:3, not \\*JSON\\*',
    '7 events without a user are not counted.',
    '2024-03-10 is not over: the current time is 2024-03-10 13:00.',
    'As of 2024-03-10 13:00 · days in Europe/Berlin',
  ]);
});
