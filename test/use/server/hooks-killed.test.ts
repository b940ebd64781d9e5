import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

const program = fileURLToPath(new URL('hooks-child.ts', import.meta.url));

async function start(root: string): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const child = spawn(process.execPath, [program, root], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = (await once(child.stdout!, 'data')) as [Buffer];
  return { child, url: line.toString().trim() };
}

/** Whether the delivery was acknowledged. Bodies have up to 60 KB, so that a kill leaves some half written. */
function send(url: string, id: number): Promise<boolean> {
  return fetch(url, {
    method: 'POST',
    headers: {
      'x-service-token': 'correct-horse-battery',
      'idempotency-key': `d-${id}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ id, text: 'x'.repeat((id * 7_919) % 60_000) }),
  }).then(
    async (response) => (await response.text()) !== '' && response.ok,
    () => false,
  );
}

it('loses no acknowledged delivery and stores none twice when it is killed during bursts', async () => {
  const root = mkdtempSync(path.join(tmpdir(), 'sluice-hooks-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const acknowledged = new Set<number>();
  const sent = new Set<number>();
  let cut = 0;
  for (const killAfter of [30, 150, undefined]) {
    const { child, url } = await start(root);
    const ended = once(child, 'exit');
    // New deliveries, all that were not acknowledged before, and some that were.
    const first = sent.size;
    for (let id = first; id < first + 200; id += 1) sent.add(id);
    const burst = killAfter === undefined ? [...sent] : [...sent].filter((id) => id % 5 === 0 || !acknowledged.has(id));
    let heard = 0;
    // Forty at a time: when the kill comes, most are still to be sent, however late this process hears the answers.
    const waiting = burst.values();
    const sender = async () => {
      for (const id of waiting) {
        if (await send(url, id)) {
          acknowledged.add(id);
          if ((heard += 1) === killAfter) child.kill('SIGKILL');
        } else cut += 1;
      }
    };
    await Promise.all(Array.from({ length: 40 }, sender));
    if (killAfter === undefined) child.kill('SIGKILL');
    await ended;
    const kept = keptIn(path.join(root, '.sluice', 'hooks'));
    expect(new Set(kept).size).toBe(kept.length);
    expect([...acknowledged].filter((id) => !kept.includes(id))).toEqual([]);
  }
  expect(cut).toBeGreaterThan(50);
  expect(acknowledged).toEqual(sent);
});

/** The IDs of all complete lines; what follows the last line feed was never acknowledged. */
function keptIn(folder: string): readonly number[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.ndjson'))
    .flatMap((name) => readFileSync(path.join(folder, name), 'utf8').split('\n').slice(0, -1))
    .map((line) => {
      const { id, body } = JSON.parse(line) as { id: string; body: string };
      expect(id).toBe(`d-${(JSON.parse(body) as { id: number }).id}`);
      return Number(id.slice(2));
    });
}
