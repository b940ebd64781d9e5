import { statfs } from 'node:fs/promises';
import { ConfigError, SluiceError } from '../../ask/sluice-error.ts';
import { plural } from '../../ask/text.ts';
import { isOfModel, type Model } from '../../plan/model/model.ts';
import { readDefinition } from '../../run/file/read-definition.ts';
import { formatCount } from '../../shape/format/format-number.ts';
import { tryBindQuestion } from '../answer/bind-question.ts';
import { askBytes } from '../answer/question.ts';
import { listSavedQueries, type SavedFile } from '../answer/saved-queries.ts';
import { isPlatformConfigured, type Settings } from '../config/settings.ts';
import { showBytes, showPath } from '../process/show-path.ts';
import { openBackend } from '../workspace/open-backend.ts';
import { tellRemapped } from '../workspace/open-mappings.ts';
import { openModelOf } from '../workspace/open-model.ts';
import { openSession, type Session } from '../workspace/session.ts';
import { storeToAsk } from '../workspace/store-to-ask.ts';
import { type CheckOptions, check, type Finding } from './check.ts';
import { checkFolders } from './check-folders.ts';
import { checkKeys } from './check-keys.ts';
import { lookAtEvents, openEvents, writeEventsFound, writeRecognition } from './look-at-events.ts';
import { lookAtRemote, type RemoteFound } from './look-at-remote.ts';

export interface Examination {
  readonly settings: Settings;
  /** Configuration errors, drawn. */
  readonly faults: readonly string[];
  /** Absolute path of the workspace. */
  readonly root: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => number;
  readonly signal: AbortSignal;
  /** True if the events are the sample's. */
  readonly isSample: boolean;
  readonly warn: (text: string) => Promise<void>;
}

/** Checks everything that is set up, in parallel; yields the findings in a fixed order. */
export async function* examine(examination: Examination): AsyncGenerator<Finding> {
  const { faults, settings, signal } = examination;
  const remotes = (['platform', 'cube'] as const)
    .filter((name) => isSetUp(settings, name))
    .map((name) => ({ name, found: lookAt(examination, name) }));
  const model = findModel(examination, remotes.find(({ name }) => name === settings.backend.value)?.found);
  const files = asksFiles(settings) ? checkFiles(examination) : [];
  // Faults of the files are reported by themselves.
  const keys = Promise.all(files).then(async (found) =>
    found.flat().some(({ verdict }) => verdict === 'fails') ? [] : checkKeys(examination, (await model).model),
  );
  const running: Promise<readonly Finding[]>[] = [
    ...faults.map((fault) =>
      one(check('configuration', () => Promise.reject(new ConfigError(fault, { code: 'invalid-config' })), { signal })),
    ),
    model.then(({ findings }) => findings),
    model.then(({ model: found }) => checkSaved(examination, found)),
    ...files,
    keys,
    ...remotes.map(({ found }) => found.then(({ findings }) => findings)),
    ...(settings.backend.value === 'clickhouse' || settings.clickhouse.value.url !== undefined
      ? [one(check('clickhouse', () => describeClickHouse(examination), { signal }))]
      : []),
    checkFolders(examination),
    one(check('disk', () => describeDisk(examination), { signal })),
  ];
  // Avoid an unhandled rejection until each is awaited below.
  for (const findings of running) findings.catch(() => undefined);
  for (const findings of running) yield* await findings;
}

async function one(finding: Promise<Finding>): Promise<readonly Finding[]> {
  return [await finding];
}

/** Finds the model for questions. Errors of a server's model are reported with the server. */
async function findModel(
  examination: Examination,
  remote: Promise<RemoteFound> | undefined,
): Promise<{
  readonly findings: readonly Finding[];
  readonly model?: Model | undefined;
}> {
  const { settings, cwd, warn, signal } = examination;
  if (remote && settings.model.value === undefined) return { findings: [], model: (await remote).model };
  let model: Model | undefined;
  const finding = await check(
    'model',
    async () => {
      const warnings: string[] = [];
      ({ model } = await openModelOf(settings, { ...examination, warn: (text) => warnings.push(text) }));
      for (const warning of warnings) await warn(warning);
      const isOwn = settings.model.value !== undefined;
      const listed = model.cubes.filter((cube) => cube.public && (!isOwn || isOfModel(cube))).length;
      return `${listed} ${plural(listed, 'cube')}, ${settings.model.value === undefined ? 'built in' : `of ${showPath(settings.model.value, cwd)}`}`;
    },
    { signal },
  );
  return { findings: [finding], model };
}

function asksFiles({ backend, events, tables, store }: Settings): boolean {
  return (
    backend.value === 'embedded' ||
    events.value.length > 0 ||
    Object.keys(tables.value).length > 0 ||
    store.origin !== 'default'
  );
}

function isSetUp(settings: Settings, name: 'platform' | 'cube'): boolean {
  return (
    settings.backend.value === name ||
    (name === 'platform' ? isPlatformConfigured(settings) : settings.cubeUrl.value !== undefined)
  );
}

function checkFiles(examination: Examination): readonly Promise<readonly Finding[]>[] {
  const { cwd, signal, isSample } = examination;
  const settings: Settings = {
    ...examination.settings,
    backend: { value: 'embedded', origin: examination.settings.backend.origin },
  };
  const options: CheckOptions = { signal };
  const tables = Object.entries(settings.tables.value).map(async ([table, files]) => {
    const tried = { [table]: files };
    return {
      tried,
      finding: await check(
        `table ${table}`,
        () => tryTables({ ...examination, settings: withData(settings, tried, []) }, files),
        options,
      ),
    };
  });
  return [
    one(check('engine', describeEngine, options)),
    ...tables.map((table) => table.then(({ finding }) => [finding])),
    checkEvents(),
  ];

  async function checkEvents(): Promise<readonly Finding[]> {
    // Faulty tables are already reported; check the events with the others.
    const read = Object.fromEntries(
      (await Promise.all(tables))
        .filter(({ finding }) => finding.verdict === 'ok')
        .flatMap(({ tried }) => Object.entries(tried)),
    );
    const look = async () => {
      const options = { ...examination, settings: withData(settings, read) };
      await using session = await openEvents(options);
      const found = await lookAtEvents(session, options);
      return `${writeEventsFound(found, cwd)}${writeRecognition(found)}`;
    };
    if (settings.events.value.length > 0)
      return [await check(isSample ? 'sample' : 'events', look, options), ...(await idleStore(examination))];
    const store = await check(
      'store',
      async () => {
        const folder = await storeToAsk(settings);
        if (folder === undefined) return nothingNamed;
        const [unchecked, found] = [await verifyStore(folder), await look()];
        return `${found}, ${await describeStore(folder, examination)}${unchecked}`;
      },
      options,
    );
    if (store.verdict !== 'none') return [store];
    return tables.length > 0 ? idleStore(examination) : [{ ...store, what: 'events' }];
  }
}

const nothingNamed: Omit<Finding, 'what'> = {
  verdict: 'none',
  text: 'No events yet.',
  hint:
    "Specify event files: `--events 'events/*.ndjson.gz'`, load them: " +
    "`sluice ingest 'events/*.ndjson.gz'`, or generate samples: `sluice sample`",
};

async function describeStore(folder: string, { settings, cwd }: Examination): Promise<string> {
  const [{ readStore }, { datedNote }] = await Promise.all([
    import('../../run/store/store-contents.ts'),
    import('../../run/events/expected-facts.ts'),
  ]);
  const { sources = [], segments = [] } = (await readStore(folder)) ?? {};
  const remapped = await tellRemapped(settings, sources, cwd);
  const bytes = segments.reduce((sum, segment) => sum + segment.bytes, 0);
  return (
    `from ${formatCount(sources.length, 'file')}, ${showBytes(bytes)}` +
    `${sources.some(({ dated }) => dated) ? `\n${datedNote}` : ''}${remapped === undefined ? '' : `\n${remapped}`}`
  );
}

/** Throws `store-damaged`. Otherwise returns a sentence about the segments that have no check sum, if there are any. */
async function verifyStore(folder: string): Promise<string> {
  const { demandSegments, readManifest } = await import('../../run/store/store-manifest.ts');
  const manifest = await readManifest(folder);
  if (!manifest) return '';
  await demandSegments(folder, manifest);
  const unchecked = manifest.segments.filter(({ check }) => check === undefined).length;
  return unchecked === 0
    ? ''
    : `\n${unchecked} of its ${formatCount(manifest.segments.length, 'segment')} have no check sum, ` +
        'because an earlier version of sluice wrote them. Their contents are not verified.';
}

/** Reports a store that is not used, because other data takes precedence. */
async function idleStore({ settings: { store }, signal, isSample, cwd }: Examination): Promise<readonly Finding[]> {
  if (isSample || store.origin !== 'default') return [];
  let isThere = true;
  const finding = await check(
    'store',
    async () => {
      const { readStore } = await import('../../run/store/store-contents.ts');
      isThere = (await readStore(store.value)) !== undefined;
      return {
        verdict: 'none',
        text: `${showPath(store.value, cwd)} exists, but is not used because other data is configured.`,
      };
    },
    { signal },
  );
  return isThere ? [finding] : [];
}

function withData(settings: Settings, tables: Settings['tables']['value'], events = settings.events.value): Settings {
  return { ...settings, tables: { ...settings.tables, value: tables }, events: { ...settings.events, value: events } };
}

async function describeEngine(): Promise<string> {
  const { openEngine } = await import('../../run/duckdb/engine/engine.ts');
  await using engine = await openEngine({});
  const [row] = await engine.rows('SELECT version()');
  return `DuckDB ${String(row?.[0])} opens`;
}

async function describeClickHouse({ settings, env, root, signal }: Examination): Promise<string> {
  const [{ clickHouseOptions }, { lookAtClickHouse }] = await Promise.all([
    import('../workspace/clickhouse-options.ts'),
    import('../../run/clickhouse/look-at-clickhouse.ts'),
  ]);
  const { address, version, events, canOnlyRead } = await lookAtClickHouse(
    await clickHouseOptions(settings, { env, root }),
    signal,
  );
  const rights = canOnlyRead ? ', the user may change no setting' : '';
  return `ClickHouse ${version} at ${address} answers, ${formatCount(events, 'event')}${rights}`;
}

/** Opening the backend reads all of the files. */
async function tryTables({ settings, cwd, env, root, signal }: Examination, files: readonly string[]): Promise<string> {
  await using _opened = await openBackend(settings, cwd, undefined, {
    env,
    root,
    signal,
  });
  return files.map((file) => showPath(file, cwd)).join(', ');
}

function lookAt({ settings, env, root, signal }: Examination, name: 'platform' | 'cube'): Promise<RemoteFound> {
  return lookAtRemote(
    { ...settings, backend: { value: name, origin: settings.backend.origin } },
    { env, root, signal },
  );
}

async function describeDisk({ root }: Examination): Promise<string | Omit<Finding, 'what'>> {
  const { bavail, bsize, files, ffree } = await statfs(root);
  // Some file systems have no limit, and say that they have none at all.
  if (files > 0 && ffree === 0)
    return { verdict: 'fails', text: 'No inodes are free.', hint: 'Remove files: no further one can be created.' };
  const free = bavail * bsize;
  const shown = `${showBytes(free)} free`;
  return free > 2 ** 28
    ? shown
    : { verdict: 'fails', text: `Only ${shown}.`, hint: 'Free disk space: sorting and event stores need it.' };
}

interface SavedOptions {
  readonly settings: Settings;
  readonly cwd: string;
  readonly now: () => number;
}

/**
 * Reads and binds every saved query; returns a finding for all, and one for each invalid query. Without a model, only
 * reads them.
 */
async function checkSaved({ settings, cwd, now }: SavedOptions, model: Model | undefined): Promise<readonly Finding[]> {
  const saved = await listSavedQueries(settings.queries.value);
  const folder = showPath(settings.queries.value, cwd);
  await using session = openSession({ model: model ?? { cubes: [] }, settings, now, cwd });
  const broken = (await Promise.all(saved.map((file) => findFault(file, model && session, cwd)))).filter(
    (fault) => fault !== undefined,
  );
  const all: Finding = {
    what: 'saved queries',
    verdict: broken.length === 0 ? 'ok' : 'fails',
    text: `${saved.length} in ${folder}${broken.length === 0 ? '' : `, ${broken.length} of them have errors:`}`,
  };
  return [all, ...broken];
}

async function findFault(
  { path, name }: SavedFile,
  session: Session | undefined,
  cwd: string,
): Promise<Finding | undefined> {
  const file = showPath(path, cwd);
  const toFault = (error: SluiceError): Finding => ({
    what: name,
    verdict: 'fails',
    text: error.message,
    hint: error.hint ?? `Correct ${file}, then: sluice query ${name} --explain`,
    error,
  });
  try {
    const asking = askBytes(await readDefinition(path, file), file);
    const checked = await (session ? tryBindQuestion(session, asking) : asking({ cubes: [] }));
    return checked.ok ? undefined : toFault(checked.error);
  } catch (error) {
    if (error instanceof SluiceError) return toFault(error);
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return {
      what: name,
      verdict: 'fails',
      text: `${file} cannot be read (${code}).`,
      hint: 'Check the file permissions, or remove the file.',
    };
  }
}
