import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { decodeUtf8 } from '../../ask/document/decode-utf8.ts';
import type { Issue } from '../../ask/outcome.ts';
import { ConfigError, InvalidInputError, SluiceError } from '../../ask/sluice-error.ts';
import { toRenames } from '../../plan/model/event-fields.ts';
import type { LeftOut, Model } from '../../plan/model/model.ts';
import { apartFromEvents } from '../../plan/events/events-table.ts';
import type { ModelFile } from '../../plan/model/read/read-model.ts';
import type { TemplateValues } from '../../plan/model/context-call.ts';
import type { RemoteBackend } from '../../run/backend.ts';
import { readDefinition } from '../../run/file/read-definition.ts';
import { mappedSources, type Settings } from '../config/settings.ts';
import { showPath } from '../process/show-path.ts';
import { findAllDefinitions } from './analyses.ts';
import type { RemoteSurroundings } from './open-remote.ts';
import { unwrap } from './refuse.ts';
import { storeToAsk } from './store-to-ask.ts';
import { noteLook } from '../../run/looks.ts';
import { drawIssues } from '../../ask/document/draw-issue.ts';

/**
 * Reads the model from a file or from all YAML files below a folder. Returns the built-in cubes if `file` is undefined.
 * Throws `model-not-found`, and `InvalidInputError` with every issue.
 */
export async function openModel(
  file: string | undefined,
  cwd: string,
  warn: (text: string) => void,
  values: TemplateValues = {},
): Promise<Model> {
  if (file === undefined) return (await import('../../plan/model/built-in-model.ts')).builtInModel;
  const { readModel } = await import('../../plan/model/read/read-model.ts');
  const { found, programs } = await readFiles(file, cwd, warn);
  const { files, unrendered } = await rendered(found, values, warn);
  const read = readModel(files, values);
  const drawn = draw(read.files, read.issues);
  if (!read.ok) throw new InvalidInputError(`The model ${showPath(file, cwd)} has errors.\n${drawn}`, read.issues);
  if (drawn !== '') warn(drawn);
  const cubes = new Set(read.value.cubes.map(({ name }) => name));
  const lost = [...programs, ...unrendered].flatMap(cubesLeftOut).filter(({ name }) => !cubes.has(name));
  return lost.length === 0 ? read.value : { ...read.value, leftOut: [...(read.value.leftOut ?? []), ...lost] };
}

/** A model file that is left out, and why. */
interface LostFile extends ModelFile {
  readonly reason: string;
}

/**
 * Guesses which cubes an unreadable file defines: `cube('name', …)`, or the list entries with the least indentation.
 */
function cubesLeftOut({ text, reason }: LostFile): readonly LeftOut[] {
  const called = [...text.matchAll(/\b(?:cube|view)\(\s*[`'"](\w+)[`'"]/g)].map(([, name = '']) => name);
  const entries = [...text.matchAll(/^( *)-\s+name:\s*["']?(\w+)["']?\s*$/gm)];
  const least = Math.min(...entries.map(([, indent = '']) => indent.length));
  const listed = entries.flatMap(([, indent = '', name = '']) => (indent.length === least ? [name] : []));
  return [...new Set([...called, ...listed])].map((name) => ({ name, reason }));
}

/**
 * Adds the built-in cubes to a model if there are events for them. A cube of the model replaces the built-in cube of
 * the same name.
 */
async function withBuiltIn(own: Model, settings: Settings): Promise<Model> {
  const isServer = settings.backend.value === 'clickhouse';
  if (settings.model.value === undefined || (settings.backend.value !== 'embedded' && !isServer)) return own;
  const hasEvents =
    isServer ||
    own.events !== undefined ||
    settings.events.value.length > 0 ||
    (await storeToAsk(settings).catch(() => undefined)) !== undefined;
  if (!hasEvents) return own;
  const { builtInModel } = await import('../../plan/model/built-in-model.ts');
  const aside = isServer ? [settings.clickhouse.value.database, 'events'] : undefined;
  const model = unwrap(apartFromEvents(own, aside), 'The events cube of the model');
  const names = new Set(model.cubes.map(({ name }) => name));
  return { ...model, cubes: [...model.cubes, ...builtInModel.cubes.filter(({ name }) => !names.has(name))] };
}

/** Adds the names that mapped columns have in the files, so that questions may use them. */
function withColumns(model: Model, settings: Settings): Model {
  const filled = new Map<string, Set<string>>();
  for (const [field, source] of mappedSources(settings)) {
    const column = typeof source === 'string' ? source : 'column' in source ? source.column : undefined;
    if (column === undefined) continue;
    filled.set(column.toLowerCase(), (filled.get(column.toLowerCase()) ?? new Set()).add(field));
  }
  // A column that fills several fields does not tell which one is meant.
  const sure = [...filled].flatMap(([column, [field, other]]) =>
    field === undefined || other !== undefined ? [] : [[column, field] as const],
  );
  const renames = toRenames(
    mappedSources(settings).map(([field, source]) => [
      field,
      typeof source === 'object' && 'values' in source ? source.values : undefined,
    ]),
  );
  return {
    ...model,
    ...(sure.length > 0 && { columns: new Map(sure) }),
    ...(renames.size > 0 && { renames }),
  };
}

function valuesOf({ securityContext }: Settings): TemplateValues {
  return { securityContext: securityContext.value };
}

/** A model, and the server that it came from, if any. */
export interface OpenedModel {
  readonly model: Model;
  /** The backend that described the model. The caller of `openModelOf` closes it. */
  readonly backend?: RemoteBackend | undefined;
  /** Fetches the model from the server again; undefined if it was just fetched or there is no server. */
  readonly again?: ((signal?: AbortSignal) => Promise<Model | undefined>) | undefined;
}

interface ModelSurroundings extends RemoteSurroundings {
  readonly cwd: string;
  /** The machine's clock in epoch milliseconds, regardless of the reference time of questions. */
  readonly now: () => number;
  readonly warn: (text: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Opens the model for these settings: the configured one, that of the remote backend's server, or the built-in cubes.
 * Adds the workspace's definitions, such as funnels. Throws as `openModel` and `openRemote`, and errors of the backend.
 */
export async function openModelOf(settings: Settings, surroundings: ModelSurroundings): Promise<OpenedModel> {
  const [own, definitions] = await Promise.all([
    openOwnModel(settings, surroundings),
    findAllDefinitions(settings, surroundings.root),
  ]);
  const opened = await withSynced(own, settings.synced.value);
  if (definitions.length === 0) return opened;
  // Loads lazily: the reader of definitions takes a while to load.
  const { joinDefinitions } = await import('./join-definitions.ts');
  return joinDefinitions(opened, definitions, settings, surroundings);
}

/** Adds the cubes of data synced from the platform, whichever backend answers the others. */
async function withSynced(opened: OpenedModel, synced: string): Promise<OpenedModel> {
  noteLook(synced);
  const isThere = await stat(synced).catch(() => undefined);
  if (!isThere) return opened;
  const { withSyncedCubes } = await import('./synced-cubes.ts');
  return {
    ...opened,
    model: await withSyncedCubes(opened.model, synced),
    again:
      opened.again &&
      (async (signal) => {
        const model = await opened.again?.(signal);
        return model && withSyncedCubes(model, synced);
      }),
  };
}

async function openOwnModel(settings: Settings, surroundings: ModelSurroundings): Promise<OpenedModel> {
  const { cwd, warn, now, signal } = surroundings;
  const name = settings.backend.value;
  if (settings.model.value !== undefined || (name !== 'platform' && name !== 'cube'))
    return {
      model: withColumns(
        await withBuiltIn(await openModel(settings.model.value, cwd, warn, valuesOf(settings)), settings),
        settings,
      ),
    };
  const [{ openRemote }, { metaFile, openRemoteModel }] = await Promise.all([
    import('./open-remote.ts'),
    import('./remote-model.ts'),
  ]);
  const backend = await openRemote(settings, surroundings);
  try {
    const file = metaFile(settings, surroundings.root);
    const opened = await openRemoteModel(backend, { file, now: now(), signal });
    if (opened.note !== undefined) warn(opened.note);
    let asked = opened.fresh;
    return {
      model: opened.model,
      backend,
      async again(signal) {
        if (asked) return undefined;
        asked = true;
        return (await openRemoteModel(backend, { file, now: now(), again: true, signal })).model;
      },
    };
  } catch (error) {
    await backend[Symbol.asyncDispose]();
    throw error;
  }
}

function draw(
  files: readonly { readonly source: string; readonly file?: string | undefined; readonly issues: readonly Issue[] }[],
  all: readonly Issue[],
): string {
  const inFiles = files.flatMap((file) => file.issues);
  return [
    ...files.flatMap(({ issues, source, file }) => (issues.length > 0 ? drawIssues(issues, { source, file }) : [])),
    ...all.filter((issue) => !inFiles.includes(issue)).map((issue) => drawIssues([issue])),
  ].join('\n');
}

/**
 * Renders templates. Positions then refer to the rendered text. A template that cannot be rendered, for example because
 * it calls functions of a program, is left out if other files remain.
 */
async function rendered(
  files: readonly FoundFile[],
  values: TemplateValues,
  warn: (text: string) => void,
): Promise<{ readonly files: readonly ModelFile[]; readonly unrendered: readonly LostFile[] }> {
  if (!files.some(({ text }) => text.includes('{{') || text.includes('{%') || text.includes('{#')))
    return { files, unrendered: [] };
  const { isTemplate, renderTemplate } = await import('../../plan/model/read/render-templates.ts');
  const others = new Map(files.map(({ name, text }) => [name, text]));
  const all = await Promise.all(
    files.map(async (file) => ({
      file,
      outcome: isTemplate(file.text) ? await renderTemplate(file, values, others) : undefined,
    })),
  );
  const isRead = all.some(({ outcome }) => outcome?.ok !== false);
  const unrendered: LostFile[] = [];
  const written = all.flatMap(({ file, outcome }) => {
    if (!outcome) return [file];
    if (outcome.ok || !isRead)
      return [{ file: `${file.file} (rendered)`, text: unwrap(outcome, `The model ${file.file}`).text }];
    const [issue] = outcome.issues;
    warn(`${issue?.message ?? ''} The file is left out. ${issue?.hint ?? ''}`.trim());
    unrendered.push({ ...file, reason: issue?.message ?? '' });
    return [];
  });
  return { files: written, unrendered };
}

/** `name` is the path relative to the model's folder. */
interface FoundFile extends ModelFile {
  readonly name: string;
}

async function readFiles(
  file: string,
  cwd: string,
  warn: (text: string) => void,
): Promise<{ readonly found: readonly FoundFile[]; readonly programs: readonly LostFile[] }> {
  const found = await stat(file).catch(() => undefined);
  const listed = found?.isDirectory() ? await listModelFiles(file) : found ? [file] : [];
  const programs = listed.filter((each) => /\.[jt]s$/.test(each));
  const paths = listed.filter((each) => !programs.includes(each));
  if (programs.length > 0) {
    const names = programs.map((each) => showPath(each, cwd)).join(', ');
    const are = programs.length === 1 ? 'is a JavaScript model' : 'are JavaScript models';
    const message = `${names} ${are}. sluice only reads YAML.`;
    const hint =
      'Write the cubes in YAML, or query the Cube server that has them: ' +
      '`backend: cube` with `cube: {url: …}` in sluice.yaml.';
    if (paths.length === 0) throw new ConfigError(message, { code: 'model-in-javascript', hint });
    warn(`${message} ${hint}`);
  }
  if (paths.length === 0) {
    throw new ConfigError(`The model ${showPath(file, cwd)} does not exist.`, {
      code: 'model-not-found',
      hint: 'Correct the setting `model:`, or remove it to use the built-in cubes.',
    });
  }
  const inFolder = async (each: string): Promise<FoundFile> => ({
    ...(await readText(each, showPath(each, cwd))),
    name: path.relative(file, each).replaceAll('\\', '/'),
  });
  // Programs are only read for the names of their cubes, so unreadable ones are ignored.
  const program = async (each: string): Promise<readonly LostFile[]> => {
    const read = await inFolder(each).catch(() => undefined);
    return read ? [{ ...read, reason: `${read.file} is a JavaScript model, and sluice only reads YAML.` }] : [];
  };
  const [read, lost] = await Promise.all([Promise.all(paths.map(inFolder)), Promise.all(programs.map(program))]);
  return { found: read, programs: lost.flat() };
}

async function readText(path: string, file: string): Promise<ModelFile> {
  const bytes = await readDefinition(path, file).catch((cause: unknown) => {
    if (cause instanceof SluiceError) throw cause;
    throw new ConfigError(`The model ${file} cannot be read.`, {
      code: 'model-unreadable',
      cause,
      hint: 'Check the file permissions.',
    });
  });
  const decoded = decodeUtf8(bytes, { file });
  return { file, text: unwrap(decoded, `The model ${file}`, decoded) };
}

async function listModelFiles(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && /\.(?:ya?ml|jinja|js)$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((each) => !/[\\/]node_modules[\\/]/.test(path.relative(folder, each)))
    .sort();
}
