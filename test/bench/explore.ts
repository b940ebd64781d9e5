import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { toCanonicalQuery } from '../../src/ask/query/canonical-query.ts';
import type { Column } from '../../src/plan/column.ts';
import { builtInModel } from '../../src/plan/model/built-in-model.ts';
import { toCatalog } from '../../src/plan/model/catalog.ts';
import { nothingRejected } from '../../src/run/backend.ts';
import { type Engine, openEngine } from '../../src/run/duckdb/engine/engine.ts';
import { storeStatement } from '../../src/run/duckdb/stored/store-statement.ts';
import { openStoredAnswer } from '../../src/run/duckdb/stored/stored-answer.ts';
import { composeScreen } from '../../src/use/explorer/compose/screen.ts';
import { composeGrid } from '../../src/use/explorer/grid/compose-grid.ts';
import { type GridFeed, openGridFeed } from '../../src/use/explorer/grid/grid-feed.ts';
import { sourceOfResult, sourceOfRows } from '../../src/use/explorer/grid/grid-source.ts';
import type { GridMessage, GridState } from '../../src/use/explorer/grid/grid-state.ts';
import { updateGrid } from '../../src/use/explorer/grid/update-grid.ts';
import { readKeys } from '../../src/use/explorer/shell/read-keys.ts';
import type { Effect } from '../../src/use/explorer/state/effects.ts';
import type { Message } from '../../src/use/explorer/state/message.ts';
import type { OpenWorkspace } from '../../src/use/explorer/state/state.ts';
import type { TextLook } from '../../src/show/terminal/paint.ts';
import { startState, update } from '../../src/use/explorer/update.ts';
import { answerCell } from '../../src/use/explorer/perform/answer-cell.ts';
import { drawResultChart } from '../../src/use/explorer/perform/draw-result-chart.ts';
import { sample } from '../../src/use/index.ts';
import { makePlan } from '../shape/plans.ts';
import { dayColumn, exampleResult, numberColumn, textColumn } from '../show/example-result.ts';
import { openWithSession } from '../use/open-session.ts';
import type { Measured } from './main.ts';
import { median } from './timing.ts';
import { keyOf } from '../use/explorer/key-of.ts';

const size = { width: 120, height: 40 };
const look: TextLook = { depth: 'colour', unicode: true };
const columnCount = 100;
const frames = 300;

/** Smaller differences are noise. */
const negligibleMb = 4;

/** Time for one frame at 30 frames a second. */
const mostMs = 33;

interface Watched extends AsyncDisposable {
  readonly feed: GridFeed;
}

/** An answer of this many rows and a hundred columns, held by the engine. */
async function openRows(engine: Engine, rows: number): Promise<Watched> {
  const columns = Array.from({ length: columnCount }, (_, index): Column => {
    const key = `E.c${index}`;
    const common = { key, member: key, title: key, shortTitle: `Column ${index}`, whenAbsent: null };
    return index % 3 === 0
      ? { ...common, kind: 'dimension', type: 'string', additive: false }
      : { ...common, kind: 'measure', type: 'number', additive: true };
  });
  const expressions = columns.map((_, index) =>
    index % 3 === 0
      ? `'text ' || (hash(i + ${index}) % 5000)`
      : index % 3 === 1
        ? `(hash(i + ${index}) % 1000000)::BIGINT`
        : `(hash(i + ${index}) % 1000000) / 8.0`,
  );
  const statement = {
    text: `SELECT ${expressions.join(', ')} FROM range(${rows}) t(i)`,
    parameters: [],
    columns,
    counters: 0,
    zone: 'UTC',
  };
  const stored = await storeStatement(engine, statement);
  if (!stored) throw new Error('The rows cannot be stored.');
  const answer = await openStoredAnswer(engine, stored, 'UTC', { uncounted: [], rejected: nothingRejected });
  const { rowCount, view, extremes } = answer;
  if (!view || !extremes) throw new Error('The rows cannot be looked at.');
  const feed = await openGridFeed(
    sourceOfRows({ rowCount, view, extremes }, { ...makePlan({}), columns }, { truncated: null }),
    size,
    String,
  );
  return {
    feed,
    async [Symbol.asyncDispose]() {
      await feed[Symbol.asyncDispose]();
      await answer[Symbol.asyncDispose]();
    },
  };
}

/** A terminal that discards its output. */
function openNowhere(): { readonly output: Writable; written(): number } {
  let bytes = 0;
  const output = Object.assign(
    new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        bytes += chunk.length;
        done();
      },
    }),
    { columns: size.width, rows: size.height, isTTY: true },
  );
  return { output, written: () => bytes };
}

interface Drawn {
  readonly times: readonly number[];
  readonly bytes: number;
}

/** Draws frames with Ink, each in a turn of the event loop, and measures the time from its cause to its last byte. */
async function drawFrames(next: (frame: number) => readonly string[], between: () => Promise<void>): Promise<Drawn> {
  const { output, written } = openNowhere();
  const input = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: () => input,
    ref: () => input,
    unref: () => input,
  });
  // React reads NODE_ENV when it loads.
  const { openInk } = await import('../../src/use/explorer/shell/open-ink.ts');
  const ink = openInk({
    input,
    output,
    mostFrames: 100_000,
    first: { lines: [], cursor: undefined },
    onReady: () => undefined,
  });
  const times: number[] = [];
  for (let frame = -30; frame < frames; frame += 1) {
    const before = written();
    const started = performance.now();
    ink.show({ lines: next(frame), cursor: undefined });
    for (let turn = 0; written() === before && turn < 1000; turn += 1) await new Promise(setImmediate);
    if (frame >= 0) times.push(performance.now() - started);
    if (written() === before) throw new Error(`frame ${frame} was not written`);
    await between();
  }
  const bytes = written();
  await ink.close();
  return { times, bytes };
}

function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? Number.NaN;
}

const keys = [
  'down',
  'down',
  'pagedown',
  'down',
  'pagedown',
  'right',
  'pagedown',
  'G',
  'pageup',
  'up',
  'g',
  'pagedown',
] as const;

/** Scrolls through the rows, one frame for each key; requested rows arrive in between. */
async function drawGrid({ feed }: Watched): Promise<Drawn> {
  let state: GridState = feed.opening;
  const arrived: GridMessage[] = [];
  const fetching = new Set<Promise<void>>();
  const step = (message: GridMessage) => {
    const update = updateGrid(state, message);
    ({ state } = update);
    for (const wanted of update.wants) {
      const work: Promise<void> = feed.fetch(wanted).then((answer) => {
        arrived.push(answer);
        fetching.delete(work);
      });
      fetching.add(work);
    }
  };
  const drawn = await drawFrames(
    (frame) => {
      for (const message of arrived.splice(0)) step(message);
      step({ kind: 'key', key: keyOf(keys[(frame + 30) % keys.length] ?? 'down') });
      // Ink does not write a frame that equals the previous one.
      return [...composeGrid(state, look).slice(0, -1), `frame ${frame}`];
    },
    () => new Promise(setImmediate),
  );
  await Promise.all(fetching);
  return drawn;
}

/** Draws prepared text of the same size: the time of Ink alone. */
async function drawStatic({ feed }: Watched): Promise<Drawn> {
  const lines = composeGrid(feed.opening, look);
  const others = composeGrid(updateGrid(feed.opening, { kind: 'key', key: keyOf('pagedown') }).state, look);
  return drawFrames(
    (frame) => [...(frame % 2 === 0 ? lines : others).slice(0, -1), `frame ${frame}`],
    () => new Promise(setImmediate),
  );
}

function heap(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / 1e6;
}

/** Megabytes that a grid keeps after scrolling through its rows. */
async function keptBy({ feed }: Watched): Promise<number> {
  const before = heap();
  let state = feed.opening;
  for (let round = 0; round < 150; round += 1) {
    const wants = [
      'pagedown',
      round % 5 === 0 ? 'G' : 'pagedown',
      round % 7 === 0 ? 'end' : 'right',
      round % 11 === 0 ? 'g' : 'pagedown',
    ].flatMap((key) => {
      const update = updateGrid(state, { kind: 'key', key: keyOf(key) });
      ({ state } = update);
      return update.wants;
    });
    for (const wanted of wants) ({ state } = updateGrid(state, await feed.fetch(wanted)));
  }
  const kept = heap() - before;
  // Keeps the state alive until here, so that its memory is measured.
  if (state.rowCount !== feed.opening.rowCount) throw new Error(`${state.rowCount} rows`);
  return kept;
}

/** The grid over a million rows and a hundred columns, and the start of the explorer. */
export async function measureExplore(rows = 1_000_000): Promise<readonly Measured[]> {
  process.env['NODE_ENV'] = 'production';
  await using engine = await openEngine({ threads: 2 });
  await using short = await openRows(engine, 20_000);
  const few = Math.max(negligibleMb, await keptBy(short));
  await using long = await openRows(engine, rows);
  const many = await keptBy(long);
  const rounds: { readonly grid: Drawn; readonly still: Drawn }[] = [];
  // Alternate, so that both run under the same load.
  for (let round = 0; round < 7; round += 1) rounds.push({ still: await drawStatic(long), grid: await drawGrid(long) });
  const grid = median(rounds.map((round) => percentile(round.grid.times, 0.95)));
  const still = median(rounds.map((round) => percentile(round.still.times, 0.95)));
  // Ratios within each round, because the load of the machine varies.
  const beside = median(
    rounds.map((round) => percentile(round.grid.times, 0.95) / percentile(round.still.times, 0.95)),
  );
  const middle = {
    grid: median(rounds.flatMap((round) => round.grid.times)),
    still: median(rounds.flatMap((round) => round.still.times)),
  };
  const detail = `${grid.toFixed(1)} ms for 95% of the frames of 120×40, median ${middle.grid.toFixed(1)} ms`;
  return [
    {
      what: `one frame of the grid with ${rows.toLocaleString('en')} rows, compared with 33 ms`,
      ratio: grid / mostMs,
      target: 1,
      better: 'lower',
      detail,
    },
    {
      what: 'one frame of the grid, compared with a static frame by Ink',
      ratio: beside,
      target: 1.5,
      better: 'lower',
      detail: `${grid.toFixed(1)} ms against ${still.toFixed(1)} ms; medians ${middle.grid.toFixed(1)} and ${middle.still.toFixed(1)} ms`,
    },
    {
      what: `memory of a grid with ${rows.toLocaleString('en')} rows, compared with 20,000`,
      ratio: many / few,
      target: 1.5,
      better: 'lower',
      detail: `${many.toFixed(1)} MB against ${few.toFixed(1)} MB`,
    },
    await measurePaste(),
    await measureCursor(),
    await measureFirstRows(rows),
    ...(await measureFirstScreen()),
  ];
}

/** A list of all events: time until the first rows are visible, compared with the whole list. */
async function measureFirstRows(events: number): Promise<Measured> {
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-first-rows-'));
  try {
    await sample({ workspace: folder, events });
    await using sluice = await openWithSession({ workspace: folder, env: {}, cache: false, onNote: () => {} });
    const rounds: { readonly first: number; readonly whole: number }[] = [];
    for (let round = 0; round < 5; round += 1) {
      const since = performance.now();
      let first = NaN;
      await using asked = await answerCell(
        sluice.session,
        { kind: 'line', line: 'raw events' },
        {
          signal: new AbortController().signal,
          cwd: folder,
          onWait: () => {},
          onFirst: () => (first = performance.now() - since),
        },
      );
      if (asked.answer.rowCount !== events) throw new Error(`${asked.answer.rowCount} rows`);
      rounds.push({ first, whole: performance.now() - since });
    }
    const [first, whole] = [median(rounds.map((one) => one.first)), median(rounds.map((one) => one.whole))];
    return {
      what: `time to the first of ${events.toLocaleString('en')} raw events on the screen, compared with all of them`,
      ratio: median(rounds.map((one) => one.first / one.whole)),
      target: 0.3,
      better: 'lower',
      detail: `${first.toFixed(0)} ms against ${whole.toFixed(0)} ms`,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const workspace: OpenWorkspace = {
  kind: 'open',
  catalog: toCatalog(builtInModel),
  home: 'TrackedEvents',
  savedQueries: [],
  reports: [],
  zones: ['UTC'],
  source: '',
  values: new Map(),
  notes: [],
};

/** Hours on the axis, and series. */
const hours = 720;
const seriesCount = 5;

/** Reading a chart place by place, one frame for each key; the detail has the time to draw the chart. */
async function measureCursor(): Promise<Measured> {
  const rows = hours * seriesCount;
  const time: Column = { ...dayColumn('utcTime', 'Time'), key: 'TrackedEvents.utcTime.hour', granularity: 'hour' };
  const result = exampleResult([
    [
      time,
      Array.from({ length: rows }, (_, row) =>
        new Date(Date.UTC(2024, 0, 1, Math.floor(row / seriesCount))).toISOString().replace('Z', '+00:00'),
      ),
    ],
    [textColumn('docPath', 'Page'), Array.from({ length: rows }, (_, row) => `/page/${row % seriesCount}`)],
    [numberColumn('count', 'Count'), Float64Array.from({ length: rows }, (_, row) => (row * 7919) % 1013)],
  ]);
  await using feed = await openGridFeed(sourceOfResult(result), size, String);
  const query = toCanonicalQuery(result.provenance.query);
  let state = startState({ columns: size.width, rows: size.height }, 0);
  const wanted: Effect[] = [];
  const tell = (message: Message) => {
    const next = update(state, message, 0);
    ({ state } = next);
    wanted.push(...next.effects);
  };
  tell({ kind: 'opened', workspace });
  for (const letter of 'count') tell({ kind: 'key', key: keyOf(letter) });
  tell({ kind: 'key', key: keyOf('enter') });
  const run = wanted.find((effect) => effect.kind === 'run')?.run ?? -1;
  const { columns } = result;
  const measures = new Set<string>();
  const drill = {
    query,
    columns,
    zone: 'UTC',
    weekStart: undefined,
    ranges: [],
    compared: [],
    measures,
    timeMember: '',
  };
  const answer = { number: 1, head: result, rowCount: rows, drill, saved: { query } };
  tell({ kind: 'answered', run, answer, grid: feed.opening, pivot: undefined, elapsedMs: 1 });
  const asked = wanted.find((effect) => effect.kind === 'draw-chart');
  if (!asked) throw new Error('no chart was asked for');
  const chart = { colours: 24, dark: true, ascii: false } as const;
  const drawTimes: number[] = [];
  for (let round = 0; round < 6; round += 1) {
    const started = performance.now();
    const drawn = await drawResultChart(result, {}, asked.of, { look, chart });
    // The first drawing loads the libraries.
    if (round > 0) drawTimes.push(performance.now() - started);
    else tell({ kind: 'chart-drawn', of: asked.of, ...drawn });
  }
  for (const key of ['escape', 'right', 'v']) tell({ kind: 'key', key: keyOf(key) });
  if (state.focus !== 'chart') throw new Error(`the focus is ${state.focus}`);
  const moves = ['left', 'left', 'pageup', 'down', 'left', 'm', 'pageup', 'M', 'right', 'G'] as const;
  const drawn = await drawFrames(
    (frame) => {
      tell({ kind: 'key', key: keyOf(moves[(frame + 30) % moves.length] ?? 'left') });
      return [...composeScreen(state, look).lines.slice(0, -1), `frame ${frame}`];
    },
    () => new Promise(setImmediate),
  );
  const late = percentile(drawn.times, 0.95);
  return {
    what: 'one frame while the cursor moves in a chart, compared with 33 ms',
    ratio: late / mostMs,
    target: 1,
    better: 'lower',
    detail: `${late.toFixed(1)} ms for 95% of the frames of 120×40, median ${median(drawn.times).toFixed(1)} ms; drawing the chart takes ${median(drawTimes).toFixed(0)} ms for ${hours} positions of ${seriesCount} series`,
  };
}

const pastedBytes = 4_000_000;

/** A paste in pieces, as a terminal sends it, until its frame is composed. */
async function measurePaste(): Promise<Measured> {
  const sent = Buffer.from(`\u001b[200~${'lorem ipsum\r'.repeat(pastedBytes / 12)}\u001b[201~`);
  const times: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    let { state } = update(startState({ columns: size.width, rows: size.height }, 0), { kind: 'opened', workspace }, 0);
    const input = new PassThrough();
    const started = performance.now();
    const reading = readKeys(input, (key) => {
      ({ state } = update(state, { kind: 'key', key }, 0));
    });
    for (let at = 0; at < sent.length; at += 4095) input.emit('data', sent.subarray(at, at + 4095));
    composeScreen(state, look);
    times.push(performance.now() - started);
    reading.close();
    if (state.prompt.line.text.length < pastedBytes - 100)
      throw new Error(`${state.prompt.line.text.length} characters arrived`);
  }
  return {
    what: 'paste of 4 MB in seconds',
    ratio: median(times) / 1000,
    target: 1,
    better: 'lower',
    detail: `${median(times).toFixed(0)} ms`,
  };
}

const root = new URL('../..', import.meta.url).pathname;

/**
 * Time from starting the built command in a terminal (including `script`, which provides the terminal) to the first
 * words on its screen, with a warm code cache. The prompt accepts keys then, while the data still opens. Returns none
 * if there is no `script`.
 */
async function measureFirstScreen(rounds = 9): Promise<readonly Measured[]> {
  const sluice = path.join(root, 'dist', 'sluice.cjs');
  if (!existsSync(sluice) || spawnSync('script', ['--version']).status !== 0) return [];
  const cwd = mkdtempSync(path.join(tmpdir(), 'sluice-bench-'));
  try {
    const env = { ...process.env, NODE_COMPILE_CACHE: path.join(cwd, 'compile-cache'), TERM: 'xterm-256color' };
    const made = spawnSync(process.execPath, [sluice, 'sample', '--quiet'], { cwd, env });
    if (made.status !== 0) throw new Error(String(made.stderr));
    const bare: number[] = [];
    const first: number[] = [];
    for (let round = -2; round < rounds; round += 1) {
      const started = performance.now();
      spawnSync(process.execPath, ['-e', '0'], { cwd, env });
      const time = performance.now() - started;
      const shown = await untilScreen(`${process.execPath} ${sluice} explore`, cwd, env);
      // The first rounds fill the compile cache.
      if (round >= 0) [bare, first].forEach((times, index) => times.push(index === 0 ? time : shown));
    }
    const [ours, theirs] = [median(first), median(bare)];
    // Ratios of neighbouring runs, because the load of the machine varies.
    const ratio = median(first.map((time, round) => time / (bare[round] ?? Number.NaN)));
    return [
      {
        what: 'time to the first screen of the explorer, compared with starting Node alone',
        ratio,
        target: 8,
        better: 'lower',
        detail: `${ours.toFixed(0)} ms, node -e 0: ${theirs.toFixed(0)} ms`,
      },
    ];
  } finally {
    rmSync(cwd, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Milliseconds until the screen shows text; then leaves the explorer. */
async function untilScreen(command: string, cwd: string, env: NodeJS.ProcessEnv): Promise<number> {
  const started = performance.now();
  const child = spawn('script', ['-qefc', command, '/dev/null'], { cwd, env });
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()));
  let shown: number | undefined;
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    if (shown !== undefined || !/[a-z]{4}/i.test(text.replaceAll(/\u001b\[[\d;?<>=]*[a-zA-Z]/g, ''))) return;
    shown = performance.now() - started;
    child.stdin.write('\u0003\u0003');
  });
  const impatient = setTimeout(() => child.kill('SIGTERM'), 20_000);
  await ended;
  clearTimeout(impatient);
  if (shown === undefined) throw new Error(`The explorer showed nothing: ${JSON.stringify(text.slice(0, 500))}`);
  return shown;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  for (const { what, ratio, target, detail } of await measureExplore())
    console.log(`${ratio.toFixed(2)} (at most ${target}) ${what}: ${detail}`);
}
