import { readDefinition } from '../../run/file/read-definition.ts';
import { attachSpans } from '../../ask/document/located.ts';
import { SluiceError } from '../../ask/sluice-error.ts';
import type { Model } from '../../plan/model/model.ts';
import type { Settings } from '../config/settings.ts';
import { readQueryFile } from '../answer/read-query-file.ts';
import { refuse } from '../refuse.ts';
import { listSavedQueries, type SavedFile } from '../answer/saved-queries.ts';
import { openSession, type Session } from '../session.ts';
import { showPath } from '../output/show-path.ts';
import type { Finding } from './check.ts';

export interface SavedOptions {
  readonly settings: Settings;
  readonly cwd: string;
  readonly now: () => number;
}

/** Reads every saved query and binds it; a finding for all, and one for each that cannot be asked. Without a model they are only read. */
export async function checkSaved({ settings, cwd, now }: SavedOptions, model: Model | undefined): Promise<readonly Finding[]> {
  const saved = await listSavedQueries(settings.queries.value);
  const folder = showPath(settings.queries.value, cwd);
  await using session = openSession({ model: model ?? { cubes: [] }, settings, now, cwd });
  const broken = (await Promise.all(saved.map((file) => findFault(file, model && session, cwd)))).filter((fault) => fault !== undefined);
  const all: Finding = { what: 'saved queries', verdict: broken.length === 0 ? 'ok' : 'fails', text: `${saved.length} in ${folder}${broken.length === 0 ? '' : `, ${broken.length} of them cannot be asked:`}` };
  return [all, ...broken];
}

async function findFault({ path, name }: SavedFile, session: Session | undefined, cwd: string): Promise<Finding | undefined> {
  const file = showPath(path, cwd);
  try {
    const question = readQueryFile(await readDefinition(path, file), file);
    const bound = session?.bind(question.saved.query);
    if (!bound || bound.ok) return undefined;
    throw refuse(attachSpans(bound.issues, question.locate), question.what, question.text);
  } catch (error) {
    if (error instanceof SluiceError) return { what: name, verdict: 'fails', text: error.message, hint: error.hint ?? `Correct ${file}, then: sluice query ${name} --explain`, error };
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return { what: name, verdict: 'fails', text: `${file} cannot be read (${code}).`, hint: 'Look whether the file may be read, or take it away.' };
  }
}
