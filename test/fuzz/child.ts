// Fuzzes one target: `child.ts TARGET SEED COUNT | child.ts TARGET SEED LENGTH long`. Prints a line on stdout before
// each step.
import { randomFrom } from '../../src/run/sample/random.ts';
import { targets } from './targets.ts';

const [name, seed, amount, mode] = process.argv.slice(2);
const target = targets.find((each) => each.name === name);
if (!target) throw new Error(`There is no target ${name}.`);
const opened = await target.open();
const say = (step: object): void => {
  process.stdout.write(`${JSON.stringify(step)}\n`);
};
const show = (input: string | Uint8Array) =>
  typeof input === 'string' ? { text: input } : { base64: Buffer.from(input).toString('base64') };

if (mode === 'long' && target.long) {
  for (let length = 1000; length <= Number(amount); length *= 2) {
    const input = target.long(randomFrom(Number(seed)), length);
    say({ begins: length, ...(length === 1000 && show(input)) });
    const before = performance.now();
    await opened.use(input);
    say({ length, ms: performance.now() - before });
  }
} else {
  for (let step = 0; step < Number(amount); step += 1) {
    const input = target.input(randomFrom(Number(seed) + step));
    say({ begins: Number(seed) + step, ...show(input) });
    await opened.use(input);
  }
}
await opened.close();
process.exit(0);
