import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { quoteSome } from '../../../ask/suggest.ts';
import { AbortedError } from '../../../ask/sluice-error.ts';
import type { TimeContext } from '../../../ask/time/range.ts';
import { liveCatalog } from '../../../plan/model/catalog.ts';
import { defaultCubeOf } from '../../answer/question.ts';
import { listSavedQueries } from '../../answer/saved-queries.ts';
import { type OpenedWorkspace, openWorkspace } from '../../cli/command/open-workspace.ts';
import type { Effects as CommandEffects } from '../../process/effects.ts';
import { writeDataFlags } from '../../process/data-flags.ts';
import type { GlobalFlags } from '../../process/global-flags.ts';
import { allProperties, namesOfEvents } from '../../../ask/query/property-name.ts';
import { lookAt } from '../../../run/looks.ts';
import type { OpenedSettings } from '../../config/open-settings.ts';
import { showPath } from '../../process/show-path.ts';
import { describeSource } from '../../workspace/open-backend.ts';
import { listReports } from '../../report/report-files.ts';
import type { OpenWorkspace } from '../state/state.ts';
import type { NotebookPlace } from './notebook-files.ts';
import { zoneOf } from '../../config/settings.ts';

/** An open workspace and the names in it. */
export interface EnteredWorkspace {
  readonly workspace: OpenedWorkspace;
  readonly names: OpenWorkspace;
  /** Resolves once the columns of the events are known, or could not be read. */
  readonly columnsRead: Promise<void>;
  /** Looks up the names of events, once. */
  readonly readEvents: () => Promise<void>;
  readonly place: NotebookPlace;
  /** The time context in a zone (canonical name; default: the setting). */
  readonly time: (zone?: string) => TimeContext;
}

/** Opens the workspace in the background, and again after its backend is lost. */
interface WorkspaceHandle {
  /**
   * Rejects as opening does. `before` runs before the previous workspace closes. `asOf`: the reference time from now
   * on, `now` for the clock; the former one if undefined.
   */
  open(before: () => Promise<void>, asOf?: string): Promise<EnteredWorkspace>;
  /** The open workspace, or the one that is opening. */
  entered(): Promise<EnteredWorkspace>;
  close(): Promise<void>;
}

/** Watches the files of the settings and the model. The function says which of them have changed, if any. */
async function watchDefinitions(
  { root, file = 'sluice.yaml', settings }: OpenedSettings,
  cwd: string,
): Promise<() => string | undefined> {
  const model = settings.model.value;
  const inside = model === undefined ? [] : await readdir(model, { recursive: true }).catch(() => []);
  const files = [
    path.join(root, path.basename(file)),
    ...(model === undefined ? [] : [model, ...inside.map((name) => path.join(model, name))]),
  ];
  const marks = files.map((each) => [each, lookAt(each).mark] as const);
  return () => {
    const changed = marks.filter(([each, mark]) => lookAt(each).mark !== mark).map(([each]) => showPath(each, cwd));
    const [has, it] = changed.length === 1 ? ['has', 'it'] : ['have', 'them'];
    return changed.length === 0
      ? undefined
      : `${quoteSome(changed)} ${has} changed since sluice read ${it}: \`:reconnect\` reads ${it} again.`;
  };
}

export function openWorkspaceHandle(flags: GlobalFlags, effects: CommandEffects, signal: AbortSignal): WorkspaceHandle {
  let opening: Promise<EnteredWorkspace> | undefined;
  let asOf: string | undefined;

  /** The reference time that was set since the start replaces that of the flags and the environment. */
  const asSet = (): Pick<CommandEffects, 'env'> & { readonly flags: GlobalFlags } => {
    if (asOf === undefined) return { flags, env: effects.env };
    const { asOf: _, ...others } = flags;
    const isNow = asOf.toLowerCase() === 'now';
    return { flags: isNow ? others : { ...flags, asOf }, env: { ...effects.env, SLUICE_AS_OF: undefined } };
  };

  async function enter(): Promise<EnteredWorkspace> {
    const notes: string[] = [];
    // Collect messages: the explorer shows them on its own screen.
    const set = asSet();
    const present = set.flags.asOf ?? set.env['SLUICE_AS_OF'];
    const workspace = await openWorkspace(set.flags, {
      ...effects,
      env: set.env,
      stderr: { isTerminal: false, write: async (text) => void notes.push(String(text).trim()) },
      signal,
    });
    const { session, settings } = workspace;
    const changes = await watchDefinitions(workspace, effects.cwd);
    session.prepare();
    // Loads the properties of a sample, so that lines are completed and checked with them.
    let isReading = true;
    const columnsRead = session
      .refreshModel(signal, [allProperties])
      .catch(() => undefined)
      .then(() => {
        isReading = false;
      });
    let eventsRead: Promise<unknown> | undefined;
    return {
      workspace,
      columnsRead,
      readEvents: async () => {
        await (eventsRead ??= session.refreshModel(signal, [namesOfEvents]).catch(() => undefined));
      },
      names: {
        kind: 'open',
        catalog: liveCatalog(() => session.model),
        isReading: () => isReading,
        lacksEvents: () => eventsRead === undefined,
        home: defaultCubeOf(session.model),
        savedQueries: await listSavedQueries(settings.queries.value),
        reports: (await listReports(settings.reports.value, effects.cwd)).map(({ name }) => name),
        values: new Map(),
        zones: ['UTC', ...Intl.supportedValuesOf('timeZone')],
        source: [await describeSource(settings, effects.cwd), ...(present ? [`as of ${present}`] : [])].join(' '),
        notes,
        sourceNotes: () => session.sourceNotes(),
        changes,
      },
      place: { reports: settings.reports.value, cwd: effects.cwd, dataFlags: writeDataFlags(set.flags) },
      time: (zone = zoneOf(settings)) => ({ now: session.now(zone), zone, weekStart: settings.weekStart.value }),
    };
  }

  const closeOne = async (one: Promise<EnteredWorkspace> | undefined) =>
    (await one?.catch(() => undefined))?.workspace.session[Symbol.asyncDispose]();

  return {
    open(before, given) {
      const last = opening;
      asOf = given ?? asOf;
      opening = (async () => {
        await before();
        await closeOne(last);
        return enter();
      })();
      return opening;
    },
    entered: () => opening ?? Promise.reject(new AbortedError()),
    close: () => closeOne(opening),
  };
}
