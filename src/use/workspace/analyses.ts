import path from 'node:path';
import { readFile, readdir } from 'node:fs/promises';
import { isPlainObject } from '../../ask/document/check-argument.ts';
import type { Retention } from '../../ask/activity/retention.ts';
import { followedWords, spellDimension } from '../../ask/analysis/followed.ts';
import type { Funnel } from '../../ask/funnel/funnel.ts';
import type { Issue } from '../../ask/outcome.ts';
import { type AnalysisName, analysisNames } from '../../plan/analysis/analysis-names.ts';
import type { BoundComputation } from '../../plan/plan.ts';
import type { Reach } from '../../run/backend.ts';
import { noteLook } from '../../run/looks.ts';
import type { Settings } from '../config/settings.ts';

/** Where the files of an analysis are, and how to check and describe them. */
interface WorkspaceAnalysis<Definition = never> {
  /** Absolute paths, that of the workspace first. */
  folders(settings: Settings, root: string): readonly string[];
  /** Only files with this top-level key define the analysis; all files if not set. */
  readonly key?: string;
  /** Finds errors in a definition that only the engine can detect. Issues have paths into the file. */
  check(definition: Definition): Promise<readonly Issue[]>;
  /** Describes how the figures are counted, for the notes of every answer. */
  describe(definition: Definition, reach: Reach): Promise<readonly string[]>;
}

const funnel: WorkspaceAnalysis<Funnel> = {
  // The platform reads the second folder in a repository.
  folders: ({ funnels }, root) => [funnels.value, path.join(root, '.gitlab', 'analytics', 'funnels')],
  async check(definition) {
    if (!definition.extended) return [];
    return (await import('../../run/analysis/funnel/funnel-program.ts')).checkFunnelProgram(definition);
  },
  async describe(definition, reach) {
    const { describeFunnel } = await import('../../shape/funnel-result.ts');
    return describeFunnel(definition, reach === 'local' ? 'here' : 'by-server');
  },
};

/** Analyses whose files are in the folder of saved queries, identified by a top-level key. */
function besideQueries(key: string): WorkspaceAnalysis {
  return { folders: ({ queries }) => [queries.value], key, check: async () => [], describe: async () => [] };
}

const retention: WorkspaceAnalysis<Retention> = {
  ...besideQueries('retention'),
  async describe({ breakdown, cohorts, follow }) {
    if (!breakdown) return [];
    const several = cohorts === 'recurring' ? `, and ${followedWords({ follow }).one} may be in several groups` : '';
    return [
      `Grouped by ${spellDimension(breakdown.dimension)} of each start: ` +
        `returns with another value do not count${several}.`,
    ];
  },
};

/** The analyses that have a folder, checks or notes of their own. */
const unusual: Readonly<Partial<Record<AnalysisName, WorkspaceAnalysis>>> = { funnel, retention };

export function workspaceAnalysis(name: AnalysisName): WorkspaceAnalysis {
  return unusual[name] ?? besideQueries(name);
}

/** Describes how a plan's computation is counted; none if it computes nothing. */
export async function describeComputation(
  computed: BoundComputation | undefined,
  reach: Reach,
): Promise<readonly string[]> {
  return computed
    ? workspaceAnalysis(computed.analysis as AnalysisName).describe(computed.definition as never, reach)
    : [];
}

/** Returns the analysis that a file defines, by its top-level keys; undefined if it defines none. */
export async function definedBy(file: string): Promise<AnalysisName | undefined> {
  if (!/\.(?:ya?ml|json)$/i.test(file)) return undefined;
  noteLook(file);
  const text = await readFile(file, 'utf8').catch(() => '');
  const found = startsWithBrace.test(text) ? undefined : definedByKeys(keysAtLineStart(text));
  // Most files are saved queries, which need no parser.
  return found ?? (mentionsKey.test(text) ? definedByKeys(await topLevelKeys(text)) : undefined);
}

/** A mapping in flow style, such as JSON, after comments. */
const startsWithBrace = /^\uFEFF?(?:\s|#[^\n]*\n|---(?=\s))*\{/;

const keys = analysisNames.flatMap((name) => workspaceAnalysis(name).key ?? []);
const mentionsKey = new RegExp(String.raw`\b(?:${keys.join('|')})["']?\s*:`);

function definedByKeys(found: readonly string[]): AnalysisName | undefined {
  return analysisNames.find((name) => found.includes(workspaceAnalysis(name).key ?? ''));
}

function keysAtLineStart(text: string): readonly string[] {
  return Array.from(text.matchAll(/^["']?(\w+)["']?[ \t]*:/gm), ([, key = '']) => key);
}

/** The keys of a whole mapping; of a damaged one the first, so that the check of its analysis reports the damage. */
async function topLevelKeys(text: string): Promise<readonly string[]> {
  const { parseYaml } = await import('../../ask/document/parse-yaml.ts');
  const parsed = parseYaml(text);
  if (parsed.ok) return isPlainObject(parsed.value) ? Object.keys(parsed.value) : [];
  const [, first = ''] = /^[^"'\w]*["']?(\w+)/.exec(text.replace(/^\s*#.*$/gm, '')) ?? [];
  return [first];
}

/**
 * Lists the files of an analysis in a workspace: absolute, in the order of its folders, sorted by name. A missing
 * folder has none.
 */
export async function findDefinitions(
  analysis: AnalysisName,
  settings: Settings,
  root: string,
  kindOf = definedBy,
): Promise<readonly string[]> {
  // Only YAML files define funnels, as on the platform.
  const extensions = workspaceAnalysis(analysis).key === undefined ? /\.ya?ml$/i : /\.(?:ya?ml|json)$/i;
  const found = await Promise.all(
    workspaceAnalysis(analysis)
      .folders(settings, root)
      .map(async (folder) => {
        noteLook(folder);
        const entries = await readdir(folder).catch(() => []);
        return entries
          .filter((file) => extensions.test(file) && !file.startsWith('.'))
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
  /** At least one absolute path. */
  readonly files: readonly string[];
}

/** Lists the files of all analyses that have files. */
export async function findAllDefinitions(settings: Settings, root: string): Promise<readonly FoundDefinitions[]> {
  // Analyses share folders: read each file once.
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
