import { drawIssues } from '../../../ask/document/draw-issue.ts';
import { BackendError, InvalidInputError } from '../../../ask/sluice-error.ts';
import { quote } from '../../../ask/text.ts';
import { findExportManifest, manifestPathOf } from '../../export/files/export-manifest.ts';
import type { SourceWindow } from '../../store/store-contents.ts';

/** The manifest beside the data file of an export window. */
export interface FoundWindow extends SourceWindow {
  readonly sha256: string;
}

/** The project for events that have none. */
export interface GivenProject {
  readonly value: string;
  /** Where the project was set, for messages: `flag --project`. */
  readonly origin: string;
}

/**
 * The export windows among the files, by file. Errors: `window-manifest-unreadable`; `project-contradicted` if a flag
 * and a window name different projects.
 */
export async function findWindows(
  files: readonly string[],
  project: GivenProject | undefined,
): Promise<ReadonlyMap<string, FoundWindow>> {
  const windows = new Map<string, FoundWindow>();
  for (const file of files) {
    const window = await findWindow(file);
    if (!window) continue;
    if (project?.origin.startsWith('flag ') && window.project !== undefined && window.project !== project.value) {
      const message =
        `${file} belongs to project ${quote(window.project)} by ${manifestPathOf(file)}, ` +
        `but ${project.origin} specifies ${quote(project.value)}.`;
      throw new InvalidInputError(message, [], {
        code: 'project-contradicted',
        hint: 'Remove the flag. sluice uses the project of the manifest.',
      });
    }
    windows.set(file, window);
  }
  return windows;
}

async function findWindow(file: string): Promise<FoundWindow | undefined> {
  const path = manifestPathOf(file);
  const found = await findExportManifest(file).catch((cause: unknown) => {
    throw new BackendError(`${path} cannot be read.`, {
      code: 'window-manifest-unreadable',
      cause,
      hint: 'Check its permissions.',
    });
  });
  if (!found) return undefined;
  if (!found.ok) {
    throw new BackendError(
      `${path} is not a manifest of an export window.\n${drawIssues(found.issues, { file: path })}`,
      {
        code: 'window-manifest-unreadable',
        hint: 'Export the window again, or remove the manifest to load the file as a normal file.',
      },
    );
  }
  const { query, window, project, revision, sha256 } = found.value;
  return { query, start: window.start, end: window.end, project, revision, sha256 };
}
