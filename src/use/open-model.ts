import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { decodeUtf8 } from '../ask/document/decode-utf8.ts';
import type { Issue } from '../ask/outcome.ts';
import { ConfigError, InvalidInputError } from '../ask/sluice-error.ts';
import type { Model } from '../plan/model/model.ts';
import type { ModelFile } from '../plan/model/read-model.ts';
import { drawInText, valueOf } from './refuse.ts';
import { showPath } from './show-path.ts';

/**
 * The model of a file or folder (its YAML files at any depth); the built-in cubes where `file` is undefined.
 * Errors: `model-not-found`; `InvalidInputError` with every issue drawn in its message.
 */
export async function openModel(file: string | undefined, cwd: string, warn: (text: string) => void): Promise<Model> {
  if (file === undefined) return (await import('../plan/model/built-in-model.ts')).builtInModel;
  const { readModel } = await import('../plan/model/read-model.ts');
  const files = await readFiles(file, cwd);
  const read = readModel(files);
  const drawn = draw(read.files, read.issues);
  if (!read.ok) throw new InvalidInputError(`The model ${showPath(file, cwd)} cannot be used.\n${drawn}`, read.issues);
  if (drawn !== '') warn(drawn);
  return read.value;
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
  const bytes = await readFile(path).catch((cause: unknown) => {
    throw new ConfigError(`The model ${file} cannot be read.`, { code: 'model-unreadable', cause, hint: 'Look whether the file may be read.' });
  });
  const decoded = decodeUtf8(bytes, { file });
  return { file, text: valueOf(decoded, `The model ${file}`, decoded) };
}

async function listYaml(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile() && /\.ya?ml$/.test(entry.name)).map((entry) => path.join(entry.parentPath, entry.name)).sort();
}
