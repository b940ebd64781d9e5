import path from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import xterm from '@xterm/headless';
import { runExplorer } from '../../../src/use/explorer/shell/run-explorer.ts';
import type { TextLook } from '../../../src/show/terminal/paint.ts';
import type { Effects } from '../../../src/use/process/effects.ts';
import type { GlobalFlags } from '../../../src/use/process/global-flags.ts';
import { type Folder, now } from '../run-in-folder.ts';

/** Keys as a terminal sends them. */
export const sent = {
  enter: '\r',
  tab: '\t',
  escape: '\u001b',
  up: '\u001b[A',
  down: '\u001b[B',
  right: '\u001b[C',
  left: '\u001b[D',
  backspace: '\u007f',
  pageDown: '\u001b[6~',
  pageUp: '\u001b[5~',
  wheelDown: '\u001b[<65;10;10M',
  wheelUp: '\u001b[<64;10;10M',
  interrupt: '\u0003',
  f1: '\u001bOP',
  end: '\u001b[F',
  home: '\u001b[H',
} as const;

export interface TerminalWorld {
  readonly columns?: number;
  readonly rows?: number;
  readonly notebook?: string;
  readonly flags?: GlobalFlags;
  readonly env?: Readonly<Record<string, string>>;
  readonly look?: TextLook;
  readonly spoken?: boolean;
  readonly plain?: boolean;
  /** The process that keeps drafts, and which others are alive. */
  readonly process?: { readonly id: number; readonly started: number; readonly isAlive: (id: number) => boolean };
}

/** The explorer on a terminal emulator: keys in, screens out. */
export interface TestTerminal extends AsyncDisposable {
  /** Sends keys, one chunk each, as fast as they are read. */
  readonly press: (...chunks: readonly string[]) => Promise<void>;
  /** Waits until the screen shows it, and returns the screen. */
  readonly see: (wanted: string | RegExp | ((screen: string) => boolean)) => Promise<string>;
  readonly screen: () => string;
  readonly resize: (columns: number, rows: number) => Promise<void>;
  /** All bytes written so far. */
  readonly written: () => string;
  /** Position of the cursor. `isAlternate`: whether the alternate screen is on. */
  readonly cursor: () => { readonly x: number; readonly y: number };
  readonly isAlternate: () => boolean;
  /** Resolves when the explorer has ended. */
  readonly ended: Promise<void>;
  /** Modes that were set and not reset, such as `?1000`. */
  readonly modesLeft: () => readonly string[];
  readonly raw: () => boolean;
}

export function openTerminal(folder: Pick<Folder, 'root'>, world: TerminalWorld = {}): TestTerminal {
  const { columns = 80, rows = 24, env = {} } = world;
  // A line feed starts a new line, as with the terminal driver even in raw mode.
  const emulator = new xterm.Terminal({
    cols: columns,
    rows,
    allowProposedApi: true,
    scrollback: 100,
    convertEol: true,
  });
  const started = performance.now();
  let written = '';
  let raw = false;
  const input = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (on: boolean) => {
      raw = on;
      return input;
    },
    ref: () => input,
    unref: () => input,
  });
  const output = Object.assign(
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        written += chunk.toString();
        emulator.write(chunk.toString(), done);
      },
    }),
    { isTTY: true, columns, rows },
  );
  const sink = { write: () => Promise.resolve(), isTerminal: true, columns, rows };
  const interruption = new AbortController();
  const effects: Effects = {
    stdout: sink,
    stderr: sink,
    env,
    cwd: path.resolve(folder.root),
    now: () => now + Math.round(performance.now() - started),
    readStdin: () => Promise.resolve(new Uint8Array()),
    signal: interruption.signal,
    terminal: { input, output },
  };
  let failed: unknown;
  const ended = runExplorer({
    flags: world.flags ?? {},
    effects,
    terminal: { input, output },
    notebook: world.notebook,
    mouse: true,
    spoken: world.spoken ?? false,
    plain: world.plain ?? false,
    look: world.look ?? { depth: 'plain', unicode: true },
    chart: { colours: 0, dark: true, ascii: false },
    process: world.process ?? { id: 1, started: 1, isAlive: () => false },
    stop: () => Promise.resolve(),
    guard: () => () => undefined,
    watch: () => () => undefined,
  }).catch((error: unknown) => {
    failed = error;
  });
  const flushed = () =>
    new Promise<void>((resolve) => {
      emulator.write('', resolve);
    });
  const screen = () =>
    Array.from(
      { length: emulator.rows },
      (_, row) => emulator.buffer.active.getLine(emulator.buffer.active.viewportY + row)?.translateToString(true) ?? '',
    ).join('\n');
  const pause = (ms: number) =>
    new Promise((resolve) => {
      setTimeout(resolve, ms);
    });

  return {
    screen,
    ended,
    written: () => written,
    raw: () => raw,
    async press(...chunks) {
      for (const chunk of chunks) {
        input.write(chunk);
        // Wait after an escape: only a pause distinguishes it from a sequence.
        await pause(chunk === sent.escape ? 45 : 3);
      }
      await flushed();
    },
    async see(wanted) {
      const seen =
        typeof wanted === 'function'
          ? wanted
          : (text: string) => (typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text));
      for (let waited = 0; waited < 10_000; waited += 10) {
        await flushed();
        if (failed !== undefined) throw failed;
        if (seen(screen())) return screen();
        await pause(10);
      }
      throw new Error(`The screen never shows ${String(wanted)}:\n${screen()}`);
    },
    async resize(width, height) {
      emulator.resize(width, height);
      Object.assign(output, { columns: width, rows: height });
      output.emit('resize');
      await pause(40);
      await flushed();
    },
    cursor: () => ({ x: emulator.buffer.active.cursorX, y: emulator.buffer.active.cursorY }),
    isAlternate: () => emulator.buffer.active.type === 'alternate',
    modesLeft() {
      const modes = new Map<string, boolean>();
      for (const [, mode = '', letter = ''] of written.matchAll(/\u001b\[(\?\d+)([hl])/g))
        modes.set(mode, letter === 'h');
      // The cursor is visible by default.
      return [...modes].flatMap(([mode, on]) => (on === (mode === '?25') ? [] : [mode]));
    },
    async [Symbol.asyncDispose]() {
      interruption.abort();
      await ended;
      emulator.dispose();
      if (failed !== undefined) throw failed;
    },
  };
}
