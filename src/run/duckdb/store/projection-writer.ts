import type { DuckDBValue } from '@duckdb/node-api';
import type { Engine } from '../engine/engine.ts';

/** What projections need of the writer of a store. */
export interface ProjectionWriter {
  readonly folder: string;
  readonly engine: Pick<Engine, 'nextNumber' | 'work'>;
  readonly signal: AbortSignal | undefined;
  /** The time zone in which people ask, beside UTC. */
  readonly zone: string | undefined;
  rows(text: string): Promise<readonly (readonly DuckDBValue[])[]>;
  freshName(ending: string): string;
}
