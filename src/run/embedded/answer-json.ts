import type { Column } from '../../plan/column.ts';
import type { Plan } from '../../plan/plan.ts';
import type { JsonAnswer, JsonChunk, JsonOptions, JsonRow } from '../backend.ts';
import { askBeside, steadily, toFacts, type Beside, type Question, type Session } from './answer.ts';
import { jsonExpression } from './json-expression.ts';
import { runJsonStatement } from './run-json-statement.ts';
import type { BoundStatement } from './run-statement.ts';
import { spoolJsonStatement } from './spool-json-statement.ts';
import { quoteText } from './sql-text.ts';

/** So many rows come as one text. */
const rowsAtOnce = 500;

/** Answers a question with rows as JSON text; undefined where a column's values only read right one by one. Errors: as `answer`. */
export async function answerJson(session: Session, question: Question, plan: Plan, row: JsonRow, { signal, sparing = false }: JsonOptions = {}): Promise<JsonAnswer | undefined> {
  const values = await jsonValues(session, question.statement, plan);
  if (!values) return undefined;
  const beside = askBeside(session, question, signal);
  const spooled = sparing && question.statement.counters === 0;
  const statement = (spooled ? lineStatement : jsonStatement)(question.statement, values, row);
  const running = await steadily(session, statement, spooled ? spoolJsonStatement : runJsonStatement, signal);
  if (question.reach === 'all') session.events?.markTextRead();
  let known: Beside | undefined;

  async function* chunks(): AsyncGenerator<JsonChunk, void, undefined> {
    yield* running.chunks;
    known = await beside();
  }

  return { chunks: chunks(), facts: () => toFacts(session, question, running.counters, known) };
}

/** SQL for the JSON of each column; undefined also where the statement cannot be prepared: to run it tells why. */
async function jsonValues({ engine }: Session, { text, columns, zone }: BoundStatement, plan: Plan): Promise<readonly string[] | undefined> {
  const types = await engine.work(async (connection) => {
    const prepared = await connection.prepare(text);
    try {
      return columns.map((_, index) => prepared.columnType(index));
    } finally {
      prepared.destroySync();
    }
  }).catch(() => undefined);
  const values = types?.map((type, index) => jsonExpression(type, plan.columns[index] as Column, zone, `c${index}`));
  return values?.every((value) => value !== undefined) ? values : undefined;
}

/** The statement's rows in their order, each as one text. It counts nothing. */
function lineStatement(statement: BoundStatement, values: readonly string[], row: JsonRow): BoundStatement {
  const names = statement.columns.map((_, index) => `c${index}`).join(', ');
  return { ...statement, columns: [], text: `SELECT ${rowText(values, row)} FROM (${statement.text}\n) AS answer(${names})` };
}

function rowText(values: readonly string[], row: JsonRow): string {
  return `concat(${row.map((part) => (typeof part === 'string' ? quoteText(part) : `${values[part]}`)).join(', ')})`;
}

/** The same, so many of them in a row. */
function jsonStatement(statement: BoundStatement, values: readonly string[], row: JsonRow): BoundStatement {
  const { columns, counters } = statement;
  const counterNames = Array.from({ length: counters }, (_, index) => `u${index}`);
  const names = [...columns.map((_, index) => `c${index}`), ...counterNames].join(', ');
  const sums = counterNames.map((name) => `, sum(${name})`).join('');
  return {
    ...statement,
    columns: [],
    text: `SELECT encode(string_agg(json, ',' ORDER BY position)), count(*)${sums}
FROM (SELECT row_number() OVER () AS position, ${[`${rowText(values, row)} AS json`, ...counterNames].join(', ')}
FROM (${statement.text}
) AS answer(${names}))
GROUP BY (position - 1) // ${rowsAtOnce}
ORDER BY (position - 1) // ${rowsAtOnce}`,
  };
}
