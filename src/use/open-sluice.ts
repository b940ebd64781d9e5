import {
  type AnalysisCell,
  type CellUsersOptions,
  answerAnalysis,
  cohortsOf,
  listUsersOf,
} from './library/analyses.ts';
import {
  answerBody,
  askQuery,
  explainAsked,
  parseLine,
  answerFunnel,
  validateAsked,
  writeAnswer,
} from './library/ask.ts';
import { definitionsOf, modelOf, savedOf } from './library/definitions.ts';
import { drillInto } from './library/drill.ts';
import { exportTo, planTo, verifyAt } from './library/exports.ts';
import { type Opened, openLibrary } from './library/open-library.ts';
import type { Asked, AskOptions, OpenOptions, RowOptions } from './library/options.ts';
import { platformOf, syncLists } from './library/platform.ts';
import { reportOf, reportsOf } from './library/reports.ts';
import { serveWorkspace } from './library/serve.ts';
import { clickHouseOf } from './library/clickhouse.ts';
import { ingestFiles, storeOf } from './library/store.ts';
import { streamRows } from './library/stream.ts';
import { countUsage } from './library/usage.ts';
import type { Sluice } from './sluice.ts';
import { checkOptions } from './workspace/check-options.ts';

/** The implementation of `open`, in a module that loads only when it is called. */
export async function openSluice(options: OpenOptions): Promise<Sluice> {
  checkOptions('open', options);
  return toSluice(await openLibrary(options));
}

/** Builds the `Sluice` object from an opened library. */
export function toSluice(opened: Opened): Sluice {
  const close = async () => opened[Symbol.asyncDispose]();
  return {
    get model() {
      return modelOf(opened);
    },
    query: (asked: Asked, options?: AskOptions & RowOptions) => askQuery(opened, asked, options) as never,
    stream: (asked: Asked, options?: AskOptions & RowOptions) => streamRows(opened, asked, options) as never,
    write: (asked, file, options) => writeAnswer(opened, asked, file, options),
    drill: (result, row, options) => drillInto(opened, result, row, options),
    explain: (asked, options) => explainAsked(opened, asked, options),
    parse: (line) => parseLine(opened, line),
    validate: (asked, options) => validateAsked(opened, asked, options),
    load: (body, options) => answerBody(opened, body, options),
    saved: savedOf(opened),
    funnels: definitionsOf(opened, 'funnel'),
    definitions: (analysis) => definitionsOf(opened, analysis),
    cohorts: cohortsOf(opened),
    funnel: (funnel, options) => answerFunnel(opened, funnel, options) as never,
    retention: (retention, options) => answerAnalysis(opened, 'retention', 'retention', retention, options),
    lifecycle: (lifecycle, options) => answerAnalysis(opened, 'lifecycle', 'lifecycle', lifecycle, options),
    stickiness: (stickiness, options) => answerAnalysis(opened, 'stickiness', 'stickiness', stickiness, options),
    paths: (paths, options) => answerAnalysis(opened, 'paths', 'paths', paths, options),
    analysis: (analysis, definition, options) => answerAnalysis(opened, 'analysis', analysis, definition, options),
    users: (asked: Asked | AnalysisCell, options?: AskOptions & CellUsersOptions) =>
      listUsersOf(opened, asked, options),
    report: (name, options) => reportOf(opened, name, options),
    reports: reportsOf(opened),
    usage: (options) => countUsage(opened, options),
    export: (to, options) => exportTo(opened, to, options),
    planExport: (to, options) => planTo(opened, to, options),
    verifyExport: (place, options) => verifyAt(opened, place, options),
    ingest: (files, options) => ingestFiles(opened, files, options),
    store: storeOf(opened),
    platform: platformOf(opened),
    sync: (options) => syncLists(opened, options),
    clickhouse: clickHouseOf(opened),
    serve: (options) => serveWorkspace(opened, options),
    close,
    [Symbol.asyncDispose]: close,
  };
}
