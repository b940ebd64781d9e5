import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { forgetKept, openKeptFiles } from '../../../src/run/kept/kept-files.ts';

function newFolder(): string {
  const root = mkdtempSync(path.join(tmpdir(), 'sluice-kept-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return path.join(root, 'cache');
}

const now = () => 1_700_000_000_000;
const answerOf = (folder: string) =>
  path.join(folder, readdirSync(folder).find((name) => name.endsWith('.answer')) ?? 'none');

const source = new URL('../../../src/run/kept/kept-files.ts', import.meta.url).href;
/** Opens the kept files of a folder in a separate process. */
const importing = `const { openKeptFiles } = await import(${JSON.stringify(source)});
      const files = openKeptFiles({ folder: process.argv[1], now: Date.now });`;

describe('kept files', () => {
  it('give what was kept under the same key, to another opener too, and nothing under others', async () => {
    const folder = newFolder();
    const files = openKeptFiles({ folder, now });
    expect(await files.read('a')).toBeUndefined();
    await files.write('a', { text: 'one', since: 5 }, await files.generation());
    const other = openKeptFiles({ folder, now });
    expect(await other.read('a')).toEqual({ text: 'one', since: 5 });
    expect(await other.read('b')).toBeUndefined();
  });

  it('belong to their owner alone', async () => {
    const folder = newFolder();
    const files = openKeptFiles({ folder, now });
    await files.write('a', { text: 'one', since: 5 }, '');
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(answerOf(folder)).mode & 0o777).toBe(0o600);
  });

  it('are not believed if any byte is missing or another, and are written anew', async () => {
    const folder = newFolder();
    const files = openKeptFiles({ folder, now });
    await files.write('a', { text: 'one', since: 5 }, '');
    const whole = readFileSync(answerOf(folder));
    for (let at = 0; at < whole.length; at += 1) {
      writeFileSync(answerOf(folder), whole.subarray(0, at));
      expect(await files.read('a')).toBeUndefined();
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] ?? 0) ^ 1;
      writeFileSync(answerOf(folder), changed);
      // Only the word that names the file may change without effect.
      const read = await files.read('a');
      if (read !== undefined) expect(read).toEqual({ text: 'one', since: 5 });
    }
    await files.write('a', { text: 'two', since: 6 }, '');
    expect(await files.read('a')).toEqual({ text: 'two', since: 6 });
  });

  it('of another key in the place of this one are not believed', async () => {
    const folder = newFolder();
    const files = openKeptFiles({ folder, now });
    await files.write('a', { text: 'one', since: 5 }, '');
    const place = answerOf(folder);
    const text = readFileSync(place);
    await files.write('b', { text: 'two', since: 5 }, '');
    for (const name of readdirSync(folder)) writeFileSync(path.join(folder, name), text);
    expect(await files.read('b')).toBeUndefined();
  });

  it('do not come back if all were removed while they were computed', async () => {
    const folder = newFolder();
    const files = openKeptFiles({ folder, now });
    await files.write('a', { text: 'one', since: 5 }, await files.generation());
    const before = await files.generation();
    await forgetKept(folder, 'another');
    await files.write('a', { text: 'one', since: 5 }, before);
    expect(await files.read('a')).toBeUndefined();
    expect(readdirSync(folder)).toEqual(['generation']);
  });

  it('do not come back after a removal before the first one was there', async () => {
    const folder = newFolder();
    const files = openKeptFiles({ folder, now });
    const before = await files.generation();
    await forgetKept(folder, 'another');
    await files.write('a', { text: 'one', since: 5 }, before);
    expect(readdirSync(folder)).toEqual(['generation']);
  });

  it('are removed although a folder is among them', async () => {
    const folder = newFolder();
    mkdirSync(path.join(folder, 'room', 'inner'), { recursive: true });
    await forgetKept(folder, 'another');
    expect(readdirSync(folder)).toEqual(['generation']);
  });

  it('make room for new ones: the one that was used the longest ago goes', async () => {
    const folder = newFolder();
    let time = 1_700_000_000_000;
    const files = openKeptFiles({ folder, now: () => (time += 10_000), mostBytes: 2_000 });
    const text = 'x'.repeat(300);
    for (const key of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) {
      await files.write(key, { text, since: 1 }, '');
      await files.read(key);
      await files.read('a');
    }
    expect(await files.read('a')).toBeDefined();
    expect(await files.read('b')).toBeUndefined();
    expect(await files.read('h')).toBeDefined();
  });

  it('are checked now and then, not by each process that writes one', async () => {
    const folder = newFolder();
    let time = now();
    const write = (key: string) => openKeptFiles({ folder, now: () => time }).write(key, { text: key, since: 5 }, '');
    await write('first');
    const old = path.join(folder, '0123456789abcdef.asked');
    const begin = () => {
      writeFileSync(old, '');
      utimesSync(old, 1, 1);
    };
    begin();
    for (let index = 0; index < 999; index += 1) await write(`key ${index % 7}`);
    expect(existsSync(old)).toBe(true);
    await write('last');
    await write('one more');
    expect(existsSync(old)).toBe(false);
    begin();
    await write('soon');
    expect(existsSync(old)).toBe(true);
    time += 86_400_000;
    await write('a day later');
    expect(existsSync(old)).toBe(false);
    // A damaged count is not believed.
    for (const damage of ['', 'x\n', '1e9', '1e9 0\n', `NaN ${time}\n`]) {
      begin();
      writeFileSync(path.join(folder, 'room'), damage);
      await write('damaged');
      expect(existsSync(old)).toBe(false);
    }
  });

  it('are at most some thousands', async () => {
    const folder = newFolder();
    let time = now();
    for (let index = 0; index < 60; index += 1) {
      const files = openKeptFiles({ folder, now: () => (time += 1000), mostBytes: 10_000, mostAnswers: 12 });
      await files.write(`key ${index}`, { text: 'text', since: 5 }, '');
      await files.read(`key ${index}`);
    }
    const answers = readdirSync(folder).filter((name) => name.endsWith('.answer'));
    expect(answers.length).toBeGreaterThanOrEqual(12);
    expect(answers.length).toBeLessThan(30);
    expect(await openKeptFiles({ folder, now }).read('key 59')).toBeDefined();
    expect(await openKeptFiles({ folder, now }).read('key 3')).toBeUndefined();
  });

  it('that cannot be written are not kept, and nothing fails', async () => {
    const folder = newFolder();
    writeFileSync(folder, 'a file in the place of the folder');
    const files = openKeptFiles({ folder, now });
    await files.write('a', { text: 'one', since: 5 }, '');
    expect(await files.read('a')).toBeUndefined();
  });

  it('of another version are not believed, and are written anew', async () => {
    const folder = newFolder();
    const files = openKeptFiles({ folder, now });
    await files.write('a', { text: 'one', since: 5 }, '');
    const text = readFileSync(answerOf(folder), 'utf8');
    writeFileSync(answerOf(folder), text.replace('"format":2,', '"format":1,'));
    expect(readFileSync(answerOf(folder), 'utf8')).not.toBe(text);
    expect(await files.read('a')).toBeUndefined();
    await files.write('a', { text: 'two', since: 6 }, '');
    expect(await files.read('a')).toEqual({ text: 'two', since: 6 });
  });

  it('that do not fit on a full disk are not kept; nothing half-written stays, and those before do', async () => {
    const folder = newFolder();
    const files = openKeptFiles({ folder, now });
    await files.write('before', { text: 'one', since: 5 }, '');
    // The system refuses files beyond a size in the same way as on a full disk.
    const program = `${importing}
      await files.write('large', { text: 'x'.repeat(1_000_000), since: 6 }, '');
      console.log(JSON.stringify([await files.read('large') ?? null, await files.read('before')]));`;
    const script = `trap '' XFSZ; ulimit -f 64; exec "$0" --disable-warning=ExperimentalWarning --input-type=module -e "$1" "$2"`;
    const { status, stdout, stderr } = spawnSync('sh', ['-c', script, process.execPath, program, folder], {
      encoding: 'utf8',
    });
    expect([status, stderr, JSON.parse(stdout)]).toEqual([0, '', [null, { text: 'one', since: 5 }]]);
    expect(readdirSync(folder).filter((name) => name !== 'room')).toHaveLength(1);
    await files.write('large', { text: 'x'.repeat(1_000_000), since: 7 }, '');
    expect((await files.read('large'))?.since).toBe(7);
  });

  it('may be written by many at once', async () => {
    const folder = newFolder();
    const many = Array.from({ length: 20 }, () => openKeptFiles({ folder, now }));
    await Promise.all(many.map((files) => files.write('a', { text: 'one', since: 5 }, '')));
    expect(await many[0]!.read('a')).toEqual({ text: 'one', since: 5 });
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it('are whole or not there, whoever writes them at once and is killed in the middle', async () => {
    const folder = newFolder();
    const keys = ['a', 'b', 'c'];
    const program = `${importing}
      for (let round = 0; ; round += 1)
        for (const key of ${JSON.stringify(keys)}) {
          await files.write(key, { text: (key + round % 10).repeat(200_000), since: round }, '');
          if (round === 0) console.log(key);
        }`;
    const children = [1, 2].map(() =>
      spawn(process.execPath, ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', program, folder]),
    );
    await Promise.all(children.map((child) => new Promise((resolve) => child.stdout.once('data', resolve))));
    const files = openKeptFiles({ folder, now: Date.now });
    let whole = 0;
    const look = async () => {
      for (const key of keys) {
        const kept = await files.read(key);
        if (!kept) continue;
        whole += 1;
        expect(kept.text === `${key}${kept.since % 10}`.repeat(200_000)).toBe(true);
      }
    };
    for (let round = 0; round < 10; round += 1) await look();
    const ended = children.map((child) => new Promise((resolve) => child.once('exit', resolve)));
    for (const child of children) child.kill('SIGKILL');
    await Promise.all(ended);
    await look();
    expect(whole).toBeGreaterThan(keys.length);
    // Unfinished files are removed at the next scan, once no process can still be writing them.
    writeFileSync(path.join(folder, '.left.1.1.part'), 'half');
    const later = openKeptFiles({ folder, now: () => Date.now() + 86_400_000 });
    await later.write('d', { text: 'four', since: 4 }, '');
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
    expect(await later.read('d')).toEqual({ text: 'four', since: 4 });
  });
});
