import { pathToFileURL } from 'node:url';
import type { BenchLine } from './fill.ts';

/** One figure: a ratio within one run, and what it should be. */
export interface Measured {
  readonly what: string;
  readonly ratio: number;
  readonly target: number;
  /** Whether smaller ratios are better, or larger ones. */
  readonly better: 'lower' | 'higher';
  readonly detail: string;
}

/** Milliseconds that count as nothing: a ratio over very short times says little. */
const negligible = 3;

function writeMeasured({ what, ratio, target, better, detail }: Measured): string {
  const reached = better === 'lower' ? ratio <= target : ratio >= target;
  const sign = better === 'lower' ? '≤' : '≥';
  return `${reached ? 'ok  ' : 'MISS'} ${ratio.toFixed(2).padStart(7)}  ${sign} ${String(target).padEnd(5)} ${what}  (${detail})`;
}

const toDetail = ({ ours, theirs }: BenchLine) => `${ours.toFixed(1)} ms against ${theirs.toFixed(1)} ms`;

/** All figures that the project promises, bench by bench. */
async function* measureAll(): AsyncGenerator<Measured> {
  const { measureStartUp } = await import('./start-up.ts');
  yield* measureStartUp();
  const { benchFill } = await import('./fill.ts');
  for (const line of await benchFill())
    yield {
      what: `${line.name}, beside Cube's client`,
      ratio: line.ratio,
      target: 10,
      better: 'higher',
      detail: toDetail(line),
    };
  const { benchDecode } = await import('./decode.ts');
  for (const [index, line] of (await benchDecode()).entries()) {
    // Averages have seventeen digits: reading them exactly takes as long as parsing the text that they stand in.
    yield {
      what: `a remote answer as columns, over parsing its JSON: ${line.name}`,
      ratio: line.ratio,
      target: index === 0 ? 1.3 : 1.7,
      better: 'lower',
      detail: toDetail(line),
    };
  }
  const { measureMapping } = await import('./mapping.ts');
  yield* measureMapping();
  const { measureIngest } = await import('./ingest.ts');
  yield* measureIngest();
  const { measureSmallFiles } = await import('./small-files.ts');
  yield* measureSmallFiles();
  const { benchServe, benchCrowd } = await import('./serve.ts');
  for (const line of await benchServe())
    yield {
      what: `50,000 rows from the server to the last byte, beside COPY to JSON: ${line.name}`,
      ratio: line.ratio,
      target: 1.5,
      better: 'lower',
      detail: toDetail(line),
    };
  const { four, crowd, errors } = await benchCrowd();
  yield {
    what: 'peak memory of the server with 64 clients, beside four',
    ratio: errors === 0 ? crowd / four : Number.POSITIVE_INFINITY,
    target: 1.5,
    better: 'lower',
    detail: `${crowd.toFixed(0)} MB against ${four.toFixed(0)} MB, ${errors} errors`,
  };
  const { measureFunnel } = await import('./funnel.ts');
  yield* measureFunnel();
  const { measureCohort } = await import('./cohort.ts');
  yield* measureCohort();
  const { measurePaths } = await import('./paths.ts');
  yield* measurePaths();
  const { benchQueryOverhead } = await import('./query-overhead.ts');
  const lines = [...(await benchQueryOverhead())].sort((a, b) => a.ratio - b.ratio);
  for (const line of lines)
    yield {
      what: `session over SQL by hand: ${line.name}`,
      ratio: allowed(line),
      target: 1.15,
      better: 'lower',
      detail: toDetail(line),
    };
  const middle = lines.slice(Math.floor((lines.length - 1) / 2), Math.floor(lines.length / 2) + 1);
  const median = middle.reduce((sum, line) => sum + allowed(line), 0) / middle.length;
  yield {
    what: 'session over SQL by hand, median question',
    ratio: median,
    target: 1.15,
    better: 'lower',
    detail: `${lines.length} questions on a million events`,
  };
  const { measureClickHouse } = await import('./clickhouse.ts');
  yield* measureClickHouse();
  const { measureStream } = await import('./stream.ts');
  yield* measureStream();
  const { measureChart } = await import('./chart.ts');
  yield* await measureChart();
  const { measureReport } = await import('./report.ts');
  yield* measureReport();
  const { measureExplore } = await import('./explore.ts');
  yield* await measureExplore();
}

function allowed({ ours, theirs, ratio }: BenchLine): number {
  return ours - theirs <= negligible ? Math.min(ratio, 1) : ratio;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for await (const measured of measureAll()) console.log(writeMeasured(measured));
}
