import { lookAtFile } from '../../engine/file-identity.ts';
import type { EventSource } from './event-source.ts';

/** Files, each with the mark of its content. */
type FileMarks = readonly (readonly [path: string, mark: string])[];

export function marksOf(paths: readonly string[]): Promise<FileMarks> {
  return Promise.all(paths.map(async (path) => [path, (await lookAtFile(path)).mark] as const));
}

/** Files with known fields, when these were read. */
export function marksOfUses(sources: readonly EventSource[]): FileMarks {
  return sources.flatMap((source) =>
    source.kind === 'json' && source.uses
      ? [...source.uses].map(([path, { mark }]): FileMarks[number] => [path, mark])
      : [],
  );
}

export async function haveChanged(files: FileMarks): Promise<boolean> {
  const changes = await Promise.all(
    files.map(([path, mark]) =>
      lookAtFile(path).then(
        (look) => look.mark !== mark,
        () => true,
      ),
    ),
  );
  return changes.includes(true);
}
