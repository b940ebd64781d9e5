import { z } from 'zod';
import { readValue } from '../../../ask/document/read-value.ts';
import { isGranularity } from '../../../ask/time/granularity.ts';
import { granularityTitle, readGridRule } from '../granularity-definition.ts';
import { identifier } from '../identifier.ts';
import type { DimensionType, GranularityDefinition } from '../model.ts';
import { type ReadContext, readSql } from './read-context.ts';
import type { WrittenDimension } from './read-file.ts';
import { below, leaveOut, partKey, type Site } from './site.ts';

const text = z.union([z.string(), z.number()]).transform(String);

const schema = z.strictObject({
  name: z
    .string()
    .regex(identifier, { error: ({ input }) => `"${String(input)}" cannot be the name of a granularity.` }),
  title: text.nullish(),
  description: text.nullish(),
  meta: z.unknown().optional(),
  interval: z.string().nullish(),
  origin: text.nullish(),
  offset: z.string().nullish(),
  sql: z.string().nullish(),
});

/** Additional granularities of a time dimension. Invalid ones are left out. */
export function readGranularities(
  written: WrittenDimension,
  type: DimensionType,
  at: Site,
  context: ReadContext,
): readonly GranularityDefinition[] {
  const list = below(at, 'granularities');
  const owner = partKey(context.cube.name, written.name);
  const leave = (site: Site, name: string | undefined, reason: string) =>
    leaveOut(
      context.findings,
      site,
      `${owner}.${name ?? '*'}`,
      name === undefined ? `A granularity of "${written.name}"` : `The granularity "${name}" of "${written.name}"`,
      reason,
    );
  const found: GranularityDefinition[] = [];
  for (const [index, each] of [written.granularities].flat().entries()) {
    const site = Array.isArray(written.granularities) ? below(list, index) : list;
    const name = (each as { readonly name?: unknown } | null)?.name;
    const read = readOne(each, site, written.name, context);
    if (read === undefined) continue;
    const reason =
      typeof read === 'string'
        ? read
        : type !== 'time'
          ? 'Only times have granularities.'
          : found.some((other) => other.name === read.name)
            ? `"${written.name}" has two granularities of this name.`
            : undefined;
    if (typeof read !== 'string' && reason === undefined) found.push(read);
    else leave(site, typeof name === 'string' ? name : undefined, reason ?? '');
  }
  return found;
}

/** Returns a sentence if it is invalid, and undefined if it equals a standard granularity. */
function readOne(
  each: unknown,
  site: Site,
  member: string,
  context: ReadContext,
): GranularityDefinition | string | undefined {
  const outcome = readValue(each, schema);
  if (!outcome.ok) return outcome.issues[0]?.message ?? 'It is not valid.';
  const { name, title, interval, origin, offset, sql } = outcome.value;
  const names = { name, title: granularityTitle(name, title) };
  if (sql != null) {
    if (interval != null || origin != null || offset != null) return 'It has both `sql` and an interval.';
    const about = { member, mayHoldMeasures: false, role: `the granularity "${name}" of the dimension "${member}"` };
    return { ...names, sql: readSql(sql, below(site, 'sql'), about, context) };
  }
  if (isGranularity(name) && interval === `1 ${name}` && origin == null && offset == null) return undefined;
  if (isGranularity(name)) return 'It is the name of a standard granularity, which only `sql` can replace.';
  if (interval == null) return 'It needs an `interval`.';
  const grid = { interval, ...(origin != null && { origin }), ...(offset != null && { offset }) };
  const rule = readGridRule(grid);
  return typeof rule === 'string' ? rule : { ...names, rule, written: grid };
}
