import path from 'node:path';
import type { Located } from '../../ask/document/located.ts';
import { bad, type Outcome } from '../../ask/outcome.ts';
import { InvalidInputError } from '../../ask/sluice-error.ts';
import type { Notebook } from '../../tell/notebook/notebook.ts';
import { prepareReport, type PrepareOptions } from '../../tell/prepare/prepare-report.ts';
import type { PreparedReport } from '../../tell/prepare/prepared.ts';
import type { Session } from '../session.ts';
import { withFreshModel } from '../remote/with-fresh-model.ts';
import type { ReportFile } from './report-files.ts';
import { toSurroundings } from './report-surroundings.ts';

/** A report's notebook, ready to be answered in a workspace, or all of its issues, those of reading it with them. */
export async function prepareFile(read: Located<Notebook>, file: ReportFile, session: Session, options: Omit<PrepareOptions, 'name'> & { readonly signal?: AbortSignal | undefined } = {}): Promise<Outcome<PreparedReport>> {
  if (!read.ok) return bad(read.issues);
  const prepare = async () => {
    const prepared = await prepareReport(read, toSurroundings(session, path.dirname(file.path)), { ...options, name: file.name });
    if (!prepared.ok) throw new InvalidInputError('', prepared.issues);
    return { ...prepared, issues: [...read.issues, ...prepared.issues] };
  };
  try {
    return await withFreshModel(session, prepare, options.signal);
  } catch (error) {
    if (error instanceof InvalidInputError && error.message === '') return bad([...read.issues, ...error.issues]);
    throw error;
  }
}
