import { PassThrough } from 'node:stream';
import { render, Text, useInput, usePaste } from 'ink';
import { createElement, type ReactNode } from 'react';
import { afterEach, describe, expect, it } from 'vitest';
import { readKeys } from '../../../src/use/explorer/shell/read-keys.ts';
import { nameOfKey } from '../../../src/use/explorer/terminal/key.ts';

const esc = '\u001b';
const pause = async () =>
  new Promise((resolve) => {
    setTimeout(resolve, 60);
  });

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

function View({ told }: { readonly told: string[] }): ReactNode {
  useInput((input, key) => {
    const flags = Object.entries(key).flatMap(([name, value]) => (value === true ? [name] : []));
    told.push([...flags, input].join('-'));
  });
  usePaste((text) => told.push(`paste ${text}`));
  return createElement(Text, null, '');
}

/** Keys that Ink's hooks report for terminal input. */
async function byHooks(...pieces: readonly string[]): Promise<readonly string[]> {
  const told: string[] = [];
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: () => stdin,
    ref: () => 0,
    unref: () => 0,
  });
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 });
  stdout.resume();
  const view = render(createElement(View, { told }), {
    stdin: stdin as never,
    stdout: stdout as never,
    exitOnCtrlC: false,
    patchConsole: false,
    interactive: true,
  });
  closers.push(() => view.unmount());
  await pause();
  for (const piece of pieces) {
    stdin.write(piece);
    await pause();
  }
  return told;
}

/** Keys that the explorer's own reader reports for it. */
async function byReader(...pieces: readonly string[]): Promise<readonly string[]> {
  const input = new PassThrough();
  const told: string[] = [];
  const reading = readKeys(input, (key) => told.push(key.name === 'paste' ? `paste ${key.text}` : nameOfKey(key)));
  closers.push(() => reading.close());
  for (const piece of pieces) {
    input.write(piece);
    await pause();
  }
  return told;
}

// If one of these fails after an update of Ink, check again if its hooks can read the explorer's keys.
describe('what the hooks of Ink cannot tell and the reader of keys can', () => {
  it.each<[string, readonly string[], readonly string[], readonly string[]]>([
    ['the wheel', [`${esc}[<64;10;5M`], [], ['wheelup']],
    ['function keys', [`${esc}OP`, `${esc}OQ`], ['', ''], ['f1', 'f2']],
    ['an answer of the terminal', [`${esc}]11;rgb:0/0/0\u0007`], ['meta-]', '11;rgb:0/0/0\u0007'], []],
    ['ctrl-c after a paste without an end', [`${esc}[200~abc`, '\u0003', 'q'], [], ['paste abc', 'ctrl-c', 'q']],
  ])('%s', async (_, sent, hooks, reader) => {
    expect(await byHooks(...sent)).toEqual(hooks);
    expect(await byReader(...sent)).toEqual(reader);
  });
});
