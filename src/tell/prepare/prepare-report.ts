import type { Annotation } from '../../ask/chart/annotation.ts';
import { attachSpans, type Located, toSpan } from '../../ask/document/located.ts';
import { badWith, errorIssue, good, type Issue, type Outcome, settle } from '../../ask/outcome.ts';
import { earlierRange } from '../../ask/query/earlier-range.ts';
import type { CanonicalQuery } from '../../ask/query/query.ts';
import { InvalidInputError } from '../../ask/sluice-error.ts';
import { quote } from '../../ask/text.ts';
import { writeInstantLocal } from '../../ask/time/local-time.ts';
import type { TimeContext } from '../../ask/time/range.ts';
import { readZone } from '../../ask/time/zone.ts';
import type { Column, Value } from '../../plan/column.ts';
import { formatTime } from '../../shape/format/format-time.ts';
import { toResult } from '../../shape/result/result.ts';
import { toChart } from '../../show/to-chart.ts';
import type { Block, CheckCell, Notebook } from '../notebook/notebook.ts';
import { ownName } from '../notebook/front-matter.ts';
import { fillTitle, readParamValues, withExamples } from '../notebook/params.ts';
import { readFigurePath, readQuotes } from '../notebook/quote.ts';
import type { CellQuestion, NotebookSurroundings } from '../ports.ts';
import { dimensionColumn, eventsColumn, monthColumn } from '../usage/usage-results.ts';
import { bindAlerts } from './bind-alerts.ts';
import { bindFigure, type FigureRequest, type FigureScope } from './bind-figure.ts';
import { rangeOf, toComparison, toTotalQuery } from './bind-question.ts';
import { checkScheduled } from './check-scheduled.ts';
import { failsElsewhere, prepareCell, readBlockCell } from './prepare-cell.ts';
import type {
  BoundExpectation,
  BoundFigure,
  PreparedBlock,
  PreparedFailure,
  PreparedFunnel,
  PreparedProse,
  PreparedQuestion,
  PreparedReport,
  PreparedUsage,
} from './prepared.ts';
import { noProvenance } from '../../shape/result/provenance.ts';

export interface PrepareOptions {
  /** Given values of parameters, by name. */
  readonly given?: ReadonlyMap<string, string> | undefined;
  /** Use example values for parameters without a default: to check the report, not to answer it. */
  readonly examples?: boolean | undefined;
  /**
   * How to treat a cell that names an unknown funnel or saved query: as an issue (default), or as a cell that fails
   * when it is answered.
   */
  readonly absent?: 'is-wrong' | 'fails' | undefined;
  /** The title if the front matter has none. */
  readonly name: string;
}

type AskingBlock = PreparedQuestion | PreparedFunnel | PreparedUsage | PreparedFailure;

/**
 * Prepares a notebook to be answered: reads its parameters, binds its questions, and finds its figures. Returns all
 * issues, located in the text except for those about given values (`--param`). Asks no costly questions.
 */
export async function prepareReport(
  located: Located<Notebook> & { readonly ok: true },
  surroundings: NotebookSurroundings,
  { given = new Map(), examples, absent = 'is-wrong', name }: PrepareOptions,
): Promise<Outcome<PreparedReport>> {
  const notebook = located.value;
  const { frontMatter, blocks } = notebook;
  const zone = frontMatter.timezone === undefined ? undefined : readZone(frontMatter.timezone);
  const time: TimeContext = { ...surroundings.time, zone: zone?.ok ? zone.value : surroundings.time.zone };
  const params = readParamValues(examples ? withExamples(frontMatter.params) : frontMatter.params, given, time);
  if (!params.ok) return { ...params, issues: locateAll(params.issues, located) };
  const values = params.value;
  const title = fillTitle(frontMatter.title ?? name, values);
  const issues: Issue[] = [...params.issues];

  const workspaceMarks = (await surroundings.marks?.()) ?? good([]);
  issues.push(...workspaceMarks.issues);
  if (examples) issues.push(...checkScheduled(frontMatter, blocks, surroundings));

  const read = blocks.map((block, index) =>
    block.kind === 'cell' && block.data !== undefined
      ? readBlockCell(block, index, { params: values, names: surroundings.names, located, issues })
      : undefined,
  );
  const cells = await Promise.all(read.map((cell) => cell?.content && prepareCell(cell.content, time, surroundings)));
  // Reported with the other issues, if there are any.
  const elsewhere: Issue[] = [];
  const asked = cells.map((cell, index): AskingBlock | undefined => {
    const { content, place } = read[index] ?? {};
    const found = place?.(cell?.issues ?? []) ?? [];
    const fails =
      absent === 'fails' &&
      cell &&
      failsElsewhere(cell) &&
      (content?.cell === 'funnel' || content?.cell === 'query' || content?.cell === 'compare');
    (fails ? elsewhere : issues).push(...found);
    return fails ? { kind: 'failure', content, issues: locateAll(found, located) } : cell?.block;
  });
  const named = new Map<string, AskingBlock | undefined>();
  read.forEach((cell, index) => {
    if (cell?.content?.name !== undefined) named.set(cell.content.name, cell.isCertain ? asked[index] : undefined);
  });

  const scope: FigureScope = {
    cells: named,
    params: values,
    usageFigures: surroundings.usageFigures,
    own: new Map([
      ['report.title', title],
      ['report.asOf', formatTime(writeInstantLocal(time.now, time.zone), 'minute')],
      ['report.zone', time.zone],
    ]),
  };
  const figures: BoundFigure[] = [];
  const prepared = blocks.map((block, index): PreparedBlock | undefined => {
    if (block.kind === 'prose') return prepareProse(block, index, scope, located, issues, figures);
    const { content, place } = read[index] ?? {};
    if (content?.cell === 'annotations') return { kind: 'annotations' };
    if (content?.cell !== 'check') return asked[index];
    const bound = bindExpectations(content, scope);
    issues.push(...(place?.(bound.issues) ?? []));
    if (!bound.ok) return undefined;
    for (const { figure, of } of bound.value) figures.push(figure, ...(typeof of === 'object' ? [of] : []));
    return { kind: 'check', content, expectations: bound.value };
  });
  const subject = prepareSubject(frontMatter.subject, scope, issues, figures);
  const alerts = read.flatMap((cell) => {
    if (!cell?.content) return [];
    const bound = bindAlerts(cell.content, scope);
    issues.push(...cell.place(bound.issues));
    return bound.ok ? bound.value : [];
  });
  figures.push(...alerts.map(({ figure }) => figure));
  const whole = await Promise.all(
    prepared.map((block, index) =>
      block?.kind === 'question' ? withFurther(block, index, { figures, time, surroundings, issues }) : block,
    ),
  );
  if (examples)
    whole.forEach((block, index) => issues.push(...((block && read[index]?.place?.(checkChart(block))) ?? [])));
  const isWrong = issues.some(({ severity }) => severity === 'error');
  return settle(
    {
      notebook,
      title,
      subject,
      params: values,
      time,
      annotations: distinct([
        ...(workspaceMarks.ok ? workspaceMarks.value : []),
        ...cells.flatMap((cell) => cell?.marks ?? []),
      ]),
      description: frontMatter.description === undefined ? undefined : fillTitle(frontMatter.description, values),
      blocks: whole.filter((block) => block !== undefined),
      alerts,
    },
    locateAll(isWrong ? [...issues, ...elsewhere] : issues, located),
  );
}

/** A cell may name a file of marks that the workspace has too. */
function distinct(marks: readonly Annotation[]): readonly Annotation[] {
  return [...new Map(marks.map((mark) => [JSON.stringify(mark), mark])).values()];
}

function locateAll(issues: readonly Issue[], { locate }: Located<Notebook>): readonly Issue[] {
  return attachSpans(issues, (path, part) => (path[0] === '--param' ? undefined : locate(path, part)));
}

function prepareProse(
  { source, quotes }: Block & { readonly kind: 'prose' },
  index: number,
  scope: FigureScope,
  { locate, source: text }: Located<Notebook>,
  issues: Issue[],
  figures: BoundFigure[],
): PreparedProse {
  const start = locate(['blocks', index])?.start ?? 0;
  const bound = quotes.flatMap((one) => {
    const outcome = bindFigure(one.path, scope, { change: one.filter === 'change', filter: one.filter });
    if (!outcome) return [];
    issues.push(
      ...outcome.issues.map((issue) => ({
        ...issue,
        path: ['blocks', index],
        span: toSpan(text, start + one.start, start + one.end),
      })),
    );
    if (!outcome.ok) return [];
    figures.push(outcome.value);
    return [{ ...one, figure: outcome.value }];
  });
  return { kind: 'prose', source, quotes: bound };
}

function prepareSubject(
  source: string | undefined,
  scope: FigureScope,
  issues: Issue[],
  figures: BoundFigure[],
): PreparedProse | undefined {
  if (source === undefined) return undefined;
  const read = readQuotes(source, 0, [{ start: 0, end: source.length }]);
  const place = (found: readonly Issue[]) =>
    issues.push(...found.map((issue) => ({ ...issue, span: undefined, path: ['subject'] })));
  place(read.issues);
  const quotes = read.quotes.flatMap((one) => {
    const isKnown = scope.cells.has(one.path.name) || one.path.name === ownName || scope.params.has(one.path.name);
    const bound = isKnown
      ? bindFigure(one.path, scope, { change: one.filter === 'change', filter: one.filter })
      : badWith('unknown-figure', `There is no cell or parameter ${quote(one.path.name)}.`);
    place(bound?.issues ?? []);
    if (!bound?.ok) return [];
    figures.push(bound.value);
    return [{ ...one, figure: bound.value }];
  });
  return { kind: 'prose', source, quotes };
}

interface Needs {
  readonly figures: readonly BoundFigure[];
  readonly time: TimeContext;
  readonly surroundings: NotebookSurroundings;
  readonly issues: Issue[];
}

/** Adds the questions that figures need in addition to the cell's own. */
async function withFurther(
  block: PreparedQuestion,
  index: number,
  { figures, time, surroundings, issues }: Needs,
): Promise<PreparedQuestion> {
  const own = figures.flatMap((figure) =>
    figure.kind === 'column' && figure.cell === block.content.name ? [figure] : [],
  );
  const sources = new Set(own.map(({ source }) => source));
  const addsUp = own.some(({ pick }) => pick === 'total');
  if (!addsUp && !sources.has('total') && !sources.has('compared')) return block;
  const { question, facts } = block;
  const whole = toTotalQuery(question.query);
  const path = ['blocks', index];
  const asked = rangeOf(whole);
  const other = asked && earlierRange(asked.range, 'previous', { ...time, zone: whole.timezone ?? time.zone });
  if (sources.has('compared') && other === undefined) {
    issues.push(
      errorIssue('no-range', `${quote(block.content.name ?? '')} has no time range, so there is no previous period.`, {
        path,
        hint: 'Give the cell a range.',
      }),
    );
    return block;
  }
  const ask = async (query: CanonicalQuery): Promise<CellQuestion | undefined> => {
    const bound = await surroundings.bind(query, question.define);
    if (bound.ok) return { ...question, query, plans: bound.value, warnings: bound.issues };
    issues.push(
      errorIssue(
        'no-total',
        `The total of ${quote(block.content.name ?? '')} cannot be computed: ${bound.issues[0]?.message ?? ''}`,
        { path },
      ),
    );
    return undefined;
  };
  const needsSpare = addsUp && !facts.filtersGroups;
  const asWhole = sources.has('total') || needsSpare ? await ask(whole) : undefined;
  return {
    ...block,
    total: sources.has('total') ? asWhole : undefined,
    compared: sources.has('compared') && other !== undefined ? await ask(toComparison(whole, other)) : undefined,
    needsTotal: addsUp,
    spare: needsSpare ? asWhole : undefined,
  };
}

/** Binds the figures of a check. Issues have paths into the cell. */
function bindExpectations({ expect }: CheckCell, scope: FigureScope): Outcome<readonly BoundExpectation[]> {
  const issues: Issue[] = [];
  const bound = expect.flatMap((expectation, index): BoundExpectation[] => {
    const { figure, every, of } = expectation;
    const key = every === undefined ? 'figure' : 'every';
    const find = (text: string, where: string, preference: FigureRequest): BoundFigure | undefined => {
      const read = readFigurePath(text);
      const found = read.ok ? bindFigure(read.value, scope, preference) : read;
      issues.push(...(found?.issues ?? []).map((issue) => ({ ...issue, path: ['expect', index, where] })));
      return found?.ok ? found.value : undefined;
    };
    const own = find(every ?? figure ?? '', key, { every: every !== undefined });
    if (of === 'previous' && every !== undefined) {
      issues.push(
        errorIssue('no-change', 'Rows cannot be compared with the previous period.', {
          path: ['expect', index, 'of'],
          hint: 'Write `figure:` with a total, such as page_views.total.',
        }),
      );
    }
    const other =
      typeof of === 'string'
        ? find(of === 'previous' ? `${figure ?? ''}.previous` : of, of === 'previous' ? key : 'of', {})
        : of;
    if (!own || (of !== undefined && other === undefined)) return [];
    return [{ expectation, figure: own, of: other }];
  });
  return settle(bound, issues);
}

/**
 * Checks that the chart fits the columns of its cell for any answer. Issues are those of `toChart`, with paths into the
 * cell.
 */
function checkChart(block: PreparedBlock): readonly Issue[] {
  if (block.kind !== 'question' && block.kind !== 'usage') return [];
  if (block.kind === 'question' && block.facts.isComparison) return [];
  const preference = block.kind === 'question' ? block.chart : block.content.chart;
  if (preference === undefined || preference === 'none') return [];
  // An analysis names its chart, but only its rows show whether it fits.
  if (block.kind === 'question' && block.content.chart === undefined && block.question.plans[0]?.computed) return [];
  const columns =
    block.kind === 'question'
      ? block.facts.columns
      : [monthColumn(), dimensionColumn('project', 'Project'), eventsColumn('events', 'Events')];
  try {
    toChart(toExample(columns), { preference });
    return [];
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    return error.issues.map(({ code, message, hint }) => errorIssue(code, message, { path: ['chart'], hint }));
  }
}

/** An answer of one row, whose texts are valid steps of paths. A chart that does not fit it fits no answer. */
function toExample(columns: readonly Column[]): ReturnType<typeof toResult> {
  const values: Readonly<Record<string, Value>> = { time: '2000-01-01T00:00:00.000', number: 1, boolean: true };
  return toResult({
    columns,
    data: columns.map(({ type }) => [values[type] ?? '1_a']),
    provenance: { ...noProvenance, rows: 1 },
  });
}
