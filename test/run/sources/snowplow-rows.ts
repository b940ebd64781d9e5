import { snowplowColumns } from '../../../src/run/duckdb/reading/layouts/snowplow-columns.ts';

/** A row of enriched events without a header. `columns`: for a release with fewer columns. */
export function writeSnowplowRow(
  values: Readonly<Record<string, string>>,
  columns: readonly string[] = snowplowColumns,
): string {
  return columns.map((column) => values[column] ?? '').join('\t');
}

export interface Entity {
  /** `vendor/name`. */
  readonly schema: string;
  readonly version?: string;
  readonly data: unknown;
}

const named = ({ schema, version = '1-0-0', data }: Entity) => ({
  schema: `iglu:${schema}/jsonschema/${version}`,
  data,
});

/** `contexts` and `derived_contexts` as the enrichment writes them. */
export function envelopeOf(entities: readonly Entity[]): unknown {
  return { schema: 'iglu:com.snowplowanalytics.snowplow/contexts/jsonschema/1-0-0', data: entities.map(named) };
}

/** `unstruct_event` as the enrichment writes it. */
export function eventEnvelopeOf(event: Entity): unknown {
  return { schema: 'iglu:com.snowplowanalytics.snowplow/unstruct_event/jsonschema/1-0-0', data: named(event) };
}

/** The field name that the analytics SDKs use: `contexts_com_gitlab_user_context_1`. */
export function ownField(front: 'contexts' | 'unstruct_event', { schema, version = '1-0-0' }: Entity): string {
  return `${front}_${schema.replaceAll(/[./]/g, '_')}_${version.split('-', 1)[0]!}`;
}
