import {
  type CubeDefinition,
  type DimensionDefinition,
  type MeasureDefinition,
  column,
  defineCube,
} from '../model/define-cube.ts';
import type { syncedNames } from '../model/catalog.ts';
import type { Cube } from '../model/model.ts';

/** The type of a stored column. Times are UTC. Days are stored as the times at which they begin in UTC. */
type StoredType = 'text' | 'number' | 'boolean' | 'time' | 'day';

/** A stored column: its path in a record and its description. Only declared columns are stored. */
export interface StoredColumn {
  /** Path in the record; `:name` is a value of the parent. In a list, the first path with a value counts. */
  readonly from: string | readonly string[];
  /** Defaults to `text`. */
  readonly type?: StoredType;
  /** Description, which makes the column a dimension. Without one, only measures use the column. */
  readonly about?: string;
  /** Stores only the host of a URL, because the rest may contain a secret. */
  readonly hostOnly?: boolean;
}

/** How a list is fetched. */
type Walk =
  /** Fetches all records each time. Missing records are marked as deleted. */
  | { readonly kind: 'whole' }
  /** Fetches all records that the server still has. Missing records expired but were not deleted. */
  | { readonly kind: 'recent' }
  /** Adds a row for each value that the columns have had, with the time when it was first seen. */
  | { readonly kind: 'changes'; readonly of: readonly string[] }
  /** Fetches window by window, with these parameters of the operation. `days`: bounds are days outside the window. */
  | {
      readonly kind: 'windows';
      readonly from: string;
      readonly to: string;
      readonly days?: boolean;
      /**
       * Records may appear long after their time, such as late pushed commits, so all windows are refetched regularly.
       */
      readonly late?: boolean;
      /** Records missing from a window are deleted. */
      readonly deletes: boolean;
    };

/** The owner of a list. */
export type Scope = 'project' | 'group' | 'instance';

/** Rows that become dated marks. */
export interface SyncedMarks {
  /** Columns of the date and of the title's parts. */
  readonly date: string;
  readonly title: readonly string[];
  readonly kind: string;
  /** A column that must have a value. */
  readonly with?: string;
  /** True if the date is a day. */
  readonly isDay?: boolean;
  /** Skips the first row of each value of this column, which only records the initial state. */
  readonly notFirstOf?: string;
}

/** A cube of records that are fetched from the platform, as `sluice sync` and the model use it. */
export interface SyncedCube {
  readonly name: (typeof syncedNames)[number];
  /** Name of its folder. */
  readonly folder: string;
  readonly about: string;
  readonly scope: Scope;
  /** Resource and operation of the catalogue. */
  readonly operation: readonly [resource: string, operation: string];
  /** The parameter for the project or group; defaults to `id`. */
  readonly scopeParameter?: string;
  readonly parameters?: Readonly<Record<string, unknown>>;
  /**
   * Fetches one list for each item of another list: its operation, and the parameter that takes a field of the item.
   */
  readonly each?: {
    readonly operation: readonly [resource: string, operation: string];
    readonly parameter: string;
    readonly field: string;
  };
  /** Fetches one list for each number from the caller. The parameter is also a value of the parent. */
  readonly given?: string;
  /** A sentence about data that is never synced, for answers. */
  readonly without?: string;
  /** Columns that identify rows within their scope. */
  readonly key: readonly string[];
  /** The column of the time dimension, also the cursor of windows. */
  readonly time: string;
  readonly walk: Walk;
  readonly columns: Readonly<Record<string, StoredColumn>>;
  readonly measures: Readonly<Record<string, MeasureDefinition>>;
  readonly dimensions?: Readonly<Record<string, DimensionDefinition>>;
  /** Marks on charts, by their names in reports. */
  readonly marks?: Readonly<Record<string, SyncedMarks>>;
  /** SQL that derives its rows; `rows` stands for the stored ones. */
  readonly sql?: string;
}

/** Columns of every row. */
export const ownColumns: Readonly<Record<string, StoredType>> = {
  scope: 'text',
  first_seen: 'time',
  deleted_at: 'time',
};

const duckTypes: Readonly<Record<StoredType, string>> = {
  text: 'VARCHAR',
  number: 'DOUBLE',
  boolean: 'BOOLEAN',
  time: 'TIMESTAMP',
  day: 'TIMESTAMP',
};

const dimensionTypes = { text: 'string', number: 'number', boolean: 'boolean', time: 'time', day: 'time' } as const;

/** `due_date` becomes `dueDate`. */
function memberOf(column: string): string {
  return column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Days are dates, which are days of the time zone of the question. */
function sqlOf(column: string, type: StoredType): string {
  return type === 'day' ? `CAST({CUBE}.${column} AS DATE)` : `{CUBE}.${column}`;
}

/** The cube over its files. `pattern`: their paths, quoted for DuckDB. */
export function toSyncedCube(cube: SyncedCube, pattern: string): Cube {
  const types = Object.entries({
    ...Object.fromEntries(Object.entries(cube.columns).map(([name, { type = 'text' }]) => [name, type])),
    ...ownColumns,
  });
  const columns = types.map(([name, type]) => `${name}: '${duckTypes[type]}'`).join(', ');
  const files = `read_json(${pattern}, format = 'newline_delimited', hive_partitioning = false, columns = {${columns}})`;
  const text = cube.sql === undefined ? `SELECT * FROM ${files}` : `WITH rows AS (SELECT * FROM ${files}) ${cube.sql}`;
  const dimensions = Object.entries(cube.columns).flatMap(([name, { type = 'text', about }]) =>
    about === undefined
      ? []
      : [[memberOf(name), { description: about, type: dimensionTypes[type], sql: sqlOf(name, type) }] as const],
  );
  const definition: CubeDefinition = {
    name: cube.name,
    description: cube.about,
    source: { kind: 'sql', sql: [{ kind: 'text', text }] },
    timeMember: memberOf(cube.time),
    measures: cube.measures,
    dimensions: {
      ...Object.fromEntries(dimensions),
      scope: { label: scopeLabels[cube.scope], description: 'Where it was synced from.', sql: '{CUBE}.scope' },
      ...(cube.walk.kind === 'whole' || (cube.walk.kind === 'windows' && cube.walk.deletes)
        ? {
            deletedAt: column('Deleted', 'When a sync first found it missing.', 'deleted_at', 'time'),
          }
        : {}),
      ...cube.dimensions,
    },
    segments: {},
  };
  return { ...defineCube(definition), synced: true };
}

const scopeLabels: Readonly<Record<Scope, string>> = { project: 'Project', group: 'Group', instance: 'Instance' };
