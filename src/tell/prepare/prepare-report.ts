import { attachSpans, type Located } from '../../ask/document/located.ts';
import { toSpan } from '../../ask/document/span.ts';
import type { Annotation } from '../../ask/annotation.ts';
import { errorIssue, good, settle, type Issue, type Outcome } from '../../ask/outcome.ts';
import { quote } from '../../ask/quote.ts';
import type { TimeContext } from '../../ask/time/range.ts';
import { readZone } from '../../ask/time/zone.ts';
import { writeInstantLocal } from '../../ask/time/local-time.ts';
import { formatTime } from '../../shape/format/format-time.ts';
import { checkChart, checkScheduled } from './check-report.ts';
import { fillTitle } from '../notebook/fill-params.ts';
import type { Block, Notebook } from '../notebook/notebook.ts';
import type { NotebookSurroundings } from '../notebook/ports.ts';
import { readParamValues, withExamples } from '../notebook/read-param-values.ts';
import { bindExpectations } from './bind-expectations.ts';
import { bindFigure, type FigureScope } from './bind-block-figure.ts';
import { toTotalQuery, rangeOf, toComparison } from './derive-question.ts';
import { earlierRange } from '../../ask/time/earlier-range.ts';
import { failsElsewhere, prepareCell } from './prepare-cell.ts';
import type { BoundFigure, PreparedBlock, PreparedFailure, PreparedFunnel, PreparedProse, PreparedQuestion, PreparedReport, PreparedUsage } from './prepared.ts';
import { readBlockCell } from './read-block-cell.ts';

export interface PrepareOptions {
  /** What is given for parameters, by name. */
  readonly given?: ReadonlyMap<string, string> | undefined;
  /** Parameters without a default are given some value of their type: to find what is wrong, not to answer. */
  readonly examples?: boolean | undefined;
  /** What a cell is that names a funnel or a saved query that there is not: an issue, unless it is to fail when it is answered. */
  readonly absent?: 'is-wrong' | 'fails' | undefined;
  /** What the report is called where its front matter has no title. */
  readonly name: string;
}

type AskingBlock = PreparedQuestion | PreparedFunnel | PreparedUsage | PreparedFailure;

/**
 * A notebook ready to be answered, or all that is wrong with it: its parameters read, its questions bound, its figures found. Issues
 * have their places in the text, but for those about what was given (`--param`). Asks nothing that costs.
 */
export async function prepareReport(located: Located<Notebook> & { readonly ok: true }, surroundings: NotebookSurroundings, { given = new Map(), examples, absent = 'is-wrong', name }: PrepareOptions): Promise<Outcome<PreparedReport>> {
  const notebook = located.value;
  const { frontMatter, blocks } = notebook;
  const zone = frontMatter.timezone === undefined ? undefined : readZone(frontMatter.timezone);
  const time: TimeContext = { ...surroundings.time, zone: zone?.ok ? zone.value : surroundings.time.zone };
  const params = readParamValues(examples ? withExamples(frontMatter.params) : frontMatter.params, given, time);
  if (!params.ok) return { ...params, issues: locateAll(params.issues, located) };
  const values = params.value;
  const title = fillTitle(frontMatter.title ?? name, values);
  const issues: Issue[] = [...params.issues];

  const workspaceMarks = await surroundings.marks?.() ?? good([]);
  issues.push(...workspaceMarks.issues);
  if (examples) issues.push(...checkScheduled(frontMatter, blocks, surroundings));

  const read = blocks.map((block, index) => (block.kind === 'cell' && block.data !== undefined ? readBlockCell(block, index, values, issues) : undefined));
  const cells = await Promise.all(read.map((cell) => cell?.content && prepareCell(cell.content, time, surroundings)));
  // Told with the other issues, where there are any.
  const elsewhere: Issue[] = [];
  const asked = cells.map((cell, index): AskingBlock | undefined => {
    const { content, place } = read[index] ?? {};
    const found = place?.(cell?.issues ?? []) ?? [];
    const fails = absent === 'fails' && cell && failsElsewhere(cell) && (content?.cell === 'funnel' || content?.cell === 'query' || content?.cell === 'compare');
    (fails ? elsewhere : issues).push(...found);
    return fails ? { kind: 'failure', content, issues: locateAll(found, located) } : cell?.block;
  });
  const named = new Map<string, AskingBlock | undefined>();
  read.forEach((cell, index) => { if (cell?.content?.name !== undefined) named.set(cell.content.name, cell.sure ? asked[index] : undefined); });

  const scope: FigureScope = {
    cells: named, params: values, usageFigures: surroundings.usageFigures,
    own: new Map([['report.title', title], ['report.asOf', formatTime(writeInstantLocal(time.now, time.zone), 'minute')], ['report.zone', time.zone]]),
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
  const whole = prepared.map((block, index) => (block?.kind === 'question' ? withFurther(block, index, { figures, time, surroundings, issues }) : block));
  if (examples) whole.forEach((block, index) => issues.push(...(block && read[index]?.place?.(checkChart(block))) ?? []));
  const isWrong = issues.some(({ severity }) => severity === 'error');
  return settle({
    notebook, title, params: values, time, annotations: distinct([...workspaceMarks.ok ? workspaceMarks.value : [], ...cells.flatMap((cell) => cell?.marks ?? [])]),
    description: frontMatter.description === undefined ? undefined : fillTitle(frontMatter.description, values),
    blocks: whole.filter((block) => block !== undefined),
  }, locateAll(isWrong ? [...issues, ...elsewhere] : issues, located));
}

/** A file of marks may be named by a cell, too. */
function distinct(marks: readonly Annotation[]): readonly Annotation[] {
  return [...new Map(marks.map((mark) => [JSON.stringify(mark), mark])).values()];
}

function locateAll(issues: readonly Issue[], { locate }: Located<Notebook>): readonly Issue[] {
  return attachSpans(issues, (path, part) => (path[0] === '--param' ? undefined : locate(path, part)));
}

function prepareProse({ source, quotes }: Block & { readonly kind: 'prose' }, index: number, scope: FigureScope, { locate, source: text }: Located<Notebook>, issues: Issue[], figures: BoundFigure[]): PreparedProse {
  const start = locate(['blocks', index])?.start ?? 0;
  const bound = quotes.flatMap((one) => {
    const outcome = bindFigure(one.path, scope, { change: one.filter === 'change', filter: one.filter });
    if (!outcome) return [];
    issues.push(...outcome.issues.map((issue) => ({ ...issue, path: ['blocks', index], span: toSpan(text, start + one.start, start + one.end) })));
    if (!outcome.ok) return [];
    figures.push(outcome.value);
    return [{ ...one, figure: outcome.value }];
  });
  return { kind: 'prose', source, quotes: bound };
}

interface Needs {
  readonly figures: readonly BoundFigure[];
  readonly time: TimeContext;
  readonly surroundings: NotebookSurroundings;
  readonly issues: Issue[];
}

/** With the questions that figures need beside the cell's own. */
function withFurther(block: PreparedQuestion, index: number, { figures, time, surroundings, issues }: Needs): PreparedQuestion {
  const own = figures.flatMap((figure) => (figure.kind === 'column' && figure.cell === block.content.name ? [figure] : []));
  const sources = new Set(own.map(({ source }) => source));
  const addsUp = own.some(({ pick }) => pick === 'total');
  if (!addsUp && !sources.has('total') && !sources.has('compared')) return block;
  const { question, facts } = block;
  const whole = toTotalQuery(question.query);
  const path = ['blocks', index];
  const total = sources.has('total') ? { ...question, query: whole } : undefined;
  const asked = rangeOf(whole);
  const other = asked && earlierRange(asked.range, 'previous', { ...time, zone: whole.timezone ?? time.zone });
  if (sources.has('compared') && other === undefined) {
    issues.push(errorIssue('no-range', `${quote(block.content.name ?? '')} has no range of time, so that there is no stretch before it.`, { path, hint: 'Give the cell a range.' }));
    return block;
  }
  const compared = sources.has('compared') && other !== undefined ? { ...question, query: toComparison(whole, other) } : undefined;
  for (const further of [total, compared]) {
    const bound = further && surroundings.bind(further.query);
    if (bound && !bound.ok) issues.push(errorIssue('no-total', `The total of ${quote(block.content.name ?? '')} cannot be asked for: ${bound.issues[0]?.message ?? ''}`, { path }));
  }
  return { ...block, total, compared, needsTotal: addsUp, spare: addsUp && !facts.filtersGroups ? { ...question, query: whole } : undefined };
}
