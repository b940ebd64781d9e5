import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { decodeUtf8 } from '../../ask/document/decode-utf8.ts';
import type { Issue } from '../../ask/outcome.ts';
import { ConfigError, InvalidInputError, SluiceError } from '../../ask/sluice-error.ts';
import type { Model } from '../../plan/model/model.ts';
import type { ModelFile } from '../../plan/model/read/read-model.ts';
import type { Backend } from '../../run/backend.ts';
import { readDefinition } from '../../run/file/read-definition.ts';
import type { Settings } from '../config/settings.ts';
import { showPath } from '../process/show-path.ts';
import { findFunnels, funnelFolders } from './find-funnels.ts';
import type { RemoteSurroundings } from './open-remote.ts';
import { drawInText, valueOf } from './refuse.ts';

/**
 * The model of a file or folder (its YAML files at any depth); the built-in cubes where `file` is undefined.
 * Errors: `model-not-found`; `InvalidInputError` with every issue drawn in its message.
 */
export async function openModel(file: string | undefined, cwd: string, warn: (text: string) => void): Promise<Model> {
  if (file === undefined) return (await import('../../plan/model/built-in-model.ts')).builtInModel;
  const { readModel } = await import('../../plan/model/read/read-model.ts');
  const files = await readFiles(file, cwd);
  const read = readModel(files);
  const drawn = draw(read.files, read.issues);
  if (!read.ok) throw new InvalidInputError(`The model ${showPath(file, cwd)} cannot be used.\n${drawn}`, read.issues);
  if (drawn !== '') warn(drawn);
  return read.value;
}

/** A model with what it came from, where that is a server. */
export interface OpenedModel {
  readonly model: Model;
  /** Opened to be asked what it knows; whoever uses the model closes it. */
  readonly backend?: Backend | undefined;
  /** Asks the server once more what it knows; undefined where it was asked just now, or there is none. */
  readonly again?: ((signal?: AbortSignal) => Promise<Model | undefined>) | undefined;
}

export interface ModelSurroundings extends RemoteSurroundings {
  readonly cwd: string;
  /** Epoch milliseconds of the machine, whatever the present of the questions is. */
  readonly now: () => number;
  readonly warn: (text: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The model that questions under these settings are read against: the one that they name; of a remote backend what its server
 * says can be asked; else the built-in cubes. The funnels of the workspace are in it. Errors: those of `openModel`, `openRemote` and the backend.
 */
export async function openModelOf(settings: Settings, surroundings: ModelSurroundings): Promise<OpenedModel> {
  const [opened, funnels] = await Promise.all([openOwnModel(settings, surroundings), findFunnels(funnelFolders(surroundings.root, settings.funnels.value))]);
  if (funnels.length === 0) return opened;
  // Their reader takes a while to load: only for those who have some.
  const { joinFunnels } = await import('./workspace-funnels.ts');
  return joinFunnels(opened, funnels, settings, surroundings);
}

async function openOwnModel(settings: Settings, surroundings: ModelSurroundings): Promise<OpenedModel> {
  const { cwd, warn, now, signal } = surroundings;
  const name = settings.backend.value;
  if (settings.model.value !== undefined || (name !== 'platform' && name !== 'cube')) return { model: await openModel(settings.model.value, cwd, warn) };
  const [{ openRemote }, { metaFile, openRemoteModel }] = await Promise.all([import('./open-remote.ts'), import('./remote-model.ts')]);
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

function draw(files: readonly { readonly source: string; readonly file?: string | undefined; readonly issues: readonly Issue[] }[], all: readonly Issue[]): string {
  const inFiles = files.flatMap((file) => file.issues);
  return [
    ...files.filter((file) => file.issues.length > 0).map((file) => drawInText(file.issues, file)),
    ...all.filter((issue) => !inFiles.includes(issue)).map((issue) => drawInText([issue], {})),
  ].join('\n');
}

async function readFiles(file: string, cwd: string): Promise<readonly ModelFile[]> {
  const found = await stat(file).catch(() => undefined);
  const paths = found?.isDirectory() ? await listYaml(file) : found ? [file] : [];
  if (paths.length === 0) {
    throw new ConfigError(`There is no model at ${showPath(file, cwd)}.`, { code: 'model-not-found', hint: 'Correct the setting `model:`, or leave it out for the built-in cubes.' });
  }
  return Promise.all(paths.map((each) => readText(each, showPath(each, cwd))));
}

async function readText(path: string, file: string): Promise<ModelFile> {
  const bytes = await readDefinition(path, file).catch((cause: unknown) => {
    if (cause instanceof SluiceError) throw cause;
    throw new ConfigError(`The model ${file} cannot be read.`, { code: 'model-unreadable', cause, hint: 'Look whether the file may be read.' });
  });
  const decoded = decodeUtf8(bytes, { file });
  return { file, text: valueOf(decoded, `The model ${file}`, decoded) };
}

async function listYaml(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile() && /\.ya?ml$/.test(entry.name)).map((entry) => path.join(entry.parentPath, entry.name)).sort();
}
