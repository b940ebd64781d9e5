import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { type AnalysisName, analysisNames } from '../../plan/analysis/analysis-names.ts';
import type { Settings } from '../config/settings.ts';
import { definedBy, workspaceAnalysis } from './analyses.ts';
import { noteLook } from '../../run/looks.ts';

/** The files of an analysis in a workspace, absolute, in its folders' order and by name. A missing folder has none. */
export async function findDefinitions(
  analysis: AnalysisName,
  settings: Settings,
  root: string,
  kindOf = definedBy,
): Promise<readonly string[]> {
  const found = await Promise.all(
    workspaceAnalysis(analysis)
      .folders(settings, root)
      .map(async (folder) => {
        noteLook(folder);
        const entries = await readdir(folder).catch(() => []);
        return entries
          .filter((file) => /\.ya?ml$/i.test(file) && !file.startsWith('.'))
          .sort()
          .map((file) => path.join(folder, file));
      }),
  );
  const files = [...new Set(found.flat())];
  if (workspaceAnalysis(analysis).key === undefined) return files;
  const defined = await Promise.all(files.map((file) => kindOf(file)));
  return files.filter((_, index) => defined[index] === analysis);
}

export interface FoundDefinitions {
  readonly analysis: AnalysisName;
  /** At least one; absolute. */
  readonly files: readonly string[];
}

/** The files of every analysis that has some. */
export async function findAllDefinitions(settings: Settings, root: string): Promise<readonly FoundDefinitions[]> {
  // Several analyses share a folder: each of its files is read once.
  const kinds = new Map<string, ReturnType<typeof definedBy>>();
  const kindOf = (file: string) => {
    const kind = kinds.get(file) ?? definedBy(file);
    kinds.set(file, kind);
    return kind;
  };
  const found = await Promise.all(
    analysisNames.map(async (analysis) => ({
      analysis,
      files: await findDefinitions(analysis, settings, root, kindOf),
    })),
  );
  return found.filter(({ files }) => files.length > 0);
}
