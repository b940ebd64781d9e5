import { errorIssue, warningIssue, type Issue } from '../../ask/outcome.ts';
import { quote } from '../../ask/quote.ts';
import { InvalidInputError } from '../../ask/sluice-error.ts';
import type { Column, Value } from '../../plan/column.ts';
import { nothingRejected } from '../../run/backend.ts';
import { toResult } from '../../shape/result.ts';
import { toChart } from '../../show/chart/to-chart.ts';
import type { Delivery } from '../delivery/delivery.ts';
import { toDelivery } from '../delivery/to-delivery.ts';
import type { Block, FrontMatter } from '../notebook/notebook.ts';
import type { NotebookSurroundings } from '../notebook/ports.ts';
import { dimensionColumn, eventsColumn, monthColumn } from '../usage/usage-columns.ts';
import type { PreparedBlock } from './prepared.ts';

/**
 * What only a run by schedule, or a delivery, would meet. Issues: `missing-param` for a parameter that nobody will be
 * asked for, `mailer-missing`, `nobody-notified`.
 */
export function checkScheduled(
  { schedule, params, deliver, notify }: FrontMatter, blocks: readonly Block[], { canMail, deliveries }: NotebookSurroundings,
): readonly Issue[] {
  const asked = schedule === undefined ? [] : params.filter((param) => param.default === undefined);
  const missing = asked.map(({ name }) => errorIssue('missing-param', `The report has a schedule, and its parameter ${quote(name)} has no default.`, {
    path: ['params', name], hint: 'Add a default, such as last closed month: a scheduled run has no --param.',
  }));
  const goes = schedule !== undefined || deliver !== undefined;
  const letters = (own: readonly Delivery[] | undefined, usual: readonly Delivery[] | undefined, key: string) =>
    (own ?? usual ?? []).flatMap((delivery, index) => (delivery.kind === 'email' && delivery.into === undefined
      ? [errorIssue('mailer-missing', 'The report goes out as a letter, and no mailer is configured.', {
        path: own ? [key, index, 'email'] : [], hint: 'Add `mailer: sendmail -t` to the configuration, or `into: outbox` to the delivery.',
      })] : []));
  const isMailed = canMail === false && goes;
  const alerts = blocks.flatMap((block, index) =>
    (block.kind === 'cell' && block.cell === 'check' && namesAlert(block.data) ? [index] : []));
  const isUnheard = notify === undefined && deliveries?.notify.length === 0;
  return [
    ...missing,
    ...(isMailed ? letters(deliver?.map(toDelivery), deliveries?.deliver, 'deliver') : []),
    ...(isMailed ? letters(notify?.map(toDelivery), alerts.length > 0 ? deliveries?.notify : [], 'notify') : []),
    ...(isUnheard ? alerts.map((index) => warningIssue('nobody-notified', 'A check alerts, and nobody is to be notified.', {
      path: ['blocks', index], hint: 'Add `notify: [{email: oncall@example.org}]` to the front matter or the configuration.',
    })) : []),
  ];
}

function namesAlert(data: unknown): boolean {
  return typeof data === 'object' && data !== null && JSON.stringify(data).includes('"severity":"alert"');
}

/**
 * A chart that does not fit the columns of its cell, whatever the answer will be. Issues, with paths into the cell:
 * those of `toChart`.
 */
export function checkChart(block: PreparedBlock): readonly Issue[] {
  if (block.kind !== 'question' && block.kind !== 'usage') return [];
  if (block.kind === 'question' && block.facts.isComparison) return [];
  const wish = block.kind === 'question' ? block.chart : block.content.chart;
  if (wish === undefined || wish === 'none') return [];
  const columns = block.kind === 'question' ? block.facts.columns
    : [monthColumn(), dimensionColumn('project', 'Project'), eventsColumn('events', 'Events')];
  try {
    toChart(toExample(columns), { wish });
    return [];
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    return error.issues.map(({ code, message, hint }) => errorIssue(code, message, { path: ['chart'], hint }));
  }
}

/** An answer of one row. What does not fit it fits no answer. */
function toExample(columns: readonly Column[]): ReturnType<typeof toResult> {
  const values: Readonly<Record<string, Value>> = { time: '2000-01-01T00:00:00.000', number: 1, boolean: true };
  return toResult({
    columns, data: columns.map(({ type }) => [values[type] ?? 'a']),
    provenance: {
      queryHash: '', query: {}, backend: '', source: '', range: null, zone: 'UTC', asOf: '', rows: 1, filled: false, filledCells: 0,
      partialBuckets: 0, truncated: null, uncounted: [], rejected: nothingRejected, freshness: null, notes: [], elapsedMs: 0,
    },
  });
}
