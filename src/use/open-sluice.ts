import path from 'node:path';
import { describeValue } from '../ask/document/read-value.ts';
import { toQuery } from '../ask/query/builder.ts';
import type { Query } from '../ask/query/query.ts';
import { readQuery } from '../ask/query/read-query.ts';
import { isInstant } from '../ask/time/instant.ts';
import { type AnalysisName, analysisNames, isAnalysisName } from '../plan/analysis/analyses.ts';
import type { Provenance } from '../shape/result/provenance.ts';
import type { Result } from '../shape/result/result.ts';
import { answerWhole, explainQuestion, resultOf } from './answer/answer-question.ts';
import { bindQuestion } from './answer/bind-question.ts';
import { answerLoad } from './answer/load.ts';
import { askNameOrLine, askQuery, type Asking } from './answer/question.ts';
import { noteTeller, refuseIncomplete, toAnswerNotes } from './answer/tell-notes.ts';
import { openSettings } from './config/open-settings.ts';
import { tellOfProcess } from './process/this-process.ts';
import type { AnalysisOptions, AnswerRow, Asked, AskOptions, OpenOptions, Sluice } from './sluice.ts';
import type { Cell } from './users/list-users.ts';
import { checkOptions, checkText, wrongArgument } from './workspace/check-options.ts';
import { openModelOf } from './workspace/open-model.ts';
import { unwrap } from './workspace/refuse.ts';
import { openSession } from './workspace/session.ts';

type AnalysisCell = { readonly analysis: AnalysisName; readonly definition: string | object; readonly cell: Cell };

/** `open`, with everything that it needs. */
export async function openSluice(options: OpenOptions): Promise<Sluice> {
  checkOptions('open', options);
  tellOfProcess();
  const cwd = path.resolve(options.workspace ?? '.');
  const warn = options.onWarning ?? (() => undefined);
  const env = options.env ?? process.env;
  const { root, settings, warnings } = await openSettings({
    cwd,
    env,
    flags: options,
    configFile: options.config,
    nameOf: (flag) => `open({${flag}})`,
  });
  warnings.forEach(warn);
  const remote = { env, root };
  const opened = await openModelOf(settings, { ...remote, cwd, now: Date.now, warn });
  const session = openSession({
    ...opened,
    settings,
    now: checkedClock(options.now ?? Date.now),
    cwd,
    remote,
    limits: 'none',
  });
  const toAsking = (asked: Asked): Asking =>
    typeof asked === 'string' ? askNameOrLine(asked, settings.queries.value, cwd) : askQuery(checked(asked));
  const teller = noteTeller(options.onNote);
  const tell = (
    provenance: Provenance,
    { strict = options.strict }: { readonly strict?: boolean | undefined } = {},
  ) => {
    if (strict) refuseIncomplete(provenance);
    for (const note of toAnswerNotes(provenance)) teller(note, provenance);
  };
  const analyse = async <Row extends object>(
    called: string,
    analysis: AnalysisName,
    definition: string | object,
    ask: AnalysisOptions = {},
  ): Promise<Result<Row>> => {
    checkOptions('analysis', ask);
    checkDefinition(called, analysis, definition);
    const { runAnalysis } = await import('./analysis/run-analysis.ts');
    const { result } = await runAnalysis(session, analysis, definition, ask);
    tell(result.provenance, ask);
    return result as unknown as Result<Row>;
  };
  return {
    ...session,
    get model() {
      return session.model;
    },
    async query<A extends Asked>(asked: A, ask: AskOptions = {}) {
      checkOptions('query', ask);
      const result = await resultOf(session, toAsking(asked), ask);
      tell(result.provenance, ask);
      return result as unknown as Result<AnswerRow<A> & object>;
    },
    async write(asked, file, options = {}) {
      checkOptions('write', options);
      checkText('write', 'The file', file);
      const { writeQuestion } = await import('./output/write-question.ts');
      return writeQuestion(session, toAsking(asked), path.resolve(cwd, file), options, (provenance) =>
        tell(provenance, options),
      );
    },
    async funnel(funnel, run = {}) {
      checkOptions('funnel', run);
      checkDefinition('funnel', 'funnel', funnel);
      const { runFunnel } = await import('./funnel/run-funnel.ts');
      const { result } = await runFunnel(session, funnel, run);
      tell(result.provenance, run);
      return result;
    },
    retention: (retention, ask) => analyse('retention', 'retention', retention, ask),
    lifecycle: (lifecycle, ask) => analyse('lifecycle', 'lifecycle', lifecycle, ask),
    stickiness: (stickiness, ask) => analyse('stickiness', 'stickiness', stickiness, ask),
    async analysis(analysis, definition, ask) {
      if (!isAnalysisName(analysis))
        throw wrongArgument(
          'analysis',
          `The analysis cannot be ${describeValue(analysis)}.`,
          `Use one of ${analysisNames.join(', ')}.`,
        );
      return analyse('analysis', analysis, definition, ask);
    },
    async users(asked: Asked | AnalysisCell, ask: AskOptions & AnalysisOptions = {}) {
      const { askAnalysisUsers, askUsers } = await import('./users/list-users.ts');
      const isCell = typeof asked === 'object' && asked !== null && 'analysis' in asked;
      checkOptions(isCell ? 'analysis' : 'query', ask);
      const users = isCell
        ? await askAnalysisUsers(session, asked.analysis, asked.definition, asked.cell, ask)
        : await askUsers(session, toAsking(asked), ask);
      const result = await answerWhole(users.session, users.bound, { signal: ask.signal });
      tell(result.provenance, ask);
      return result;
    },
    async export(to, options) {
      checkOptions('export', options ?? {});
      checkText('export', 'The folder or file', to);
      const [{ exportEvents }, { systemClock }] = await Promise.all([
        import('./export/export-events.ts'),
        import('./process/system-clock.ts'),
      ]);
      return exportEvents(session, path.resolve(cwd, to), options ?? {}, { cwd, clock: systemClock });
    },
    async explainQuery(asked, ask = {}) {
      checkOptions('explainQuery', ask);
      return explainQuestion(session, await bindQuestion(session, toAsking(asked), ask), ask);
    },
    async load(body, load = {}) {
      checkOptions('load', load);
      return answerLoad(body, session, load, tell);
    },
    bind(query, options = {}) {
      checkOptions('bind', options);
      const asked = readQuery(query);
      return asked.ok ? session.bind(asked.value, options) : asked;
    },
    async run(plan, options = {}) {
      checkPlan('run', plan);
      checkOptions('run', options);
      const result = await session.run(plan, options);
      tell(result.provenance);
      return result;
    },
    async store(plan, options = {}) {
      checkPlan('store', plan);
      checkOptions('run', options);
      const rows = await session.store(plan, options);
      if (rows) tell(rows.provenance);
      return rows;
    },
    async runJson(plan, row, options = {}) {
      checkPlan('runJson', plan);
      checkOptions('runJson', options);
      return session.runJson(plan, row, options);
    },
    async explain(plan, options = {}) {
      checkPlan('explain', plan);
      checkOptions('explain', options);
      return session.explain(plan, options);
    },
  };
}

/** A clock of the program's own that is checked each time: relative phrases need an instant. */
function checkedClock(now: () => number): () => number {
  return () => {
    const instant: unknown = now();
    if (isInstant(instant)) return instant;
    const hint = 'Return milliseconds since 1970, as `Date.now` does.';
    throw wrongArgument('open', `now() must return an instant, not ${describeValue(instant)}.`, hint);
  };
}

function checkDefinition(called: string, analysis: AnalysisName, definition: unknown): void {
  if (typeof definition === 'object' && definition !== null) return;
  checkText(called, `The ${analysis}`, definition);
}

function checkPlan(name: string, plan: unknown): void {
  if (typeof plan === 'object' && plan !== null && 'columns' in plan && 'query' in plan && 'model' in plan) return;
  throw wrongArgument(
    name,
    `Expected a plan, not ${describeValue(plan)}.`,
    'Pass the result of `bind(query)`, or call `query()` with the query.',
  );
}

/** Whatever made the query: a builder takes what plain JavaScript gives it. */
function checked(asked: Exclude<Asked, string>): Query {
  const isBuilder = typeof asked === 'object' && asked !== null && 'toQuery' in asked;
  return unwrap(readQuery(isBuilder ? toQuery(asked) : asked), 'The query');
}
