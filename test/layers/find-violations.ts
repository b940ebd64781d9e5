import { posix } from 'node:path';
import { type SourceFacts, readSource } from './read-source.ts';

/** The stages in the order of data flow, which is alphabetical. */
export const stages = ['ask', 'plan', 'run', 'shape', 'show', 'tell', 'use'] as const;

const ioStages = new Set(['run', 'use']);
const ioModules =
  /^(?:(?:node:)?(?:fs|net|tls|dgram|dns|http|https|http2|child_process)(?:\/.*)?|undici|@duckdb\/node-api)$/;
const networkGlobals = new Set(['fetch', 'WebSocket']);
const ambientModules = /^(?:node:)?(?:process|console|perf_hooks)$/;
const heavyPackages = /^(?:@duckdb\/|ink(?:\/|$)|react(?:-|\/|$)|vega|arquero(?:\/|$)|@resvg\/|@clickhouse\/)/;
const vagueNames = new Set(['utils', 'util', 'helpers', 'helper', 'common', 'shared', 'misc', 'types']);
/** The folders of `run` that know an engine. */
const engines = ['clickhouse', 'cube', 'duckdb', 'platform'] as const;
/** Exported by package.json. */
const facade = 'use/index.ts';

/** All violations of the rules of the layers, one sentence each. Paths are relative to `src`. */
export function findViolations(sources: ReadonlyMap<string, string>): readonly string[] {
  const files = new Map([...sources].map(([path, source]) => [path, readSource(path, source)] as const));
  const each = [...files].flatMap(([path, facts]) => [
    ...nameProblems(path),
    ...factProblems(path, facts),
    ...importProblems(path, facts),
  ]);
  const told = (cycles: readonly (readonly string[])[], what: string) =>
    cycles.map((cycle) => `${what}: ${cycle.join(' → ')}`);
  return [
    ...each,
    ...told(findCycles(toGraph(files)), 'cycle'),
    ...told(findCycles(toFolders(files)), 'cycle of folders'),
  ];
}

function nameProblems(path: string): string[] {
  const problems: string[] = [];
  const parts = path.split('/');
  if (parts.length < 2 || !isStage(parts[0]!)) problems.push(`${path}: lies in no stage`);
  if (!parts.every((part) => /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.ts)?$/.test(part)))
    problems.push(`${path}: is not kebab-case`);
  const name = posix.basename(path, '.ts');
  if (parts.some((part) => vagueNames.has(part)) || vagueNames.has(name) || (name === 'index' && path !== facade))
    problems.push(`${path}: the name says nothing`);
  return problems;
}

function factProblems(path: string, facts: SourceFacts): string[] {
  const problems: string[] = [];
  const stage = stageOf(path);
  if (facts.exportsDefault) problems.push(`${path}: has a default export`);
  if (facts.saysAny) problems.push(`${path}: says any`);
  for (const name of facts.ambient) {
    const allowed = networkGlobals.has(name) ? ioStages.has(stage) : stage === 'use';
    if (!allowed) problems.push(`${path}: uses ${name}`);
  }
  return problems;
}

function importProblems(path: string, facts: SourceFacts): string[] {
  const stage = stageOf(path);
  return facts.imports.flatMap(({ specifier, kind }) => {
    const says = (problem: string) => [`${path}: ${problem} ${specifier}`];
    if (specifier.startsWith('.')) {
      const target = resolve(path, specifier);
      if (target.startsWith('../')) return says('reaches out of src:');
      if (!specifier.endsWith('.ts')) return says('imports without .ts:');
      if (isOtherEngine(path, target)) return says('imports from another engine:');
      return stageOf(target) > stage ? says('imports from a later stage:') : [];
    }
    if (specifier === '(computed)') return says('imports by a name that cannot be read:');
    if (ioModules.test(specifier) && !ioStages.has(stage)) return says('does I/O by');
    if (ambientModules.test(specifier) && stage !== 'use') return says('reaches its surroundings by');
    if (heavyPackages.test(specifier) && kind !== 'dynamic' && (stage === 'ask' || stage === 'plan'))
      return says('weighs down the start by');
    return [];
  });
}

/** Whether a file of one engine imports from another. What both need lies beside them. */
function isOtherEngine(path: string, target: string): boolean {
  const [one, other] = [path, target].map((each) => engines.find((engine) => each.startsWith(`run/${engine}/`)));
  return one !== undefined && other !== undefined && one !== other;
}

/** The imports of each file, by value or by type. */
type Graph = ReadonlyMap<string, ReadonlySet<string>>;

function toGraph(files: ReadonlyMap<string, SourceFacts>): Graph {
  const targetsOf = (path: string, { imports }: SourceFacts) =>
    new Set(
      imports.filter(({ specifier }) => specifier.startsWith('.')).map(({ specifier }) => resolve(path, specifier)),
    );
  return new Map([...files].map(([path, facts]) => [path, targetsOf(path, facts)]));
}

/**
 * The same between folders: a folder depends on another if one of its files does. A folder and its subfolder are two.
 */
function toFolders(files: ReadonlyMap<string, SourceFacts>): Graph {
  const folders = new Map<string, Set<string>>();
  for (const [path, targets] of toGraph(files)) {
    const folder = posix.dirname(path);
    const needed = folders.get(folder) ?? new Set<string>();
    folders.set(folder, needed);
    for (const target of targets) if (posix.dirname(target) !== folder) needed.add(posix.dirname(target));
  }
  return folders;
}

/** Cycles, each listed once from its first node. */
function findCycles(graph: Graph): readonly (readonly string[])[] {
  const cycles: string[][] = [];
  const done = new Set<string>();
  const trail: string[] = [];

  function visit(path: string): void {
    const since = trail.indexOf(path);
    if (since >= 0) cycles.push([...trail.slice(since), path]);
    if (since >= 0 || done.has(path)) return;
    trail.push(path);
    for (const target of graph.get(path) ?? []) visit(target);
    trail.pop();
    done.add(path);
  }

  for (const path of [...graph.keys()].sort()) visit(path);
  return cycles;
}

function resolve(path: string, specifier: string): string {
  return posix.normalize(posix.join(posix.dirname(path), specifier));
}

function stageOf(path: string): string {
  return path.split('/')[0]!;
}

function isStage(name: string): boolean {
  return (stages as readonly string[]).includes(name);
}
