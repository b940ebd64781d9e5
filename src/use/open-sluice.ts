import path from 'node:path';
import { describeValue } from '../ask/document/read-value.ts';
import { toQuery } from '../ask/query/builder.ts';
import type { Query } from '../ask/query/query.ts';
import { readQuery } from '../ask/query/read-query.ts';
import { isInstant } from '../ask/time/instant.ts';
import { readDefinition } from '../run/file/read-definition.ts';
import type { Provenance } from '../shape/result/provenance.ts';
import type { Result } from '../shape/result/result.ts';
import { answerQuestion, explainQuestion } from './answer/answer-question.ts';
import { answerLoad } from './answer/load.ts';
import { type Question, questionInLine, questionOf } from './answer/question.ts';
import { listSavedQueries } from './answer/saved-queries.ts';
import { noteTeller, refuseIncomplete, toAnswerNotes } from './answer/tell-notes.ts';
import { openSettings } from './config/open-settings.ts';
import { showPath } from './process/show-path.ts';
import { tellOfProcess } from './process/this-process.ts';
import type { AnswerRow, Asked, AskOptions, OpenOptions, Sluice } from './sluice.ts';
import { checkOptions, checkText, wrongArgument } from './workspace/check-options.ts';
import { openModelOf } from './workspace/open-model.ts';
import { valueOf } from './workspace/refuse.ts';
import { openSession, type Session } from './workspace/session.ts';
import { withFreshModel } from './workspace/with-fresh-model.ts';

/** `open`, with everything that it needs. */
export async function openSluice(options: OpenOptions): Promise<Sluice> {
  checkOptions('open', options);
  tellOfProcess();
  const cwd = path.resolve(options.workspace ?? '.');
  const warn = options.onWarning ?? (() => undefined);
  const env = options.env ?? process.env;
  const { root, settings, warnings } = await openSettings({
    cwd, env, flags: options, configFile: options.config, nameOf: (flag) => `open({${flag}})`,
  });
  warnings.forEach(warn);
  const remote = { env, root };
  const opened = await openModelOf(settings, { ...remote, cwd, now: Date.now, warn });
  const session = openSession({ ...opened, settings, now: checkedClock(options.now ?? Date.now), cwd, remote, limits: 'none' });
  const read = (asked: Asked) => withFreshModel(session, () => readAsked(session, asked, cwd));
  const teller = noteTeller(options.onNote);
  const tell = (provenance: Provenance, { strict = options.strict }: { readonly strict?: boolean | undefined } = {}) => {
    if (strict) refuseIncomplete(provenance);
    for (const note of toAnswerNotes(provenance)) teller(note, provenance);
  };
  return {
    ...session,
    get model() {
      return session.model;
    },
    async query<A extends Asked>(asked: A, ask: AskOptions = {}) {
      checkOptions('query', ask);
      const result = await answerQuestion(session, await read(asked), ask);
      tell(result.provenance, ask);
      return result as unknown as Result<AnswerRow<A> & object>;
    },
    async write(asked, file, options = {}) {
      checkOptions('write', options);
      checkText('write', 'The file', file);
      const { writeQuestion } = await import('./output/write-question.ts');
      return writeQuestion(session, await read(asked), path.resolve(cwd, file), options, (provenance) => tell(provenance, options));
    },
    async funnel(name, run = {}) {
      checkOptions('funnel', run);
      checkText('funnel', 'The name of a funnel', name);
      const { runFunnel } = await import('./funnel/run-funnel.ts');
      const { result } = await runFunnel(session, name, run);
      tell(result.provenance, run);
      return result;
    },
    async export(to, options) {
      checkOptions('export', options ?? {});
      checkText('export', 'The folder or file', to);
      const [{ exportEvents }, { systemClock }] = await Promise.all([import('./export/export-events.ts'), import('./process/system-clock.ts')]);
      return exportEvents(session, path.resolve(cwd, to), options ?? {}, { cwd, clock: systemClock });
    },
    async explainQuery(asked, ask = {}) {
      checkOptions('explainQuery', ask);
      return explainQuestion(session, await read(asked), ask);
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
    throw wrongArgument('open', `now() must give an instant, not ${describeValue(instant)}.`, hint);
  };
}

function checkPlan(name: string, plan: unknown): void {
  if (typeof plan === 'object' && plan !== null && 'columns' in plan && 'query' in plan && 'model' in plan) return;
  throw wrongArgument(name, `A plan is expected, not ${describeValue(plan)}.`, 'Take it from `bind(query)`, or ask the query itself by `query()`.');
}

async function readAsked(session: Session, asked: Asked, cwd: string): Promise<Question> {
  if (typeof asked !== 'string') return questionOf(checked(asked));
  const saved = (await listSavedQueries(session.settings.queries.value)).find(({ name }) => name === asked);
  if (!saved) return questionInLine(asked, session.model);
  const { readQueryFile } = await import('./answer/read-query-file.ts');
  return readQueryFile(await readDefinition(saved.path, showPath(saved.path, cwd)), showPath(saved.path, cwd));
}

/** Whatever made the query: a builder takes what plain JavaScript gives it. */
function checked(asked: Exclude<Asked, string>): Query {
  const isBuilder = typeof asked === 'object' && asked !== null && 'toQuery' in asked;
  return valueOf(readQuery(isBuilder ? toQuery(asked) : asked), 'The query');
}
