import { parseExactly } from '../../../ask/document/parse-exactly.ts';
import { ConfigError } from '../../../ask/sluice-error.ts';
import { quote } from '../../../ask/text.ts';
import type { Engine } from '../engine/engine.ts';

/** An expression over the columns of one row only. */
interface RowExpression {
  /** SQL with each column renamed by `nameOf`. */
  readonly sql: string;
  /** The columns in the expression, as written. */
  readonly columns: readonly string[];
}

type Node = { [key: string]: unknown };

/**
 * Parses an expression with DuckDB's parser and renames its columns. Errors: `mapping-sql-invalid` if it cannot be
 * parsed; `mapping-sql-not-allowed` for queries, tables, aggregates, windows, parameters, and functions that are
 * unknown or not deterministic.
 */
export async function readRowExpression(
  engine: Engine,
  sql: string,
  nameOf: (column: string) => string,
): Promise<RowExpression> {
  // DuckDB reports a statement that it cannot parse as a value, not as an error.
  const [row] = await engine.rows('SELECT json_serialize_sql($1::VARCHAR)', [`SELECT ${sql}`]);
  const parsed = parseExactly(String(row?.[0])) as Node;
  if (parsed['error'] === true) throw invalid(sql, String(parsed['error_message']));
  const expression = onlyExpression(parsed);
  if (!expression) throw notAllowed(sql, 'It is not a single expression over the columns of a row.');
  const columns = new Set<string>();
  const functions = new Set<string>();
  const fault = walk(expression, new Set(), { columns, functions, nameOf });
  if (fault !== undefined) throw notAllowed(sql, fault);
  const unfit = await unfitFunction(engine, [...functions]);
  if (unfit !== undefined) throw notAllowed(sql, unfit);
  expression['alias'] = '';
  const [written] = await engine.rows('SELECT json_deserialize_sql($1::JSON)', [JSON.stringify(parsed)]);
  return { sql: String(written?.[0]).replace(/^SELECT /, ''), columns: [...columns] };
}

/** The only expression of a bare SELECT; undefined if there is anything else. */
function onlyExpression({ statements }: Node): Node | undefined {
  const [statement, ...more] = statements as readonly { readonly node: Node }[];
  if (!statement || more.length > 0) return undefined;
  const { type, modifiers, cte_map, select_list, from_table, group_expressions, ...rest } = statement.node;
  const isBare =
    type === 'SELECT_NODE' &&
    isEmpty(modifiers) &&
    isEmpty((cte_map as Node)['map']) &&
    isEmpty(group_expressions) &&
    isEmpty(rest['group_sets']) &&
    (from_table as Node)['type'] === 'EMPTY' &&
    ['where_clause', 'having', 'sample', 'qualify'].every((part) => rest[part] === null);
  const [expression, ...others] = select_list as readonly Node[];
  return isBare && others.length === 0 ? expression : undefined;
}

function isEmpty(list: unknown): boolean {
  return Array.isArray(list) && list.length === 0;
}

/** DuckDB's expression classes that depend on one row only. */
const allowed = new Set([
  'BETWEEN',
  'CASE',
  'CAST',
  'COLLATE',
  'COLUMN_REF',
  'COMPARISON',
  'CONJUNCTION',
  'CONSTANT',
  'FUNCTION',
  'LAMBDA',
  'OPERATOR',
]);

interface Found {
  readonly columns: Set<string>;
  readonly functions: Set<string>;
  readonly nameOf: (column: string) => string;
}

/**
 * Renames columns and returns a sentence on anything that is not allowed. `bound`: parameters of the enclosing lambdas.
 */
function walk(value: unknown, bound: ReadonlySet<string>, found: Found): string | undefined {
  if (Array.isArray(value)) {
    for (const one of value) {
      const fault = walk(one, bound, found);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }
  if (value === null || typeof value !== 'object') return undefined;
  const node = value as Node;
  const kind = node['class'];
  if (kind !== undefined && !allowed.has(String(kind)))
    return `It holds a ${String(kind).toLowerCase().replaceAll('_', ' ')}.`;
  if (kind === 'CONSTANT') return undefined;
  if (kind === 'LAMBDA') return walk(node['expr'], new Set([...bound, ...parametersOf(node['lhs'])]), found);
  if (kind === 'COLUMN_REF') {
    const [column, ...fields] = node['column_names'] as readonly string[];
    if (bound.has(column!.toLowerCase())) return undefined;
    found.columns.add(column!);
    node['column_names'] = [found.nameOf(column!), ...fields];
    return undefined;
  }
  if (kind === 'FUNCTION') {
    if (node['filter'] !== null || node['distinct'] === true) return 'It contains an aggregate.';
    if (node['schema'] !== '' || node['catalog'] !== '') return 'It uses a function of another schema.';
    if (node['is_operator'] !== true) found.functions.add(String(node['function_name']).toLowerCase());
  }
  return walk(Object.values(node), bound, found);
}

function parametersOf(lhs: unknown): readonly string[] {
  if (Array.isArray(lhs)) return lhs.flatMap(parametersOf);
  if (lhs === null || typeof lhs !== 'object') return [];
  const node = lhs as Node;
  return node['class'] === 'COLUMN_REF'
    ? (node['column_names'] as readonly string[]).map((name) => name.toLowerCase())
    : Object.values(node).flatMap(parametersOf);
}

/** Settings and variables count as constants, but do not depend on the row. */
const ofTheEngine = new Set(['current_setting', 'getvariable', 'getenv', 'version', 'error', 'write_log', 'sleep_ms']);

/** Common functions that depend on the row only. Querying the engine's list takes longer than a small question. */
export const usualFunctions: readonly string[] = [
  ...['abs', 'ceil', 'concat', 'concat_ws', 'contains', 'date_part', 'date_trunc', 'epoch_ms', 'floor'],
  ...['format', 'greatest', 'json_extract', 'json_extract_string', 'least', 'left', 'len', 'length', 'list_extract'],
  ...[
    'lower',
    'lpad',
    'ltrim',
    'make_timestamp',
    'md5',
    'nullif',
    'regexp_extract',
    'regexp_full_match',
    'regexp_matches',
  ],
  ...[
    'regexp_replace',
    'replace',
    'reverse',
    'right',
    'round',
    'rpad',
    'rtrim',
    'split_part',
    'starts_with',
    'strftime',
  ],
  ...[
    'string_split',
    'strptime',
    'substr',
    'substring',
    'suffix',
    'to_timestamp',
    'trim',
    'try_strptime',
    'upper',
    'url_decode',
  ],
];

const usual = new Set(usualFunctions);

/** A sentence on the first function that depends on more than the row. */
async function unfitFunction(engine: Engine, names: readonly string[]): Promise<string | undefined> {
  const setting = names.find((name) => ofTheEngine.has(name));
  if (setting !== undefined) return `The function ${setting} is not a scalar function.`;
  return unfitByEngine(
    engine,
    names.filter((name) => !usual.has(name)),
  );
}

interface KnownFunction {
  readonly type: unknown;
  readonly stability: unknown;
  readonly definition: unknown;
}

/** The engine's functions by lower-case name. All engines of this process have the same. */
let known: Promise<ReadonlyMap<string, readonly KnownFunction[]>> | undefined;

async function findFunctions(engine: Engine): Promise<ReadonlyMap<string, readonly KnownFunction[]>> {
  // Listing all functions takes as long as looking up one.
  const rows = await engine.rows(
    'SELECT lower(function_name), function_type, stability, macro_definition FROM duckdb_functions()',
  );
  const functions = rows.map(([name, type, stability, definition]) => ({
    name: String(name),
    type,
    stability,
    definition,
  }));
  return Map.groupBy(functions, ({ name }) => name);
}

/** As `unfitFunction`, checked against the engine's list. */
export async function unfitByEngine(engine: Engine, names: readonly string[]): Promise<string | undefined> {
  if (names.length === 0) return undefined;
  known ??= findFunctions(engine).catch((error: unknown) => {
    known = undefined;
    throw error;
  });
  const functions = await known;
  for (const name of names) {
    const rows = functions.get(name) ?? [];
    if (rows.length === 0) return `There is no function ${name}.`;
    const isFit = rows.some(
      ({ type, stability, definition }) =>
        (type === 'scalar' && stability === 'CONSISTENT') ||
        (type === 'macro' && !/\b(?:select|current_\w+|getvariable|now)\b/i.test(String(definition))),
    );
    const isAggregate = rows.some(({ type }) => type === 'aggregate');
    if (!isFit || (isAggregate && !rows.some(({ type }) => type === 'scalar' || type === 'macro')))
      return isAggregate
        ? `The function ${name} reads several rows.`
        : `The function ${name} is not deterministic, or reads data outside the row.`;
  }
  return undefined;
}

function invalid(sql: string, why: string): ConfigError {
  return new ConfigError(`The expression ${quote(sql)} of a mapping cannot be read: ${why}.`, {
    code: 'mapping-sql-invalid',
    hint: "Write an expression over the file's columns in DuckDB's SQL, such as: lower(page)",
  });
}

function notAllowed(sql: string, why: string): ConfigError {
  return new ConfigError(`The expression ${quote(sql)} of a mapping is not allowed. ${why}`, {
    code: 'mapping-sql-not-allowed',
    hint:
      'Use only columns of the row. ' +
      'Queries, tables, files, aggregates, the current time and random values are not allowed.',
  });
}
