import type { Annotation } from '../../ask/annotation.ts';
import { attachSpans, type Located } from '../../ask/document/located.ts';
import { toSpan } from '../../ask/document/span.ts';
import { errorIssue, settle, type Issue, type IssuePath, type Outcome } from '../../ask/outcome.ts';
import { quote } from '../../ask/quote.ts';
import { didYouMean } from '../../ask/did-you-mean.ts';
import type { TimeContext } from '../../ask/time/range.ts';
import { readZone } from '../../ask/time/zone.ts';
import { writeInstantLocal } from '../../ask/time/local-time.ts';
import { formatTime } from '../../shape/format/format-time.ts';
import { fillTitle } from '../notebook/fill-params.ts';
import type { AnnotationsCell, Block, CellContent, Notebook } from '../notebook/notebook.ts';
import type { NotebookSurroundings } from '../notebook/ports.ts';
import { readCell } from '../notebook/read-cell.ts';
import { readParamValues, withExamples } from '../notebook/read-param-values.ts';
import { bindExpectations } from './bind-expectations.ts';
import { bindFigure, type FigureScope } from './bind-block-figure.ts';
import { bindCellFunnel } from './bind-funnel.ts';
import { bindCellQuestion } from './bind-question.ts';
import { toTotalQuery, rangeOf, toComparison } from './derive-question.ts';
import { earlierRange } from './earlier-range.ts';
import type { BoundFigure, PreparedBlock, PreparedFunnel, PreparedProse, PreparedQuestion, PreparedReport, PreparedUsage } from './prepared.ts';
import { readMarks } from './read-marks.ts';

export interface PrepareOptions {
  /** What is given for parameters, by name. */
  readonly given?: ReadonlyMap<string, string> | undefined;
  /** Parameters without a default are given some value of their type: to find what is wrong, not to answer. */
  readonly examples?: boolean | undefined;
  /** What the report is called where its front matter has no title. */
  readonly name: string;
}

type Answerable = PreparedQuestion | PreparedFunnel | PreparedUsage;

/**
 * A notebook ready to be answered, or all that is wrong with it: its parameters read, its questions bound, its figures found. Issues
 * have their places in the text, but for those about what was given (`--param`). Asks nothing that costs.
 */
export async function prepareReport(read: Located<Notebook> & { readonly ok: true }, surroundings: NotebookSurroundings, { given = new Map(), examples, name }: PrepareOptions): Promise<Outcome<PreparedReport>> {
  const notebook = read.value;
  const { frontMatter, blocks } = notebook;
  const zone = frontMatter.timezone === undefined ? undefined : readZone(frontMatter.timezone);
  const time: TimeContext = { ...surroundings.time, zone: zone?.ok ? zone.value : surroundings.time.zone };
  const params = readParamValues(examples ? withExamples(frontMatter.params) : frontMatter.params, given, time);
  if (!params.ok) return { ...params, issues: locateAll(params.issues, read) };
  const values = params.value;
  const title = fillTitle(frontMatter.title ?? name, values);
  const issues: Issue[] = [...params.issues];

  const contents = blocks.map((block, index) => (block.kind === 'cell' && block.data !== undefined ? take(readCell(block.cell, block.data, values), ['blocks', index], issues) : undefined));
  const cells = await Promise.all(contents.map(async (content, index) => (content ? prepareCell(content, index, time, surroundings, issues) : undefined)));
  const annotations = (await Promise.all(contents.map(async (content, index) => (content?.cell === 'annotations' ? marksOf(content, ['blocks', index], surroundings, issues) : [])))).flat();
  const named = new Map<string, Answerable | undefined>();
  contents.forEach((content, index) => { if (content?.name !== undefined) named.set(content.name, cells[index]); });

  const scope: FigureScope = {
    cells: named, params: values, usageFigures: surroundings.usageFigures,
    own: new Map([['report.title', title], ['report.asOf', formatTime(writeInstantLocal(time.now, time.zone), 'minute')], ['report.zone', time.zone]]),
  };
  const figures: BoundFigure[] = [];
  const prepared = blocks.map((block, index): PreparedBlock | undefined => {
    if (block.kind === 'prose') return prepareProse(block, index, scope, read, issues, figures);
    const content = contents[index];
    if (content?.cell === 'annotations') return { kind: 'annotations' };
    if (content?.cell !== 'check') return cells[index];
    const bound = bindExpectations(content, scope);
    issues.push(...bound.issues.map((issue) => ({ ...issue, path: ['blocks', index, ...issue.path] })));
    if (!bound.ok) return undefined;
    for (const { figure, of } of bound.value) figures.push(figure, ...(typeof of === 'object' ? [of] : []));
    return { kind: 'check', content, expectations: bound.value };
  });
  const whole = prepared.map((block, index) => (block?.kind === 'question' ? withFurther(block, index, { figures, time, surroundings, issues }) : block));
  return settle({
    notebook, title, params: values, time, annotations,
    description: frontMatter.description === undefined ? undefined : fillTitle(frontMatter.description, values),
    blocks: whole.filter((block) => block !== undefined),
  }, locateAll(issues, read));
}

function locateAll(issues: readonly Issue[], { locate }: Located<Notebook>): readonly Issue[] {
  return attachSpans(issues, (path, part) => (path[0] === '--param' ? undefined : locate(path, part)));
}

/** The value of an outcome; its issues go where the others are. */
function take<T>(outcome: Outcome<T>, path: IssuePath, issues: Issue[]): T | undefined {
  issues.push(...outcome.issues.map((issue) => ({ ...issue, path: [...path, ...issue.path] })));
  return outcome.ok ? outcome.value : undefined;
}

async function prepareCell(content: CellContent, index: number, time: TimeContext, surroundings: NotebookSurroundings, issues: Issue[]): Promise<Answerable | undefined> {
  const path = ['blocks', index];
  switch (content.cell) {
    case 'query':
    case 'compare':
      return take(await bindCellQuestion(content, time, surroundings), path, issues);
    case 'funnel':
      return take(await bindCellFunnel(content, time, surroundings), path, issues);
    case 'usage': {
      const groups = surroundings.usageGroups?.();
      const unknown = groups === undefined ? [] : (content.groups ?? []).filter((group) => !groups.includes(group));
      for (const group of unknown) {
        issues.push(errorIssue('unknown-group', `There is no group ${quote(group)}.`, {
          path: [...path, 'groups', content.groups?.indexOf(group) ?? 0], hint: didYouMean(group, groups ?? []) ?? 'Groups stand in the configuration: `usage: {groups: [{name, projects}]}`.',
        }));
      }
      return { kind: 'usage', content };
    }
    default:
      return undefined;
  }
}

async function marksOf(content: AnnotationsCell, path: IssuePath, surroundings: NotebookSurroundings, issues: Issue[]): Promise<readonly Annotation[]> {
  return take(await readMarks(content, surroundings), path, issues) ?? [];
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
