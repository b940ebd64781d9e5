import { z } from 'zod';
import { errorIssue } from '../../../ask/outcome.ts';
import { readValue } from '../../../ask/document/read-value.ts';
import { didYouMean } from '../../../ask/suggest.ts';
import type { Catalog } from '../catalog.ts';
import { eventFields, spellingsOf } from '../event-fields.ts';
import { withoutBraces } from '../identifier.ts';
import type { Cube, EventsCube } from '../model.ts';
import type { WrittenCube } from './read-file.ts';
import { below, type Findings, report, reportError, type Site, type Sited } from './site.ts';

/** Short names of the most important fields. Every other field uses one of its names in event files. */
const shortNames: Readonly<Record<string, string>> = {
  time: 'utc_time',
  user: 'user_id',
  anonymous: 'user_anonymous_id',
  session: 'session_id',
  type: 'event_type',
  page: 'doc_path',
  host: 'doc_host',
  title: 'page_title',
  referrer: 'referer',
  project: 'project_id',
  id: 'event_id',
};

const pageViewKey = 'pageView';
const propertiesKey = 'properties';

const columns: ReadonlyMap<string, string> = new Map([
  ...Object.entries(shortNames),
  ...eventFields.flatMap((field) =>
    spellingsOf(field)
      .filter((name) => !name.includes('.') && !(name in shortNames))
      .map((name) => [name, field.column] as const),
  ),
]);

const text = z.string();
// Hints list the first keys.
const eventsSchema = z.strictObject({
  time: text,
  [propertiesKey]: z.record(text.min(1), text).optional(),
  [pageViewKey]: z.union([text, z.array(text).min(1)]).optional(),
  ...Object.fromEntries([...columns.keys()].filter((name) => name !== 'time').map((name) => [name, text.optional()])),
});

/**
 * The cube of events and the meaning of its members: `meta: {sluice: {events: {time: created_at, user: …}}}`, or
 * `sluice:` on the cube itself. Members of this cube have short names, members of joined cubes full names.
 */
export function readEventsCube(
  cubes: readonly Sited<WrittenCube>[],
  catalog: Catalog,
  findings: Findings,
): EventsCube | undefined {
  const found = cubes.flatMap(({ value, site }) => {
    const own = at(value.sluice, 'events');
    const meta = at(at(value.meta, 'sluice'), 'events');
    if (own !== undefined) return [{ name: value.name, written: own, site: below(site, 'sluice', 'events') }];
    if (meta !== undefined) return [{ name: value.name, written: meta, site: below(site, 'meta', 'sluice', 'events') }];
    return [];
  });
  const [first, ...others] = found;
  for (const { name, site } of others) {
    const message = `The events are already in "${first?.name}", so they cannot also be in "${name}".`;
    reportError(
      findings,
      site,
      'two-events-cubes',
      message,
      'Keep one of the two, or combine both in a cube with UNION ALL.',
    );
  }
  const cube = first && catalog.cube(first.name);
  return first && cube && readMapping(first.written, cube, first.site, catalog, findings);
}

function readMapping(
  written: unknown,
  cube: Cube,
  site: Site,
  catalog: Catalog,
  findings: Findings,
): EventsCube | undefined {
  const outcome = readValue(written, eventsSchema);
  if (!outcome.ok) {
    report(
      findings,
      site,
      outcome.issues.map((issue) => ({
        ...issue,
        path: [...site.path, ...issue.path],
        span: site.locate([...site.path, ...issue.path]),
      })),
    );
    return undefined;
  }
  const memberOf = (value: string, there: Site) => {
    const name = withoutBraces(value).replace(/^(CUBE|TABLE)\./, `${cube.name}.`);
    const member = name.includes('.') ? name : `${cube.name}.${name}`;
    const entry = catalog.find(member);
    if (entry?.kind === 'dimension') return { member, type: entry.member.type };
    const why = catalog.whyLeftOut(member);
    const hint = why ?? didYouMean(member, catalog.names('dimension')) ?? `Name a dimension of "${cube.name}".`;
    reportError(findings, there, 'unknown-member', `There is no dimension "${member}".`, hint);
    return undefined;
  };
  const members: { column: string; member: string }[] = [];
  for (const [key, value] of Object.entries(outcome.value)) {
    if (key === pageViewKey || typeof value !== 'string') continue;
    const column = columns.get(key) ?? key;
    const there = below(site, key);
    if (members.some((each) => each.column === column)) {
      findings.all.push({
        file: site.file,
        issue: errorIssue('duplicate-key', `"${key}" duplicates another key.`, {
          path: there.path,
          span: site.locate(there.path),
        }),
      });
      continue;
    }
    const found = memberOf(value, there);
    if (!found) continue;
    const { member, type } = found;
    if (column === 'utc_time' && type !== 'time')
      reportError(findings, there, 'not-a-time', `"${member}" is a ${type}, and events need a time.`);
    else members.push({ column, member });
  }
  const properties = new Map(
    Object.entries(outcome.value[propertiesKey] ?? {}).flatMap(([name, value]) => {
      const found = memberOf(value, below(site, propertiesKey, name));
      return found ? [[name, found.member] as const] : [];
    }),
  );
  const pageViews = outcome.value[pageViewKey];
  return { cube: cube.name, members, properties, pageViews: pageViews === undefined ? [] : [pageViews].flat() };
}

function at(value: unknown, key: string): unknown {
  return value !== null && typeof value === 'object' && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined;
}
