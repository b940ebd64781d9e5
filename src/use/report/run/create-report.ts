import path from 'node:path';
import { errorIssue } from '../../../ask/outcome.ts';
import { cubeOf } from '../../../ask/query/member-name.ts';
import { InvalidInputError, usageError } from '../../../ask/sluice-error.ts';
import { quote } from '../../../ask/text.ts';
import { labelOf } from '../../../plan/column.ts';
import { toCatalog } from '../../../plan/model/catalog.ts';
import { isOfModel } from '../../../plan/model/model.ts';
import { reachOf } from '../../../run/backend.ts';
import { makeOutputFolder } from '../../../run/file/make-folder.ts';
import { writeFileWhole } from '../../../run/file/write-file.ts';
import { writeNewReport } from '../../../tell/notebook/new-report.ts';
import { readSchedule } from '../../../tell/schedule/read-schedule.ts';
import { bindQuestion } from '../../answer/bind-question.ts';
import { askNameOrLine } from '../../answer/question.ts';
import { showPath } from '../../process/show-path.ts';
import { unwrap } from '../../workspace/refuse.ts';
import type { Session } from '../../workspace/session.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { isThere } from '../../../run/file/is-there.ts';
import { zoneOf } from '../../config/settings.ts';

export interface CreateReport {
  /** A question in one line, or the name of a saved query. */
  readonly question?: string | undefined;
  /** When to run it: `weekly on monday at 06:00`. */
  readonly schedule?: string | undefined;
  /** The title above it. */
  readonly title?: string | undefined;
  /** Replace a report of this name. */
  readonly force?: boolean | undefined;
}

/** The default question of a report. */
export const usualQuestion = 'pageViewsCount, uniqueUsersCount by docPath';

/**
 * Writes a complete report with comments into the reports folder. Resolves with the absolute path of its file. Throws
 * `InvalidInputError` for an invalid or existing name, and for an invalid question or schedule.
 */
export async function createReport(
  session: Session,
  name: string,
  { question = usualQuestion, schedule, title, force = false }: CreateReport,
  { settings, cwd, signal }: Pick<Workspace, 'settings' | 'cwd' | 'signal'>,
): Promise<string> {
  if (!/^[a-z0-9][\w-]*$/i.test(name))
    throw usageError(
      `${quote(name)} is not a name for a report.`,
      'Use letters, digits, - and _, such as weekly-overview.',
    );
  const file = path.join(settings.reports.value, `${name}.md`);
  if (!force && (await isThere(file)))
    throw usageError(`${showPath(file, cwd)} already exists.`, 'Choose another name, or add --force to replace it.');
  const { plans, question: asked } = await bindQuestion(session, askNameOrLine(question, settings.queries.value, cwd), {
    signal,
  });
  const [{ columns, root }] = plans;
  const query = asked.saved.query;
  const measure = columns.find(({ kind }) => kind === 'measure');
  const time = measure && toCatalog(session.model).timeMemberOf(cubeOf(measure.member));
  if (measure === undefined || time === undefined) {
    const message = 'A report needs a question with a measure of a cube that has a time.';
    throw new InvalidInputError(message, [errorIssue('no-measure', message)], {
      hint: `Ask, for example: ${usualQuestion}`,
    });
  }
  const text = writeNewReport({
    title:
      title ??
      asked.saved.title ??
      columns
        .filter(({ kind }) => kind === 'measure')
        .map(labelOf)
        .join(' and '),
    query,
    columns,
    time,
    schedule: schedule === undefined ? undefined : unwrap(readSchedule(schedule), 'The schedule'),
    timezone: query.timezone ?? zoneOf(settings),
    // Local engines do not look for the latest row of a model's own table.
    tellsAge: !isOfModel(root) || root.synced === true || reachOf(settings.backend.value) !== 'local',
  });
  await makeOutputFolder(settings.reports.value);
  await writeFileWhole(file, [text], signal);
  return file;
}
