import type { SluiceErrorCode } from '../../ask/error-codes.ts';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { BackendError, SluiceError, throwIfAborted } from '../../ask/sluice-error.ts';
import { day } from '../../ask/time/granularity.ts';
import { writeUtc } from '../../ask/time/local-time.ts';
import { withLabelsOf } from '../../plan/model/member-label.ts';
import type { Model } from '../../plan/model/model.ts';
import { readMeta } from '../../plan/model/read-meta.ts';
import type { RemoteBackend } from '../../run/backend.ts';
import { makeOwnFolder, writeOwnFile } from '../../run/file/owner-only.ts';
import type { Settings } from '../config/settings.ts';

/** The model of a server and its origin. */
interface RemoteModel {
  readonly model: Model;
  /** Whether it was fetched just now. */
  readonly fresh: boolean;
  /** A note that the model is old, or is not the server's. */
  readonly note?: string | undefined;
}

interface RemoteModelOptions {
  /** Cache file. */
  readonly file: string;
  readonly now: number;
  /** Fetches the model even if the cached one is fresh. */
  readonly again?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Cached models expire after this time. */
const longestKept = day;

/** The cache file for the configured server: `.sluice/meta/<host>-<project>.json`. */
export function metaFile(settings: Settings, root: string): string {
  const isPlatform = settings.backend.value === 'platform';
  const address = (isPlatform ? settings.platformUrl.value : settings.cubeUrl.value) ?? '';
  const host = address
    .replace(/^[a-z]+:\/\//i, '')
    .replace(/[^a-zA-Z0-9.]+/g, '_')
    .replace(/^[_.]+|_+$/g, '');
  // Encoded, because replacing characters would give a/b-c and a/b_c the same file.
  const project = isPlatform ? encodeURIComponent((settings.platformProject.value ?? '').toWellFormed()) : 'cube';
  return path.join(root, '.sluice', 'meta', `${host}-${project}.json`);
}

/**
 * Returns the model of a server: a cached one if it is less than a day old, else the server's. If the server is not
 * reachable, an older cached model is used. If the server does not publish its model, the built-in cubes are used. A
 * note says so in both cases. Throws the backend's errors.
 */
export async function openRemoteModel(
  backend: Pick<RemoteBackend, 'describe'>,
  options: RemoteModelOptions,
): Promise<RemoteModel> {
  const kept = await readKept(options.file);
  if (kept && !options.again && options.now - kept.fetched < longestKept && options.now >= kept.fetched)
    return { ...kept, fresh: false };
  try {
    const meta = await backend.describe({ signal: options.signal });
    const read = readMeta(meta);
    if (!read.ok) throw new BackendError(read.issues[0]?.message ?? '', { code: 'meta-unreadable' });
    await keep(options.file, meta, options.now);
    return { model: await labelled(read.value), fresh: true };
  } catch (error) {
    throwIfAborted(options.signal);
    if (!(error instanceof SluiceError)) throw error;
    if (tellsNothing.has(error.code)) return standIn();
    if (kept && (error.retryable || error.code === 'not-json'))
      return {
        ...kept,
        fresh: false,
        note: `The server is not reachable. Using its model of ${writeUtc(kept.fetched).slice(0, 10)}.`,
      };
    throw error;
  }
}

/** Errors of servers that do not publish a model, or publish one that sluice cannot read. */
const tellsNothing: ReadonlySet<SluiceErrorCode> = new Set(['endpoint-not-found', 'meta-unreadable', 'query-refused']);

async function standIn(): Promise<RemoteModel> {
  const { builtInModelOfServers } = await import('../../plan/model/built-in-model.ts');
  return {
    model: builtInModelOfServers,
    fresh: true,
    note: 'The server does not publish its model. Using the built-in cubes; the server may not know some of them.',
  };
}

async function labelled(model: Model): Promise<Model> {
  const { builtInModel, tellLocal } = await import('../../plan/model/built-in-model.ts');
  return tellLocal(withLabelsOf(builtInModel, model));
}

const keptSchema = z.object({ fetched: z.iso.datetime(), meta: z.unknown() });

async function readKept(file: string): Promise<{ readonly model: Model; readonly fetched: number } | undefined> {
  try {
    const kept = keptSchema.parse(JSON.parse(await readFile(file, 'utf8')));
    const read = readMeta(kept.meta);
    return read.ok ? { model: await labelled(read.value), fetched: Date.parse(kept.fetched) } : undefined;
  } catch {
    // A damaged cache file counts as missing.
    return undefined;
  }
}

/** Caches a model. If the workspace is not writable, the model is fetched again each time. */
async function keep(file: string, meta: unknown, now: number): Promise<void> {
  try {
    await makeOwnFolder(path.dirname(file));
    await writeOwnFile(file, [`${JSON.stringify({ fetched: writeUtc(now), meta })}\n`]);
  } catch (error) {
    if (!(error instanceof SluiceError) && (error as NodeJS.ErrnoException).syscall === undefined) throw error;
  }
}
