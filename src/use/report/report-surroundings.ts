import path from 'node:path';
import { bad, badWith, good, type Outcome } from '../../ask/outcome.ts';
import type { SavedQuery } from '../../ask/query/saved-query.ts';
import { InvalidInputError } from '../../ask/sluice-error.ts';
import { toCatalog } from '../../plan/model/catalog.ts';
import { readDefinition } from '../../run/file/read-definition.ts';
import { toDelivery } from '../../tell/delivery/delivery.ts';
import type { NotebookPorts, NotebookSurroundings } from '../../tell/ports.ts';
import { usageFigureNames } from '../../tell/usage/usage-answer.ts';
import { answerWhole } from '../answer/answer-question.ts';
import { toBoundQuestion } from '../answer/bind-question.ts';
import { askBytes, askLine, namesOf, type Question, questionOf, usualQuestionOf } from '../answer/question.ts';
import { listSavedQueries } from '../answer/saved-queries.ts';
import { findAnnotations, readAnnotationsFile } from '../chart/annotations-file.ts';
import { tryPlanFunnel } from '../funnel/funnel-question.ts';
import { runFunnel } from '../funnel/run-funnel.ts';
import { defineIn, putInline } from '../workspace/inline-definition.ts';
import type { Session } from '../workspace/session.ts';
import type { Attempt } from '../workspace/with-fresh-model.ts';
import { zoneOf } from '../config/settings.ts';

/** Look-ups of a report in a workspace. `folder`: that of the report's file. */
export function toSurroundings(session: Session, folder: string): NotebookSurroundings {
  const { settings } = session;
  const saved = () => listSavedQueries(settings.queries.value);
  return {
    time: { now: session.now(), zone: zoneOf(settings), weekStart: settings.weekStart.value },
    async savedQuery(name) {
      const found = (await saved()).find((file) => file.name === name);
      if (found) {
        const file = path.basename(found.path);
        return toOutcome(await askBytes(await readDefinition(found.path, file), file)(session.model));
      }
      const usual = usualQuestionOf(session.model, name);
      return usual && good(usual);
    },
    savedQueryNames: async () => [
      ...(await saved()).map(({ name }) => name),
      ...session.model.cubes.flatMap(({ name, source }) => (source.kind === 'computed' ? [name] : [])),
    ],
    timeMemberOf: (cube) => toCatalog(session.model).timeMemberOf(cube),
    names: namesOf(session.model),
    async readLine(line) {
      const read = await askLine(line)(session.model);
      return { ...toOutcome(read), locate: read.ok ? read.value.locate : undefined };
    },
    async bind(query, define) {
      const put = await putInline(define);
      return put.ok ? defineIn(session, put.value).bind(query) : bad(put.error.issues);
    },
    async bindFunnel({ name, range, timezone, trend }) {
      const planned = await tryPlanFunnel(session, name, { range, timezone });
      if (!planned.ok) return bad(planned.error.issues);
      const { funnel } = planned.value;
      return good({
        name: funnel.name,
        steps: funnel.steps.map((step) => step.name),
        grouped: trend !== undefined || funnel.breakdown !== undefined,
      });
    },
    usageGroups: () => settings.usageGroups.value.map(({ name }) => name),
    usageFigures: usageFigureNames,
    async marks() {
      try {
        return good(await findAnnotations(settings.reports.value, path.dirname(settings.reports.value)));
      } catch (error) {
        if (error instanceof InvalidInputError) return badWith('broken-marks', error.message);
        throw error;
      }
    },
    canMail: settings.mailer.value !== undefined || settings.smtp.value !== undefined,
    commands: Object.keys(settings.commands.value),
    deliveries: { deliver: settings.deliver.value.map(toDelivery), notify: settings.notify.value.map(toDelivery) },
    async marksBeside(name) {
      const read = await readAnnotationsFile(path.resolve(folder, name), name);
      if (read) return read;
      const { readSyncedMarks } = await import('../chart/synced-marks.ts');
      return readSyncedMarks(settings.synced.value, name);
    },
  };
}

function toOutcome(read: Attempt<Question>): Outcome<SavedQuery> {
  return read.ok ? good(read.value.saved, read.value.warnings) : bad(read.error.issues);
}

/** Answers a report's questions in a workspace. */
export function toPorts(session: Session, usage: NotebookPorts['usage']): NotebookPorts {
  return {
    usage,
    query: ({ query, fill, fillWith, plans, warnings }, signal) =>
      answerWhole(session, toBoundQuestion(questionOf({ query, fill, fillWith }), plans, warnings), {
        signal,
        ranges: 'beside',
      }),
    funnel: async ({ name, range, timezone, byEntry, trend, interval }, signal) =>
      (await runFunnel(session, name, { range, timezone, byEntry, trend, interval, signal })).result,
  };
}
