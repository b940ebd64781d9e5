// `npm run fuzz -- [MINUTES] [SEED] [TARGET]` runs every reader, the server and the command line on damaged and long
// inputs, each in a process with limits of time and memory. A printed seed repeats its run.
// The target `properties` runs the property tests of the suite under fresh seeds. A fourth argument selects those whose
// path contains it: `npm run fuzz -- 5 1 properties run/activity`.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { targets, type Target } from './targets.ts';

const [minutes = '5', given, only, part = ''] = process.argv.slice(2);
const first = given === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(given);
const until = Date.now() + Number(minutes) * 60_000;
const child = new URL('./child.ts', import.meta.url).pathname;
const folder = path.join(import.meta.dirname, '../../out/fuzz');

/** Limits of a step's time and of a process's memory, whatever the input. */
const maxStepMs = 30_000;
const maxBytes = 1.5 * 2 ** 30;
/** Time may grow with the length; beyond this factor per doubling, it grows with its square. */
const maxGrowth = 3.4;

const faults: string[] = [];
let steps = 0;

const known = [...new Set(targets.map(({ name }) => name)), 'properties'];
if (only !== undefined && !known.includes(only))
  refuse(`The target "${only}" does not exist. Targets: ${known.join(', ')}.`);

process.stdout.write(`seed ${first}, ${minutes} minutes\n`);
if (only === 'properties') checkProperties();
else
  for (let round = 0; Date.now() < until; round += 1) {
    const seed = first + round * 1000;
    for (const target of targets) {
      if ((only !== undefined && target.name !== only) || Date.now() >= until) continue;
      await run(target, seed, target.kind === 'text' ? 200 : 40, 'short');
      if (target.long) await run(target, seed, 256_000, 'long');
    }
  }
process.stdout.write(`${steps.toLocaleString('en-US')} steps, ${faults.length} faults\n`);
for (const fault of faults) process.stdout.write(`  ${fault}\n`);
process.exitCode = faults.length > 0 ? 1 : 0;

function refuse(why: string): never {
  process.stderr.write(`${why}\n`);
  process.exit(2);
}

/** Repeats the property tests of the suite on all of their cases, each time with another seed. */
function checkProperties(): void {
  const tests = path.join(import.meta.dirname, '..');
  const files = readdirSync(tests, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts') && file.includes(part))
    .map((file) => path.join(tests, file))
    .filter((file) => /from '(?:fast-check|[./]+\/runs\.ts)'/.test(readFileSync(file, 'utf8')));
  // Without a file, vitest would run every test.
  if (files.length === 0) refuse(`No property test has "${part}" in its path.`);
  const vitest = path.join(tests, '../node_modules/vitest/vitest.mjs');
  for (let seed = first; Date.now() < until; seed += 1) {
    process.stdout.write(`property tests with seed ${seed}\n`);
    const { status } = spawnSync(
      process.execPath,
      // All cases of a property take longer than a test may in `npm test`, and one that times out would disturb the
      // next.
      [vitest, 'run', '--config', path.join(tests, '../.config/vitest.config.ts'), '--testTimeout=600000', ...files],
      {
        stdio: 'inherit',
        env: { ...process.env, TEST_SEED: String(seed), TEST_THOROUGH: '1' },
      },
    );
    steps += 1;
    if (status !== 0) faults.push(`property tests, seed ${seed}`);
  }
}

async function run(target: Target, seed: number, amount: number, mode: 'short' | 'long'): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const running = spawn(
    process.execPath,
    ['--max-old-space-size=1024', child, target.name, String(seed), String(amount), mode],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let last = '';
  let rest = '';
  let errors = '';
  let since = Date.now();
  let before: { readonly length: number; readonly ms: number } | undefined;
  let slow = 0;
  let wrong: string | undefined;
  running.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      since = Date.now();
      const step = JSON.parse(line) as { readonly begins?: number; readonly length?: number; readonly ms?: number };
      if (step.begins !== undefined && (mode === 'short' || step.begins === 1000)) last = line;
      if (step.begins !== undefined) steps += 1;
      if (step.length === undefined || step.ms === undefined) continue;
      // Twice in a row, and long enough not to be noise.
      slow = before !== undefined && step.ms > 400 && step.ms > before.ms * maxGrowth ? slow + 1 : 0;
      if (slow === 2)
        wrong = `time grows with the square of the length: ${step.ms.toFixed(0)} ms for ${step.length} characters`;
      before = { length: step.length, ms: step.ms };
    }
  });
  running.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-2000);
  });
  const watch = setInterval(() => {
    if (Date.now() - since > maxStepMs) wrong ??= `a step takes longer than ${maxStepMs / 1000} s`;
    else if (memoryOf(running.pid) > maxBytes) wrong ??= `more than ${maxBytes / 2 ** 20} MB of memory`;
    if (wrong !== undefined) running.kill('SIGKILL');
  }, 250);
  running.on('close', (code, signal) => {
    clearInterval(watch);
    if (code !== 0)
      wrong ??= `${signal ?? `exit ${code}`}: ${errors.split('\n').find((line) => /Error|exit/.test(line)) ?? errors.slice(-300)}`;
    if (wrong !== undefined) tell(target, seed, mode, wrong, last);
    resolve();
  });
  return promise;
}

function tell(target: Target, seed: number, mode: string, wrong: string, input: string): void {
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `${target.name.replaceAll(/\W/g, '-')}-${seed}-${mode}.json`);
  writeFileSync(file, `${input}\n`);
  const said = `${target.name}, seed ${seed}, ${mode}: ${wrong} (input in ${path.relative(process.cwd(), file)})`;
  process.stdout.write(`FAULT ${said}\n`);
  faults.push(said);
}

function memoryOf(pid: number | undefined): number {
  try {
    const [, resident = '0'] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ');
    return Number(resident) * 4096;
  } catch {
    return 0;
  }
}
