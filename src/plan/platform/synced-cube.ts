import {
  type CubeDefinition,
  type DimensionDefinition,
  type MeasureDefinition,
  column,
  defineCube,
} from '../model/define-cube.ts';
import type { syncedNames } from '../model/catalog.ts';
import type { Cube } from '../model/model.ts';

/** The type of a stored column. Times are UTC. */
export type StoredType = 'text' | 'number' | 'boolean' | 'time';

/** A stored column: where it stands in a record, and what it is for people. Only what is named here is stored. */
export interface StoredColumn {
  /** Path in the record; `:name` is a value of the parent. Several: the first that has a value. */
  readonly from: string | readonly string[];
  /** Default: `text`. */
  readonly type?: StoredType;
  /** Description. It makes the column a dimension; without one it is for measures alone. */
  readonly about?: string;
  /** Only the host of an address is stored: the rest of it may be a secret. */
  readonly hostOnly?: boolean;
}

/** How a list is read. */
export type Walk =
  /** The whole of it each time; what is no longer in it is marked as deleted. */
  | { readonly kind: 'whole' }
  /** The whole of what the server still has: what is no longer in it has only passed. */
  | { readonly kind: 'recent' }
  /** A row for each value that the columns have had, with the time when it was first seen. */
  | { readonly kind: 'changes'; readonly of: readonly string[] }
  /** Window by window, by parameters of the operation. `days`: bounds are days, both outside of the window. */
  | {
      readonly kind: 'windows';
      readonly from: string;
      readonly to: string;
      readonly days?: boolean;
      /**
       * Records may appear long after their time, such as commits that are pushed late: all is read anew now and then.
       */
      readonly late?: boolean;
      /** What is no longer in a window is deleted. */
      readonly deletes: boolean;
    };

/** What a list belongs to. */
export type Scope = 'project' | 'group' | 'instance';

/** Rows as dated marks. */
export interface SyncedMarks {
  /** Columns of the date, and of the parts of the title. */
  readonly date: string;
  readonly title: readonly string[];
  readonly kind: string;
  /** A column that must have a value. */
  readonly with?: string;
  /** The date is a day. */
  readonly isDay?: boolean;
  /** The first row of each value of this column says what was so before. */
  readonly notFirstOf?: string;
}

/** A cube of records that are fetched from the platform: all that `sluice sync` and the model know of it. */
export interface SyncedCube {
  readonly name: (typeof syncedNames)[number];
  /** Of its folder. */
  readonly folder: string;
  readonly about: string;
  readonly scope: Scope;
  /** Resource and operation of the catalogue. */
  readonly operation: readonly [resource: string, operation: string];
  /** The parameter that takes the project or group. Default: `id`. */
  readonly scopeParameter?: string;
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** The list is one of each item of another list: its operation, and which parameter takes which field. */
  readonly each?: {
    readonly operation: readonly [resource: string, operation: string];
    readonly parameter: string;
    readonly field: string;
  };
  /** The list is one of each number that the caller names: the parameter, which is also a value of the parent. */
  readonly given?: string;
  /** A sentence on what is never synced, for answers. */
  readonly without?: string;
  /** Columns that tell rows apart, within their scope. */
  readonly key: readonly string[];
  /** The column of the time member, which is also the cursor of windows. */
  readonly time: string;
  readonly walk: Walk;
  readonly columns: Readonly<Record<string, StoredColumn>>;
  readonly measures: Readonly<Record<string, MeasureDefinition>>;
  readonly dimensions?: Readonly<Record<string, DimensionDefinition>>;
  /** Marks on charts, by the name that reports call them. */
  readonly marks?: Readonly<Record<string, SyncedMarks>>;
  /** Its rows as others; `rows` stands for the stored ones. */
  readonly sql?: string;
}

/** Columns that every row has. */
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
};

const dimensionTypes = { text: 'string', number: 'number', boolean: 'boolean', time: 'time' } as const;

/** `due_date` as `dueDate`. */
export function memberOf(column: string): string {
  return column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
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
      : [[memberOf(name), { description: about, type: dimensionTypes[type], sql: `{CUBE}.${name}` }] as const],
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
            deletedAt: column('Deleted', 'When a sync first missed it.', 'deleted_at', 'time'),
          }
        : {}),
      ...cube.dimensions,
    },
    segments: {},
  };
  return { ...defineCube(definition), synced: true };
}

const scopeLabels: Readonly<Record<Scope, string>> = { project: 'Project', group: 'Group', instance: 'Instance' };
