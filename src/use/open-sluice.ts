import path from 'node:path';
import { readDefinition } from '../run/file/read-definition.ts';
import { toQuery } from '../ask/query/builder.ts';
import type { Query } from '../ask/query/query.ts';
import type { Result } from '../shape/result.ts';
import { answerQuestion, explainQuestion } from './answer/answer-question.ts';
import { openSettings } from './config/open-settings.ts';
import { answerLoad } from './answer/load.ts';
import { openModelOf } from './open-model.ts';
import type { AnswerRow, Asked, OpenOptions, Sluice } from './sluice.ts';
import { questionInLine, questionOf, type Question } from './answer/question.ts';
import { valueOf } from './refuse.ts';
import { listSavedQueries } from './answer/saved-queries.ts';
import { openSession, type Session } from './session.ts';
import { withFreshModel } from './remote/with-fresh-model.ts';
import { showPath } from './output/show-path.ts';
import { tellOfProcess } from './this-process.ts';

/** `open`, with everything that it needs. */
export async function openSluice(options: OpenOptions): Promise<Sluice> {
  tellOfProcess();
  const cwd = path.resolve(options.workspace ?? '.');
  const warn = options.onWarning ?? (() => undefined);
  const env = options.env ?? process.env;
  const { root, settings, warnings } = await openSettings({
    cwd, env, flags: options, configFile: options.config, nameOf: (flag) => `open({${flag}})`,
  });
  warnings.forEach(warn);
  const remote = { env, root };
  const session = openSession({ ...(await openModelOf(settings, { ...remote, cwd, now: Date.now, warn })), settings, now: options.now ?? Date.now, cwd, remote });
  const read = (asked: Asked) => withFreshModel(session, () => readAsked(session, asked, cwd));
  return {
    ...session,
    get model() {
      return session.model;
    },
    async query<A extends Asked>(asked: A, ask = {}) {
      return (await answerQuestion(session, await read(asked), ask)) as unknown as Result<AnswerRow<A> & object>;
    },
    async write(asked, file, options = {}) {
      const { writeQuestion } = await import('./output/write-question.ts');
      return writeQuestion(session, await read(asked), path.resolve(cwd, file), options);
    },
    async funnel(name, run = {}) {
      const { runFunnel } = await import('./funnel/run-funnel.ts');
      return (await runFunnel(session, name, run)).result;
    },
    async export(to, options) {
      const [{ exportEvents }, { systemClock }] = await Promise.all([import('./export/export-events.ts'), import('./system-clock.ts')]);
      return exportEvents(session, path.resolve(cwd, to), options, { cwd, clock: systemClock });
    },
    async explainQuery(asked, ask = {}) {
      return explainQuestion(session, await read(asked), ask);
    },
    load: (body, load = {}) => answerLoad(body, session, load),
  };
}

async function readAsked(session: Session, asked: Asked, cwd: string): Promise<Question> {
  if (typeof asked !== 'string') return questionOf(await checked(asked));
  const saved = (await listSavedQueries(session.settings.queries.value)).find(({ name }) => name === asked);
  if (!saved) return questionInLine(asked, session.model);
  const { readQueryFile } = await import('./answer/read-query-file.ts');
  return readQueryFile(await readDefinition(saved.path, showPath(saved.path, cwd)), showPath(saved.path, cwd));
}

/** What a builder made is whole; what a program wrote by hand may be anything. */
async function checked(asked: Exclude<Asked, string>): Promise<Query> {
  if (typeof asked === 'object' && asked !== null && 'toQuery' in asked) return toQuery(asked);
  const { readQuery } = await import('../ask/query/read-query.ts');
  return valueOf(readQuery(asked), 'The query');
}
