import path from 'node:path';
import type { SampleRequest, MadeSample } from '../sample/make-sample.ts';
import type { SchemaName } from '../model/json-schemas.ts';
import type { Finding } from '../setup/check.ts';

/** Options of `sample`. */
export interface SampleOptions extends SampleRequest {
  /** The workspace folder. Defaults to the current folder. */
  readonly workspace?: string | undefined;
  /** Aborts the call, which then throws `AbortedError`. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Writes events of an invented web shop, by default into the workspace. `open` then finds them, and uses the day after
 * the last event as the reference time. The same options produce the same bytes. Throws `InvalidInputError` with every
 * invalid option, `ConfigError`, `AbortedError`, and errors of writing.
 */
export async function sample(options: SampleOptions = {}): Promise<MadeSample> {
  const [{ checkOptions }, { openSettings }, { makeSample }, { tellOfProcess }] = await Promise.all([
    import('../workspace/check-options.ts'),
    import('../config/open-settings.ts'),
    import('../sample/make-sample.ts'),
    import('../process/this-process.ts'),
  ]);
  checkOptions('sample', options);
  tellOfProcess();
  const { workspace = '.', signal, ...request } = options;
  const cwd = path.resolve(workspace);
  const { root } = await openSettings({ cwd, env: {}, flags: {}, nameOf: (name) => name });
  return makeSample({ root, cwd, signal }, request);
}

/** Options of `doctor`. */
export interface DoctorOptions {
  /** The workspace folder. Defaults to the current folder. */
  readonly workspace?: string | undefined;
  /** A configuration file to use instead of the one that sluice finds. */
  readonly config?: string | undefined;
  /** Environment variables. Defaults to `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Aborts the call, which then throws `AbortedError`. */
  readonly signal?: AbortSignal | undefined;
}

/** The findings of `doctor`. */
export interface Diagnosis {
  /** Absolute path of the workspace: the folder of the configuration. */
  readonly root: string;
  /** Path of the configuration file for display. */
  readonly file: string | undefined;
  /** One finding per check. `verdict` is `ok`, `fails` (with an `error`) or `none`. */
  readonly findings: readonly Finding[];
}

/**
 * Checks everything that is configured: configuration, model, events, store, servers and disk. Problems are returned as
 * findings. Throws `InvalidInputError` if an option is not valid, and `AbortedError`.
 */
export async function doctor(options: DoctorOptions = {}): Promise<Diagnosis> {
  const [{ checkOptions }, { readSettings }, { withSample }, { examine }, { tellOfProcess }] = await Promise.all([
    import('../workspace/check-options.ts'),
    import('../config/open-settings.ts'),
    import('../workspace/with-sample.ts'),
    import('../setup/examine.ts'),
    import('../process/this-process.ts'),
  ]);
  checkOptions('doctor', options);
  tellOfProcess();
  const { workspace = '.', config, env = process.env, signal = new AbortController().signal } = options;
  const cwd = path.resolve(workspace);
  const read = await readSettings({ cwd, env, flags: {}, configFile: config, nameOf: (name) => name });
  const { settings, asOf } = await withSample(read, cwd);
  const findings: Finding[] = [];
  for await (const finding of examine({
    settings,
    faults: read.faults,
    root: read.root,
    cwd,
    env,
    signal,
    isSample: asOf !== undefined,
    now: asOf === undefined ? Date.now : () => asOf,
    warn: async () => undefined,
  }))
    findings.push(finding);
  return { root: read.root, file: read.file, findings };
}

/** Returns the JSON schema of a file format. Throws `InvalidInputError` for unknown names. */
export async function jsonSchema(name: SchemaName): Promise<unknown> {
  return (await import('../model/json-schemas.ts')).schemaOf(name);
}
