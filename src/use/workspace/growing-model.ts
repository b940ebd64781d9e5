import { defaultCube } from '../../ask/query/member-name.ts';
import { allProperties, isPropertyName, namesOfEvents } from '../../ask/query/property-name.ts';
import type { Model } from '../../plan/model/model.ts';
import type { Backend } from '../../run/backend.ts';
import type { Answering } from './find-values.ts';
import type { OpenedModel } from './open-model.ts';
import type { PropertySearch } from './open-properties.ts';

/** A session's model, which grows with the members that questions name. */
interface GrowingModel {
  readonly current: () => Model;
  /** See `Session.refreshModel`. `session`: looks up the names of events. */
  refresh(session: Answering, names: readonly string[], signal?: AbortSignal): Promise<boolean>;
  /** See `Session.noticeChanges`. */
  noticeChanges(session: Answering, signal?: AbortSignal): Promise<void>;
}

interface GrowingModelParts extends Pick<OpenedModel, 'again'> {
  /** The model at the start. */
  readonly first: Model;
  /** Whether the events are local, so that they can be searched for properties. */
  readonly isLocal: boolean;
  readonly opened: () => Promise<Backend>;
}

export function openGrowingModel({ first, again, isLocal, opened }: GrowingModelParts): GrowingModel {
  let model = first;
  let properties: PropertySearch | undefined;
  /** Adds the names of columns that presets map, once they were looked up. */
  let withColumns: ((model: Model) => Model) | undefined;
  let hasNamedEvents = false;
  /** The state of the data that the properties were found in. */
  let changesSeen = 0;
  let hasSampled = false;
  const changesOf = async (engine: Backend) => (engine.reach === 'local' && (await engine.changes?.())) || 0;

  /** Adds properties, and the names of mapped columns. True if there are new ones. */
  const findMembers = async (names: readonly string[]): Promise<boolean> => {
    // Loads lazily, because only questions about properties need its SQL.
    const { openProperties } = await import('./open-properties.ts');
    const engine = await opened();
    if (!properties) changesSeen = await changesOf(engine);
    properties ??= openProperties(first);
    hasSampled ||= names.includes(allProperties);
    const known = await properties(engine, names);
    if (known) model = (withColumns ?? same)({ ...known, eventNames: model.eventNames });
    const filled = withColumns || engine.reach !== 'local' ? [] : ((await engine.columns?.()) ?? []);
    if (filled.length > 0) {
      const { withFileColumns } = await import('./with-file-columns.ts');
      withColumns = (own) => withFileColumns(own, filled);
      model = withColumns(model);
    }
    return known !== undefined || filled.length > 0;
  };

  const refresh: GrowingModel['refresh'] = async (session, names, signal) => {
    const asked = await again?.(signal);
    if (asked) model = asked;
    if (asked) return true;
    if (!isLocal) return false;
    const asksMembers = names.some((name) => name === allProperties || isPropertyName(name));
    const isNew = asksMembers && (await findMembers(names));
    // The name of a property that no event has may be that of an event.
    const asksEvents = names.includes(namesOfEvents) || (!isNew && names.some(isPropertyName));
    if (hasNamedEvents || !asksEvents) return isNew;
    hasNamedEvents = true;
    const eventNames = await findEventNames(session, signal);
    if (eventNames.length > 0) model = { ...model, eventNames };
    return isNew || eventNames.length > 0;
  };

  return {
    current: () => model,
    refresh,
    async noticeChanges(session, signal) {
      if (!properties) return;
      const changes = await changesOf(await opened());
      if (changes === changesSeen) return;
      properties = undefined;
      withColumns = undefined;
      hasNamedEvents = false;
      model = first;
      if (hasSampled) await refresh(session, [allProperties], signal);
    },
  };
}

const same = (model: Model) => model;

/** Dimensions whose values people call events. */
const eventNameMembers = ['eventType', 'customEventName'] as const;

async function findEventNames(
  session: Answering,
  signal: AbortSignal | undefined,
): Promise<NonNullable<Model['eventNames']>> {
  const { findValues } = await import('./find-values.ts');
  const named = eventNameMembers.map(async (member) => {
    const values = await findValues(session, `${defaultCube}.${member}`, { signal }).catch(() => []);
    return values.map((name) => ({ member, name }));
  });
  return (await Promise.all(named)).flat();
}
