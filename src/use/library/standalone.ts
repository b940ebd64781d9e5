import path from 'node:path';
import type { SampleRequest, MadeSample } from '../sample/make-sample.ts';
import type { SchemaName } from '../model/json-schemas.ts';
import type { Finding } from '../setup/check.ts';

/** Which sample events to generate, and where to write them. */
export interface SampleOptions extends SampleRequest {
  /** The folder to work in; the current one by default. */
  readonly workspace?: string | undefined;
  /** Aborts the call, which then throws `AbortedError`. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Writes events of an invented web shop, by default into the workspace, where `open` finds them and takes the day after
 * the last one as the reference time. The same options give the same bytes. Throws `InvalidInputError` with everything
 * that is wrong with them, `ConfigError`, `AbortedError`, and what writing throws.
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

/** What to examine. */
export interface DoctorOptions {
  /** The folder to examine; the current one by default. */
  readonly workspace?: string | undefined;
  /** A configuration file other than the one that is found. */
  readonly config?: string | undefined;
  /** `process.env` by default. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Aborts the call, which then throws `AbortedError`. */
  readonly signal?: AbortSignal | undefined;
}

/** What `doctor` found out about a set-up. */
export interface Diagnosis {
  /** Absolute path of the workspace: the folder of the configuration. */
  readonly root: string;
  /** The configuration file, for people. */
  readonly file: string | undefined;
  /** `verdict`: `ok`, `fails` (then with its `error`) or `none`. */
  readonly findings: readonly Finding[];
}

/**
 * Tries everything that is set up: configuration, model, events, store, servers, disk. A fault is a finding. Throws
 * `InvalidInputError` for options, and `AbortedError`.
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

/** The JSON schema of a file format. Throws `InvalidInputError` for a name that has none. */
export async function jsonSchema(name: SchemaName): Promise<unknown> {
  return (await import('../model/json-schemas.ts')).schemaOf(name);
}
