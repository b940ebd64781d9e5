/** The rows of an answer as they came: each column can be taken out, undefined where a row lacks it. */
export interface WireCells {
  readonly rowCount: number;
  /** The cells under a key; undefined where the answer has no such key at all. */
  cells(key: string): readonly unknown[] | undefined;
  /** Keys of the first row. */
  readonly keys: readonly string[];
}

/**
 * The `data` of an answer, in any of the three forms that servers give: rows as objects, `{members, dataset}` by row, and
 * `{members, columns}` by column. A text says what is wrong with it where it is none of them.
 */
export function toWireCells(data: unknown): WireCells | string {
  if (Array.isArray(data)) return cellsOfRows(data);
  if (!isObject(data) || !Array.isArray(data['members'])) return 'It holds no rows.';
  const members = data['members'].map(String);
  if (Array.isArray(data['columns'])) return cellsOfColumns(members, data['columns']);
  if (Array.isArray(data['dataset'])) return cellsOfDataset(members, data['dataset']);
  return 'It holds no rows.';
}

function cellsOfRows(rows: readonly unknown[]): WireCells | string {
  for (let row = 0; row < rows.length; row += 1) if (!isObject(rows[row])) return `Row ${row + 1} is no object.`;
  const objects = rows as readonly Readonly<Record<string, unknown>>[];
  const keys = Object.keys(objects[0] ?? {});
  return {
    rowCount: rows.length,
    keys,
    cells(key) {
      const cells: unknown[] = new Array(objects.length);
      for (let row = 0; row < objects.length; row += 1) cells[row] = (objects[row] as Readonly<Record<string, unknown>>)[key];
      return cells;
    },
  };
}

function cellsOfDataset(members: readonly string[], dataset: readonly unknown[]): WireCells | string {
  const wrong = dataset.findIndex((row) => !Array.isArray(row) || row.length !== members.length);
  if (wrong >= 0) return `Row ${wrong + 1} has not one cell for each of its ${members.length} members.`;
  return {
    rowCount: dataset.length,
    keys: members,
    cells(key) {
      const at = members.indexOf(key);
      return at < 0 ? undefined : (dataset as readonly (readonly unknown[])[]).map((row) => row[at]);
    },
  };
}

function cellsOfColumns(members: readonly string[], columns: readonly unknown[]): WireCells | string {
  const rowCount = Array.isArray(columns[0]) ? columns[0].length : 0;
  const even = columns.length === members.length && columns.every((column) => Array.isArray(column) && column.length === rowCount);
  if (!even) return 'Its columns are not one for each of its members, and all of one length.';
  return { rowCount, keys: members, cells: (key) => (members.includes(key) ? (columns[members.indexOf(key)] as readonly unknown[]) : undefined) };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
