import type { Annotation } from '../../ask/chart/annotation.ts';
import type { ChartPreference } from '../../ask/chart/chart-preference.ts';
import { invariant } from '../../ask/invariant.ts';
import { toCanonicalQuery } from '../../ask/query/canonical-query.ts';
import type { TableLayout } from '../../ask/query/saved-query.ts';
import { AbortedError, SluiceError, throwIfAborted } from '../../ask/sluice-error.ts';
import { writeUtc } from '../../ask/time/local-time.ts';
import type { TimeContext } from '../../ask/time/range.ts';
import { type Column, fullLabelOf, labelOf, type Value } from '../../plan/column.ts';
import { toSystemError } from '../../run/file/system-error.ts';
import { openSemaphore } from '../../run/semaphore.ts';
import { formatValue } from '../../shape/format/format.ts';
import { layOut, pivotBy } from '../../shape/pivot.ts';
import type { Result } from '../../shape/result/result.ts';
import type { ShownPart } from '../notebook/cell-kinds.ts';
import type { CellQuestion, NotebookPorts } from '../ports.ts';
import type {
  PreparedAlert,
  PreparedBlock,
  PreparedFailure,
  PreparedFunnel,
  PreparedQuestion,
  PreparedReport,
  PreparedUsage,
} from '../prepare/prepared.ts';
import type {
  Report,
  ReportBlock,
  ReportCell,
  ReportFailure,
  ReportPart,
  ReportStat,
  ReportStatus,
} from '../report/report.ts';
import { labelColumns } from '../../shape/label-columns.ts';
import { judgeFreshness, toFreshness } from '../schedule/freshness.ts';
import { type AnswersByName, type CellAnswers, settled, toReportResult } from './answers.ts';
import { fillLine, fillProse, writeFigure } from './find-figure.ts';
import { judgeCheck } from './judge.ts';
import { judgeAlert } from './judge-alert.ts';

interface EvaluateOptions {
  /** Name of the notebook's file, without folder and extension. */
  readonly name: string;
  readonly signal?: AbortSignal | undefined;
  /** Number of concurrent questions. */
  readonly concurrency?: number | undefined;
}

type Answerable = PreparedQuestion | PreparedFunnel | PreparedUsage;

const defaultConcurrency = 4;

/**
 * Answers a prepared notebook. Cells are answered concurrently, and equal questions once. A cell that cannot be
 * answered fails alone, in its place. Rejects only with `AbortedError`.
 */
export async function evaluateReport(
  prepared: PreparedReport,
  ports: NotebookPorts,
  { name, signal, concurrency = defaultConcurrency }: EvaluateOptions,
): Promise<Report> {
  const once = openQuestionRunner(concurrency, signal);
  const answers = await Promise.all(
    prepared.blocks.map((block) =>
      isAnswerable(block) ? answerCell(block, prepared, ports, once, signal) : undefined,
    ),
  );
  throwIfAborted(signal);
  const named = new Map<string, CellAnswers>();
  prepared.blocks.forEach((block, index) => {
    const cell = answers[index];
    if (isAnswerable(block) && block.content.name !== undefined && cell) named.set(block.content.name, cell);
  });
  const blocks = prepared.blocks.flatMap((block, index): ReportBlock[] => {
    if (block.kind === 'prose') return block.source.trim() === '' ? [] : [fillProse(block, named)];
    if (block.kind === 'annotations') return [];
    if (block.kind === 'check') return [judgeCheck(block, named)];
    if (block.kind === 'failure') return [toInvalidCell(block)];
    const cell = answers[index];
    invariant(cell, 'a cell has an answer');
    const answered = toBlock(block, cell, prepared);
    const alerts = prepared.alerts.filter((alert) => alert.cell === block.content.name);
    return [answered.kind === 'cell' && alerts.length > 0 ? watch(answered, alerts, named, prepared.time) : answered];
  });
  return {
    name,
    title: prepared.title,
    description: prepared.description,
    ...(prepared.subject ? { subject: fillLine(prepared.subject, named) } : {}),
    params: [...prepared.params.values()].map(({ param, text }) => ({
      name: param.name,
      title: param.title ?? param.name,
      text,
    })),
    asOf: writeUtc(prepared.time.now),
    zone: prepared.time.zone,
    blocks,
    status: statusOf(blocks),
  };
}

function isAnswerable(block: PreparedBlock): block is Answerable {
  return block.kind === 'question' || block.kind === 'funnel' || block.kind === 'usage';
}

async function answerCell(
  block: Answerable,
  { time }: PreparedReport,
  ports: NotebookPorts,
  once: QuestionRunner,
  signal: AbortSignal | undefined,
): Promise<CellAnswers> {
  const none = { answer: undefined, total: undefined, compared: undefined, usage: undefined };
  if (block.kind === 'usage') {
    const { usage } = ports;
    const ask = () =>
      usage
        ? usage(block.content, time, signal)
        : Promise.reject(new SluiceError('Usage is not available here.', { code: 'no-usage' }));
    return { ...none, usage: await settled(once.ask(JSON.stringify(['usage', block.content]), ask)) };
  }
  if (block.kind === 'funnel')
    return {
      ...none,
      answer: await settled(
        once.ask(JSON.stringify(['funnel', block.funnel]), () => ports.funnel(block.funnel, signal)),
      ),
    };
  const ask = (question: CellQuestion | undefined) =>
    question && settled(once.ask(keyOf(question), () => ports.query(question, signal)));
  const [answer, total, compared] = await Promise.all([ask(block.question), ask(block.total), ask(block.compared)]);
  return {
    ...none,
    answer,
    compared,
    total: total ?? (answer?.ok && answer.value.provenance.truncated ? await ask(block.spare) : undefined),
  };
}

/** A key that is equal for questions with the same answer. */
function keyOf({ query, define, fill, fillWith }: CellQuestion): string {
  return JSON.stringify(['query', toCanonicalQuery(query), define, fill, fillWith]);
}

/** Adds the outcome of the cell's alerts. Raised alerts come before the figures. */
function watch(
  cell: ReportCell,
  alerts: readonly PreparedAlert[],
  answers: AnswersByName,
  { weekStart }: TimeContext,
): ReportCell {
  const watched = alerts.map((alert) => judgeAlert(alert, answers, { isStale: cell.stale === true, weekStart }));
  const raised = watched
    .filter(({ state }) => state === 'raised')
    .map(({ condition, finding, because = '' }) => `Alert (${condition}): ${finding} ${because}`.trim());
  const unjudged = watched
    .filter(({ state }) => state === 'unknown')
    .map(({ condition, finding }) => `The alert ${condition} is not judged: ${finding}`);
  const all = [...(cell.alerts ?? []), ...raised];
  return {
    ...cell,
    ...(all.length > 0 ? { alerts: all } : {}),
    footnotes: [...cell.footnotes, ...unjudged],
    watched,
  };
}

function toBlock(
  block: Answerable,
  { answer, total, compared, usage }: CellAnswers,
  { annotations, notebook }: PreparedReport,
): ReportBlock {
  const { content } = block;
  const title = block.kind === 'question' ? block.title : content.title;
  const about = { cell: content.cell, name: content.name, title };
  if (block.kind === 'usage') {
    if (!usage?.ok) return toFailure(about, usage?.error);
    const { footnotes, failures, alerts, stale } = usage.value;
    const parts = usage.value.parts.map((part) => ({ ...part, result: toReportResult(part.result) }));
    return {
      kind: 'cell',
      ...about,
      description: content.description,
      parts,
      footnotes,
      failures,
      ...(alerts.length > 0 ? { alerts } : {}),
      ...(stale ? { stale } : {}),
    };
  }
  if (!answer?.ok) return toFailure(about, answer?.error);
  const chart =
    block.kind === 'question'
      ? block.chart
      : (content.chart ?? (block.content.trend === undefined ? 'funnel' : undefined));
  const pivoted = 'pivot' in content && content.pivot !== undefined ? content.pivot : undefined;
  const result = toReportResult(answer.value);
  const named =
    block.kind === 'question' && (block.content.labels ?? block.content.units) !== undefined
      ? labelColumns(result, block.facts.columns, block.content)
      : result;
  const layout = block.kind === 'question' ? block.table : undefined;
  const parts = toParts(named, { show: content.show, chart, annotations, pivot: pivoted, layout });
  const failures = [total, compared].flatMap((further) =>
    further && !further.ok ? [`A quoted total could not be computed: ${messageOf(further.error).message}`] : [],
  );
  const isTotalMissing =
    block.kind === 'question' && block.needsTotal && answer.value.provenance.truncated !== null && total === undefined;
  if (isTotalMissing) failures.push('A quoted total is not available: the rows reached the limit.');
  const early = [answer, total, compared].flatMap((one) => (one?.ok ? (one.value.provenance.endsEarly ?? []) : []));
  const { fresh } = notebook.frontMatter;
  const judged = fresh === undefined ? undefined : judgeFreshness(toFreshness(fresh), answer.value.provenance);
  const alerts = [...new Set(judged === undefined ? early : [...early, judged.text])];
  return {
    kind: 'cell',
    ...about,
    description: content.description,
    parts,
    footnotes: [],
    failures,
    ...(alerts.length > 0 ? { alerts } : {}),
    ...(early.length > 0 || judged?.late ? { stale: true } : {}),
  };
}

function toFailure(about: Pick<ReportFailure, 'cell' | 'name' | 'title'>, error: unknown): ReportFailure {
  return { kind: 'failure', ...about, ...messageOf(error) };
}

/** The failure of a cell that was not asked, with its issues. */
function toInvalidCell({ content: { cell, name, title }, issues }: PreparedFailure): ReportFailure {
  const [first] = issues;
  invariant(first, 'a cell that is not asked says why');
  const { span } = first;
  return {
    kind: 'failure',
    cell,
    name,
    title,
    code: first.code,
    errorKind: 'input',
    message: issues.map(({ message }) => message).join('\n'),
    hint: first.hint,
    place: span && { line: span.line, column: span.column },
  };
}

function messageOf(thrown: unknown): Pick<ReportFailure, 'code' | 'errorKind' | 'message' | 'hint'> {
  const error = toSystemError(thrown) ?? thrown;
  if (error instanceof AbortedError) throw error;
  if (error instanceof SluiceError)
    return { code: error.code, errorKind: error.kind, message: error.message, hint: error.hint };
  return {
    code: 'bug',
    errorKind: 'internal',
    message: `Internal error (a bug in sluice): ${error instanceof Error ? error.message : String(error)}`,
  };
}

function statusOf(blocks: readonly ReportBlock[]): ReportStatus {
  const checks = blocks.flatMap((block) => (block.kind === 'checks' ? block.checks : []));
  if (checks.some(({ state }) => state === 'failed')) return 'failed-check';
  const failed =
    blocks.some((block) => block.kind === 'failure' || (block.kind === 'cell' && block.failures.length > 0)) ||
    checks.some(({ state }) => state === 'unknown');
  return failed ? 'failed-cell' : 'good';
}

/** Asks each question once, with limited concurrency. Equal questions share an answer. */
interface QuestionRunner {
  /** `key` is equal for equal questions. Rejects as `ask` does. */
  readonly ask: <T>(key: string, ask: () => Promise<T>) => Promise<T>;
}

function openQuestionRunner(concurrency: number, signal?: AbortSignal): QuestionRunner {
  const answers = new Map<string, Promise<unknown>>();
  const semaphore = openSemaphore(concurrency);
  return {
    ask: <T>(key: string, ask: () => Promise<T>) => {
      const known = answers.get(key) as Promise<T> | undefined;
      if (known) return known;
      const answer = semaphore.run(ask, signal);
      // Avoid an unhandled rejection: callers of `ask` get the error.
      answer.catch(() => undefined);
      answers.set(key, answer);
      return answer;
    },
  };
}

interface PartsRequest {
  readonly show?: ShownPart | undefined;
  readonly chart?: ChartPreference | undefined;
  readonly annotations: readonly Annotation[];
  /** The column whose values become columns of the table. */
  readonly pivot?: string | undefined;
  /** The layout of the table without `pivot`. */
  readonly layout?: TableLayout | undefined;
}

/** The parts to show: those the cell requests, or else the ones that suit the answer. */
function toParts(result: Result, { show, chart, annotations, pivot, layout }: PartsRequest): readonly ReportPart[] {
  const isPlain = chart === undefined && pivot === undefined && layout === undefined;
  const suited = isOneRow(result) ? 'stats' : isPlain && isLongSeries(result) ? 'chart' : 'table';
  const shown = show ?? (chart !== undefined && chart !== 'none' ? 'both' : suited);
  const laidOut = pivot === undefined ? (layout ? layOut(result, layout) : result) : pivotBy(result, pivot);
  const table = { kind: 'table', result: laidOut, ...(laidOut !== result && { of: result }) } as const;
  const drawn = { kind: 'chart', result, preference: chart, annotations } as const;
  switch (shown) {
    case 'none':
      return [];
    case 'table':
      return [table];
    case 'chart':
      return [drawn];
    case 'both':
      return [drawn, table];
    case 'stats':
      return isOneRow(result) ? [{ kind: 'stats', result, stats: toStats(result) }] : [table];
  }
}

function isOneRow({ rowCount, columns }: Result): boolean {
  return rowCount === 1 && columns.every(({ kind }) => kind === 'measure');
}

/** Longer series are many pages of a table, and readers look for their course. */
const mostOfTable = 100;
/** More lines cannot be told apart. */
const mostLines = 6;

/** True for figures over time in so many rows that a chart shows them better. */
function isLongSeries(result: Result): boolean {
  const { rowCount, columns } = result;
  if (rowCount <= mostOfTable) return false;
  const columnsOf = (wanted: Column['kind']) => columns.filter(({ kind }) => kind === wanted);
  const [times, measures, others] = [columnsOf('time'), columnsOf('measure'), columnsOf('dimension')];
  const isSeries =
    times.length === 1 &&
    times[0]?.granularity !== undefined &&
    measures.length > 0 &&
    measures.every(({ type }) => type === 'number') &&
    others.length <= 1 &&
    columns.length === 1 + measures.length + others.length;
  return isSeries && others.every(({ key }) => new Set(Array.from(result.values(key))).size <= mostLines);
}

const beside = /\.(?:previous|change|changePercent)(?:\.\d+)?$/;

/** Without its table, a one-word title such as Count needs the name of its cube, unless the query chose the name. */
function statLabel(column: Column, { columns, provenance: { query } }: Result): string {
  const label = labelOf(column);
  const full = fullLabelOf(column);
  const isAmbiguous =
    !label.replace(/ \([^()]*\)$/, '').includes(' ') && label.toLowerCase() === column.shortTitle.toLowerCase();
  return isAmbiguous &&
    query.formulas?.[column.member] === undefined &&
    columns.every((other) => other === column || ![labelOf(other), fullLabelOf(other)].includes(full))
    ? full
    : label;
}

/** One figure per measure. Those of an earlier range are attached to it. */
function toStats(result: Result): readonly ReportStat[] {
  const find = (key: string) => result.columns.find((column) => column.key === key);
  const at = (column: Column | undefined): Value => (column ? (result.values(column.key)[0] ?? null) : null);
  return result.columns
    .filter(({ key }) => !beside.test(key))
    .map((column): ReportStat => {
      const value = at(column);
      const stat = { label: statLabel(column, result), text: formatValue(value, column), value };
      const previous = find(`${column.key}.previous`);
      if (!previous) return stat;
      const change = find(`${column.key}.changePercent`);
      const label = /\(([^()]*)\)$/.exec(previous.title)?.[1] ?? 'before';
      // The figure's own range is shown with the source of the figures.
      const own = stat.label.replace(/ \([^()]*\)$/, '');
      return {
        ...stat,
        label: own,
        previous: {
          text: formatValue(at(previous), previous),
          label,
          changePercent: change && at(change) !== null ? writeFigure(at(change), change, 'change') : '',
        },
      };
    });
}
