import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { writeSavedQuery } from '../../ask/query/read-saved-query.ts';
import { ConfigError, throwIfAborted } from '../../ask/sluice-error.ts';
import { makeFolder } from '../../run/file/owner-only.ts';
import { writeFileWhole } from '../../run/file/write-file.ts';
import { type StarterQuestion, starterReport, starterReportName } from './starter-questions.ts';
import { isThere } from '../../run/file/is-there.ts';
import { unlessMissing } from '../../run/file/system-error.ts';

interface WorkspaceFiles {
  /** Absolute path of the configuration. */
  readonly config: string;
  readonly text: string;
  /** Absolute path of the folder of saved queries. */
  readonly queries: string;
  readonly questions: readonly StarterQuestion[];
  /** Absolute path of the folder of reports. */
  readonly reports: string;
  /** True to replace an existing configuration. */
  readonly force: boolean;
}

export interface WrittenWorkspace {
  /** Absolute paths, the configuration first. */
  readonly written: readonly string[];
  /** Existing files. */
  readonly kept: readonly string[];
}

/**
 * Refuses to replace or hide an existing configuration. Ignores an empty file, which a shell creates for `sluice init >
 * sluice.yaml`. Error: `config-exists`.
 */
export async function refuseExisting(config: string, force: boolean, show: (file: string) => string): Promise<void> {
  const sibling = path.join(path.dirname(config), 'sluice.yml');
  const holdsOne = async (file: string) => (await isThere(file)) && !(await isEmptyFile(file));
  const existing = (await holdsOne(config))
    ? config
    : path.basename(config) === 'sluice.yaml' && (await holdsOne(sibling))
      ? sibling
      : undefined;
  if (existing === undefined || force) return;
  throw new ConfigError(`The configuration ${show(existing)} already exists.`, {
    code: 'config-exists',
    hint: 'Check it with `sluice doctor`, or overwrite it with `sluice init --force`.',
  });
}

/** Writes a workspace, each file atomically, the configuration last: a workspace that has one is complete. */
export async function writeWorkspace(
  { config, text, queries, questions, reports, force }: WorkspaceFiles,
  signal: AbortSignal,
): Promise<WrittenWorkspace> {
  throwIfAborted(signal);
  const written: string[] = [];
  const kept: string[] = [];
  await makeFolder(path.dirname(config));
  const begun = [
    ...questions.map(({ name, saved }) => ({
      file: path.join(queries, `${name}.yaml`),
      contents: () => writeSavedQuery(saved),
    })),
    ...(questions.length === 0
      ? []
      : [{ file: path.join(reports, `${starterReportName}.md`), contents: () => starterReport(questions) }]),
  ];
  for (const { file, contents } of begun) {
    if (await isThere(file)) kept.push(file);
    else {
      await makeFolder(path.dirname(file));
      await writeFileWhole(file, [contents()], signal);
      written.push(file);
    }
  }
  const ignored = path.join(path.dirname(config), '.gitignore');
  const lines = (await unlessMissing(readFile(ignored, 'utf8'))) ?? '';
  if (!/^\/?\.sluice\/?\s*$/m.test(lines)) {
    await writeFileWhole(ignored, [`${lines}${lines === '' || lines.endsWith('\n') ? '' : '\n'}.sluice/\n`], signal);
    written.push(ignored);
  }
  // Check again: the file may have been created while questions were asked.
  await refuseExisting(config, force, (file) => path.basename(file));
  await writeFileWhole(config, [text], signal);
  return { written: [config, ...written], kept };
}

export function isEmptyFile(file: string): Promise<boolean> {
  return stat(file).then(
    (found) => found.isFile() && found.size === 0,
    () => false,
  );
}
