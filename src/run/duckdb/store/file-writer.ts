import type { DuckDBValue } from '@duckdb/node-api';
import type { Engine } from '../engine/engine.ts';

/** The part of a store writer that writes segments and projections. */
export interface FileWriter {
  readonly folder: string;
  readonly engine: Pick<Engine, 'folder' | 'nextNumber' | 'work'>;
  readonly signal: AbortSignal | undefined;
  /** The workspace's time zone. */
  readonly zone: string | undefined;
  rows(text: string): Promise<readonly (readonly DuckDBValue[])[]>;
  freshName(ending: string): string;
}
