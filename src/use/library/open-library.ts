import { setMaxListeners } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { describeValue } from '../../ask/document/describe-value.ts';
import { AbortedError, BackendError, SluiceError, throwIfAborted } from '../../ask/sluice-error.ts';
import { showText } from '../../ask/text.ts';
import { isInstant } from '../../ask/time/range.ts';
import { reachOf } from '../../run/backend.ts';
import type { Provenance } from '../../shape/result/provenance.ts';
import { noteTeller, refuseIncomplete, toAnswerNotes } from '../answer/tell-notes.ts';
import type { SettingFlags } from '../config/read-flags.ts';
import type { TokenSource } from '../config/settings.ts';
import { tellOfProcess } from '../process/this-process.ts';
import { atPresent, type Session } from '../workspace/session.ts';
import { wrongArgument } from '../../ask/document/check-argument.ts';
import { type CheckedFunction, checkOptions } from '../workspace/check-options.ts';
import { storeToAsk } from '../workspace/store-to-ask.ts';
import { openWorkspaceOf, type Workspace } from '../workspace/workspace.ts';
import { toPresent } from './as-of.ts';
import { inCode, provenanceInCode } from './option-wording.ts';
import { keepEvents, rowsAmong } from './memory-events.ts';
import type { AsOf } from '../process/as-of.ts';
import type { OpenOptions, Token } from './options.ts';

/** State and helpers that all functions of an opened library share. */
export interface Opened extends AsyncDisposable {
  /** The workspace with the reference time and signal of a call. It shares the library's session. */
  readonly workspace: (asOf?: AsOf, signal?: AbortSignal) => Workspace;
  readonly session: Session;
  /**
   * Runs a call: checks its options, rejects it after `close`, and aborts it on `close` or on the caller's signal.
   * Errors name options as they are named in code.
   */
  readonly call: <T>(
    name: CheckedFunction,
    options: object | undefined,
    work: (signal: AbortSignal) => Promise<T>,
  ) => Promise<T>;
  /** Like `call`, for functions without options. */
  readonly run: <T>(work: (signal: AbortSignal) => Promise<T>) => Promise<T>;
  /** Registers a stream or server to close before the session. Returns a function that unregisters it. */
  readonly closeFirst: (opened: AsyncDisposable) => () => void;
  /** Reports the notes of an answer. With `strict`, throws if the answer is incomplete. */
  readonly tell: (provenance: Provenance, options?: { readonly strict?: boolean | undefined }) => void;
  /** Reopens the session if a store has appeared, or always with `isOther`, so that questions see what was written. */
  readonly renew: (isOther?: boolean) => Promise<void>;
  /** Resolves a path against the workspace. */
  readonly pathOf: (file: string) => string;
}

/** Opens the library for `open`, which has checked the options. */
export async function openLibrary(options: OpenOptions): Promise<Opened> {
  tellOfProcess();
  const cwd = path.resolve(options.workspace ?? '.');
  const rows = rowsAmong(options.events);
  const memory = rows && (await keepEvents(rows));
  try {
    const now = options.now && checkedClock(options.now);
    const own = await openWorkspaceOf({
      cwd,
      env: options.env ?? process.env,
      flags: toFlags(options, memory?.file),
      configFile: options.config,
      nameOf: (name) => `open({${name}})`,
      tokens: { platform: givenToken(options.platform?.token), cube: givenToken(options.cube?.token) },
      asOf: options.asOf === undefined ? now : toPresent(options.asOf),
      clock: Date.now,
      remote: {},
      note: options.onWarning ?? (() => undefined),
      limits: 'none',
    });
    const opened = await openShared(own, options);
    return {
      ...opened,
      // A getter, because the session can be replaced and a spread would keep the old one.
      get session() {
        return opened.session;
      },
      async [Symbol.asyncDispose]() {
        await opened[Symbol.asyncDispose]();
        await memory?.[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await memory?.[Symbol.asyncDispose]();
    throw inCode(error);
  }
}

async function openShared(own: Workspace, options: OpenOptions): Promise<Opened> {
  let session = await own.openSession();
  const retired: Session[] = [];
  let store = await storeOf(own);
  const closing = new AbortController();
  setMaxListeners(0, closing.signal);
  const running = new Set<Promise<unknown>>();
  const first = new Set<AsyncDisposable>();
  const teller = noteTeller(options.onNote);
  let closed: Promise<void> | undefined;

  const share = (workspace: Workspace): Workspace => ({
    ...workspace,
    at: (asOf, signal) => share(workspace.at(asOf, signal)),
    openSession: async (engine) =>
      engine
        ? workspace.openSession(engine)
        : lent(workspace.asOf === own.asOf ? session : atPresent(session, workspace.asOf ?? workspace.clock)),
  });
  const shared = share(own);

  /** Promises of running calls. `close` handles their rejections, because a caller may no longer await them. */
  const calls = new Set<{ promise?: Promise<unknown> }>();
  const run = <T>(work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> => {
    const call: { promise?: Promise<unknown> } = {};
    calls.add(call);
    const answered = async () => {
      try {
        if (closing.signal.aborted) throw closedError();
        throwIfAborted(signal);
        const done = work(signal ? AbortSignal.any([closing.signal, signal]) : closing.signal);
        running.add(done);
        return await done.finally(() => running.delete(done));
      } catch (error) {
        throw inCode(ofMissingFolder(error, own.cwd));
      } finally {
        calls.delete(call);
      }
    };
    const promise = answered();
    call.promise = promise;
    return promise;
  };
  const close = async () => {
    for (const { promise } of calls) promise?.catch(() => undefined);
    closing.abort(new AbortedError());
    await Promise.allSettled([...first].map((one) => one[Symbol.asyncDispose]()));
    await Promise.allSettled(running);
    for (const one of [session, ...retired]) await one[Symbol.asyncDispose]();
  };

  return {
    workspace: (asOf, signal) => shared.at(asOf === undefined ? own.asOf : toPresent(asOf), signal),
    get session() {
      return session;
    },
    call(name, given, work) {
      try {
        checkOptions(name, given);
      } catch (error) {
        return Promise.reject(error as Error);
      }
      const { signal } = (given ?? {}) as { readonly signal?: AbortSignal };
      return run(work, signal);
    },
    run,
    closeFirst(opened) {
      first.add(opened);
      return () => void first.delete(opened);
    },
    tell(provenance, { strict = options.strict } = {}) {
      if (strict) refuseIncomplete(provenance);
      const told = provenanceInCode(provenance);
      for (const note of toAnswerNotes(told)) teller(note, told);
    },
    async renew(isOther = false) {
      const found = await storeOf(own);
      if (found === store && !isOther) return;
      store = found;
      retired.push(session);
      session = await own.openSession();
    },
    pathOf: (file) => path.resolve(own.cwd, file),
    [Symbol.asyncDispose]: () => (closed ??= close()),
  };
}

/** The store that questions use; undefined if there is none or it cannot be used. */
function storeOf({ settings }: Workspace): Promise<string | undefined> {
  return storeToAsk(settings).catch(() => undefined);
}

/**
 * Lends the library's session to a feature: it applies the limits of the command line and does not close the session.
 */
function lent(session: Session): Session {
  const limits = reachOf(session.settings.backend.value) === 'remote' ? 'remote' : 'local';
  return {
    ...session,
    get model() {
      return session.model;
    },
    bind: (query, options = {}) => session.bind(query, { ...options, limits: options.limits ?? limits }),
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** A workspace whose folder does not exist has no events, but a wrong path is the reason. */
function ofMissingFolder(error: unknown, folder: string): unknown {
  if (!(error instanceof SluiceError) || error.code !== 'events-not-found' || existsSync(folder)) return error;
  return new BackendError(`The workspace ${showText(folder)} does not exist.`, {
    code: 'events-not-found',
    cause: error,
    hint: 'Correct `workspace`, or create the folder.',
  });
}

export function closedError(): SluiceError {
  return new SluiceError('sluice is closed.', { code: 'closed', hint: 'Ask before `close()`, or open it again.' });
}

/** Converts options to settings. A Cube URL selects the Cube backend unless other options select one. */
function toFlags(
  { platform, cube, events, backend, knownAt, ...options }: OpenOptions,
  file: string | undefined,
): SettingFlags {
  const asksCube = cube?.url !== undefined && platform?.url === undefined && events === undefined;
  return {
    ...options,
    backend: backend ?? (asksCube ? 'cube' : undefined),
    events: file ?? (events as string | readonly string[] | undefined),
    platform: platform && { url: platform.url, project: platform.project },
    cube: cube && { url: cube.url },
    knownAt: knownAt === undefined || typeof knownAt === 'string' ? knownAt : new Date(knownAt).toISOString(),
  };
}

/** A token passed by a program. */
export function givenToken(
  token: Token | undefined,
): { readonly value: TokenSource; readonly origin: string } | undefined {
  if (token === undefined) return undefined;
  return {
    value: { kind: 'given', read: typeof token === 'string' ? () => token : token },
    origin: 'the option `token`',
  };
}

/** Wraps the program's clock and checks each value, because relative ranges need a valid instant. */
function checkedClock(now: () => number): () => number {
  return () => {
    const instant: unknown = now();
    if (isInstant(instant)) return instant;
    const hint = 'Return milliseconds since 1970, as `Date.now` does.';
    throw wrongArgument('open', `now() must return an instant, not ${describeValue(instant)}.`, hint);
  };
}
