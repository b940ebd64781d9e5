import { invariant } from '../../ask/invariant.ts';
import type { AnalysisLine } from '../../ask/analysis-line/read-analysis-line.ts';
import type { Locate } from '../../ask/document/located.ts';
import type { SavedQuery } from '../../ask/query/saved-query.ts';
import { toCanonicalQuery } from '../../ask/query/canonical-query.ts';
import type { CanonicalQuery, DateRangeText } from '../../ask/query/query.ts';
import { mergeQuery } from '../../ask/query/merge-query.ts';
import { usualTimeMember } from '../../ask/query/member-name.ts';
import { InvalidInputError } from '../../ask/sluice-error.ts';
import { toUsualQuestion } from '../../plan/analysis/computed-cubes.ts';
import { toCatalog } from '../../plan/model/catalog.ts';
import type { Cube, Model } from '../../plan/model/model.ts';
import { findDefined } from '../workspace/find-defined.ts';
import { putDefinition, readInline } from '../workspace/inline-definition.ts';
import { refuse } from '../workspace/refuse.ts';
import type { Attempt } from '../workspace/with-fresh-model.ts';

const what = 'The question';

/** A line's question, and the positions of its parts. */
interface LineAsked {
  readonly saved: SavedQuery;
  readonly locate: Locate;
}

/** Reads a line that names or defines an analysis, and asks everything that it computes over the line's range. */
export async function askAnalysisLine(line: AnalysisLine, model: Model): Promise<Attempt<LineAsked>> {
  const { analysis, source, issues } = line;
  if (issues.length > 0) return { ok: false, error: refuse(issues, what, { source }) };
  if (line.named !== undefined) {
    const cube = findDefined(model, analysis, line.named);
    if (!(cube instanceof InvalidInputError)) return { ok: true, value: toAsked(line, cube, model) };
    const define = `To define one here, write \`${analysis} of …\`.`;
    const all = cube.issues.map((issue) => ({
      ...issue,
      span: line.locate(['named']),
      // A hint that ends with a command has no full stop.
      hint: /[.?]$/.test(issue.hint ?? '') ? `${issue.hint} ${define}` : `${define} ${issue.hint ?? ''}`.trim(),
    }));
    return { ok: false, error: refuse(all, what, { source }) };
  }
  const read = await readInline(analysis, line.definition, { source, locate: line.locate }, what);
  if (!read.ok) return read;
  const defined = (await putDefinition(analysis, read.value))(model, 'here');
  const cube = defined.cubes.find(({ name }) => name === read.value.name);
  invariant(cube, 'a definition is a cube of its name');
  const { saved, locate } = toAsked(line, cube, defined);
  return { ok: true, value: { saved: { ...saved, define: { [analysis]: line.definition } }, locate } };
}

function toAsked({ range, compare, timezone, locate }: AnalysisLine, cube: Cube, model: Model): LineAsked {
  const { query, chart, table } = toUsualQuestion(cube);
  const locateInQuery: Locate = ([part, , key, ...rest]) => {
    if (part === 'define') return locate(key === undefined ? [] : [key, ...rest]);
    if (part === 'timezone') return locate(['timezone']);
    return locate(key === 'dateRange' ? ['range'] : key === 'compareDateRange' ? ['compare'] : []);
  };
  const asked = mergeQuery(
    query,
    { range: range ?? compare?.[0], timezone },
    toCatalog(model).timeMemberOf(cube.name) ?? usualTimeMember(cube.name),
  );
  return {
    saved: {
      query: compare ? toComparison(asked, compare) : asked,
      chart,
      table,
    },
    locate: locateInQuery,
  };
}

/** The question with the ranges to compare in place of its own. */
function toComparison(query: CanonicalQuery, compare: readonly DateRangeText[]): CanonicalQuery {
  return toCanonicalQuery({
    ...query,
    timeDimensions: query.timeDimensions?.map(({ dateRange, ...time }) =>
      dateRange === undefined ? time : { ...time, compareDateRange: compare },
    ),
  });
}
