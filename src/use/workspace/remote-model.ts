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

/** What a server says can be asked, and how it is known. */
export interface RemoteModel {
  readonly model: Model;
  /**
   * When the server said it, epoch milliseconds; undefined for the built-in cubes, which stand in where it says
   * nothing.
   */
  readonly fetched?: number | undefined;
  /** It was asked just now. */
  readonly fresh: boolean;
  /** What is to be known about it: that it is old, or that it is not the server's. */
  readonly note?: string | undefined;
}

export interface RemoteModelOptions {
  /** Where it is kept between commands. */
  readonly file: string;
  readonly now: number;
  /** The server is asked, however fresh what is kept may be. */
  readonly again?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What is kept for longer is asked for again. */
const longestKept = day;

/** Where the meta of the configured server is kept: `.sluice/meta/<host>-<project>.json`. */
export function metaFile(settings: Settings, root: string): string {
  const isPlatform = settings.backend.value === 'platform';
  const address = (isPlatform ? settings.platformUrl.value : settings.cubeUrl.value) ?? '';
  const host = address
    .replace(/^[a-z]+:\/\//i, '')
    .replace(/[^a-zA-Z0-9.]+/g, '_')
    .replace(/^[_.]+|_+$/g, '');
  // Encoded, so that a/b-c and a/b_c are two.
  const project = isPlatform ? encodeURIComponent((settings.platformProject.value ?? '').toWellFormed()) : 'cube';
  return path.join(root, '.sluice', 'meta', `${host}-${project}.json`);
}

/**
 * The model of a server: the one that is kept where it is not a day old, else the server's own. Where the server cannot
 * be reached the kept one serves, and where it does not tell what can be asked the built-in cubes do; the note says so.
 * Errors:
 * those of the backend.
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
    return { model: await labelled(read.value), fetched: options.now, fresh: true };
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

/** A server without `meta`, or with one that nobody has met. */
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
    // It is a copy: none is as good as a broken one.
    return undefined;
  }
}

/** A workspace that cannot be written to is asked for anew each time. */
async function keep(file: string, meta: unknown, now: number): Promise<void> {
  try {
    await makeOwnFolder(path.dirname(file));
    await writeOwnFile(file, [`${JSON.stringify({ fetched: writeUtc(now), meta })}\n`]);
  } catch (error) {
    if (!(error instanceof SluiceError) && (error as NodeJS.ErrnoException).syscall === undefined) throw error;
  }
}
