import { readNotation } from '../../src/ask/notation/read-notation.ts';
import { bad, errorIssue, good } from '../../src/ask/outcome.ts';
import { readSavedQuery } from '../../src/ask/query/read-saved-query.ts';
import { bind } from '../../src/plan/bind/bind.ts';
import { builtInModel } from '../../src/plan/model/built-in-model.ts';
import { evaluateReport } from '../../src/tell/evaluate/evaluate-report.ts';
import { readNotebook } from '../../src/tell/notebook/read-notebook.ts';
import type { CellQuestion, NotebookPorts, NotebookSurroundings } from '../../src/tell/ports.ts';
import { prepareReport } from '../../src/tell/prepare/prepare-report.ts';
import type { Report } from '../../src/tell/report/report.ts';

/** Noon of Friday, 8 March 2024, UTC. */
export const now = Date.parse('2024-03-08T12:00:00Z');

const saved: Readonly<Record<string, string>> = {
  'top-pages':
    'query: {measures: [TrackedEvents.count], dimensions: [TrackedEvents.docPath], timeDimensions: [{dimension: TrackedEvents.utcTime, dateRange: last 30 days}], limit: 10}\n',
  broken: 'query: {mesures: []}\n',
};

/** A workspace of the built-in model with a saved query and a funnel of three steps. */
export const surroundings: NotebookSurroundings = {
  time: { now, zone: 'UTC' },
  savedQuery: (name) => Promise.resolve(Object.hasOwn(saved, name) ? readSavedQuery(saved[name] ?? '') : undefined),
  savedQueryNames: () => Promise.resolve(Object.keys(saved)),
  readLine: async (line) => {
    const read = readNotation(line);
    return read.ok ? { ...good({ query: read.value }), locate: read.locate } : bad(read.issues);
  },
  bind: async (query) => bind(query, builtInModel, { now, zone: 'UTC', limits: 'local' }),
  bindFunnel: ({ name, trend }) =>
    Promise.resolve(
      name === 'buy'
        ? good({ name, steps: ['see', 'cart', 'pay'], grouped: trend !== undefined })
        : bad([errorIssue('unknown-funnel', `There is no funnel "${name}".`)]),
    ),
  usageGroups: () => ['acme'],
  usageFigures: ['total'],
};

export async function prepare(text: string, given: Readonly<Record<string, string>> = {}) {
  const read = readNotebook(text, { file: 'r.md' });
  return read.ok ? prepareReport(read, surroundings, { given: new Map(Object.entries(given)), name: 'r' }) : read;
}

/** Issues of a notebook as `line:column code`. */
export async function issuesOf(text: string, given: Readonly<Record<string, string>> = {}): Promise<readonly string[]> {
  return (await prepare(text, given)).issues.map(
    ({ code, span }) => `${span ? `${span.line}:${span.column} ` : ''}${code}`,
  );
}

/** Answers a notebook with custom ports, and lists queries in the order in which they are asked. */
export async function answer(
  text: string,
  ports: Partial<NotebookPorts>,
  options: { readonly signal?: AbortSignal; readonly concurrency?: number } = {},
): Promise<{ readonly report: Report; readonly asked: readonly CellQuestion[] }> {
  const prepared = await prepare(text);
  if (!prepared.ok) throw new Error(JSON.stringify(prepared.issues));
  const asked: CellQuestion[] = [];
  const query: NotebookPorts['query'] = (question, signal) => {
    asked.push(question);
    return (ports.query ?? (() => Promise.reject(new Error('nobody answers'))))(question, signal);
  };
  const report = await evaluateReport(
    prepared.value,
    { funnel: () => Promise.reject(new Error('nobody answers')), ...ports, query },
    { name: 'r', ...options },
  );
  return { report, asked };
}
