import type { Readable, Writable } from 'node:stream';
import type { SuspendTerminal } from 'ink';
import type { TextLook } from '../../../show/terminal/paint.ts';
import { allowsColour } from '../../output/terminal-abilities.ts';
import type { Effects as CommandEffects, Terminal } from '../../process/effects.ts';
import type { ColourFlag, GlobalFlags } from '../../process/global-flags.ts';
import { type Screen, composeScreen } from '../compose/screen.ts';
import { composeReaderLines } from '../compose/screen-reader-lines.ts';
import type { Message } from '../state/message.ts';
import type { ExplorerState, Size, Theme } from '../state/state.ts';
import { startState, update } from '../update.ts';
import { openDrafts } from '../perform/drafts.ts';
import { openPerformer } from '../perform/performer.ts';
import type { TerminalPort } from '../perform/terminal-port.ts';
import { loadInk } from './load-ink.ts';
import { readKeys } from './read-keys.ts';

/** The look of texts on this terminal. */
export function readLook(color: ColourFlag | undefined, env: Readonly<Record<string, string | undefined>>): TextLook {
  const depth = env['TERM'] === 'dumb' ? 'plain' : allowsColour(color, env) ? 'colour' : 'attributes';
  return { depth, unicode: true };
}

const mouseOn = '\u001b[?1000h\u001b[?1006h';
const mouseOff = '\u001b[?1006l\u001b[?1000l';
const pasteOn = '\u001b[?2004h';
const pasteOff = '\u001b[?2004l';
/**
 * Resets all modes, shows the cursor, and returns to the primary screen and plain text, wherever output was
 * interrupted.
 */
const asBefore = `${mouseOff}${pasteOff}\u001b[?2026l\u001b[0m\u001b[?25h\u001b[?1049l`;

type RawInput = Readable & { readonly setRawMode?: (on: boolean) => unknown };

/** Modes of a terminal that outlive the process, so it must reset them. */
interface TerminalModes {
  /** Enables raw input, and reports of pastes and the mouse wheel. */
  enter(): void;
  /** Synchronous and idempotent; also works while the process exits. */
  leave(): void;
  setMouse(on: boolean): void;
}

/** `plain`: send no escape sequences, for a screen reader or a terminal without them. */
function openTerminalModes(
  input: RawInput,
  output: Writable,
  { mouse: withMouse, plain }: { readonly mouse: boolean; readonly plain: boolean },
): TerminalModes {
  let mouse = withMouse;
  let entered = false;
  const write = (text: string) => {
    // A closed terminal has no modes to reset.
    if (plain || output.destroyed || output.writableEnded) return;
    try {
      output.write(text);
    } catch {
      return;
    }
  };
  const setRaw = (on: boolean) => {
    try {
      input.setRawMode?.(on);
    } catch {
      return;
    }
  };
  return {
    enter() {
      entered = true;
      setRaw(true);
      write(pasteOn + (mouse ? mouseOn : ''));
    },
    leave() {
      if (!entered) return;
      entered = false;
      write(asBefore);
      setRaw(false);
    },
    setMouse(on) {
      mouse = on;
      if (entered) write(on ? mouseOn : mouseOff);
    },
  };
}

interface ExplorerOptions {
  readonly flags: GlobalFlags;
  readonly effects: CommandEffects;
  readonly terminal: Terminal;
  readonly look: TextLook;
  /** How charts are drawn. */
  readonly chart: TerminalPort['chart'];
  /** Print lines for a screen reader instead of drawing a screen. */
  readonly spoken: boolean;
  /** As `spoken`, because the terminal supports no escape sequences. */
  readonly plain: boolean;
  /** A report to open at startup. */
  readonly notebook: string | undefined;
  /** True if the explorer handles the mouse wheel. */
  readonly mouse: boolean;
  /** The process that owns the drafts. */
  readonly process: Parameters<typeof openDrafts>[1];
  /** Suspends to the shell; resolves when resumed. */
  readonly stop: () => Promise<void>;
  /** Restores the terminal however the process ends; returns a function that ends the watch. */
  readonly guard: (restore: () => void) => () => void;
  /** Writes this to the terminal if the process is killed; returns a function that ends the watch. */
  readonly watch: (asBefore: string) => () => void;
}

/** Maximum number of frames per second. */
const mostFrames = 60;
/** Interval at which the elapsed time of a run is redrawn. */
const tickMs = 100;

/** Runs the explorer until the user leaves it. Restores the terminal however it ends. */
export async function runExplorer(options: ExplorerOptions): Promise<void> {
  const {
    effects,
    terminal: { input, output },
    plain,
  } = options;
  let painted = toPainted('auto', options);
  const spoken = options.spoken || plain;
  const modes = openTerminalModes(input, output, { mouse: options.mouse, plain: spoken });
  const { promise: left, resolve: leave } = Promise.withResolvers<void>();
  let state: ExplorerState = { ...startState(sizeOf(output), effects.now()), mouse: options.mouse };
  let show: ((screen: Screen) => void) | undefined;
  let suspend: SuspendTerminal | undefined;
  let drawing: NodeJS.Immediate | undefined;
  let ticking: NodeJS.Timeout | undefined;
  let lent = false;

  const screenOf = (): Screen =>
    spoken ? { lines: composeReaderLines(state), cursor: undefined } : composeScreen(state, painted.look);
  const draw = () => {
    drawing = undefined;
    if (!lent) show?.(screenOf());
  };
  const tell = (message: Message) => {
    const { state: next, effects: wanted } = update(state, message, effects.now());
    state = next;
    for (const effect of wanted) world.perform(effect, tell);
    const isRunning = state.cells.some(({ run }) => run.kind === 'running');
    if (isRunning && !spoken) ticking ??= setInterval(() => tell({ kind: 'tick' }), tickMs);
    else {
      clearInterval(ticking);
      ticking = undefined;
    }
    // Draw once for all changes until then.
    drawing ??= setImmediate(draw);
  };

  const lend = async <T>(task: () => Promise<T>): Promise<T> => {
    let result: { readonly value: T } | undefined;
    lent = true;
    keys?.close();
    try {
      const work = async () => {
        modes.leave();
        try {
          result = { value: await task() };
        } finally {
          // Before anything is drawn: the user may press ctrl-c as soon as the explorer is visible.
          modes.enter();
        }
      };
      await (suspend ? suspend(work) : work());
    } finally {
      lent = false;
      keys = readKeys(input, onKey);
      tell({ kind: 'resized', size: sizeOf(output) });
    }
    return (result as { readonly value: T }).value;
  };
  const port: TerminalPort = {
    size: () => sizeOf(output),
    get look() {
      return painted.look;
    },
    get chart() {
      return painted.chart;
    },
    setTheme(theme) {
      painted = toPainted(theme, options);
      drawing ??= setImmediate(draw);
    },
    lend,
    setMouse: (on) => modes.setMouse(on),
    suspend: () => lend(options.stop),
    send: plain ? undefined : (text) => void output.write(text),
  };
  const onKey = (key: Parameters<Parameters<typeof readKeys>[1]>[0]) => tell({ kind: 'key', key });
  const onResize = () => tell({ kind: 'resized', size: sizeOf(output) });
  const world = openPerformer({
    flags: options.flags,
    effects,
    terminal: port,
    notebook: options.notebook,
    leave,
    openDrafts: (folder) => openDrafts(folder, options.process),
  });
  let unmount: (() => Promise<void>) | undefined;
  let stopView: (() => void) | undefined;
  const unguard = options.guard(() => {
    // Run each step even if another fails: the process is exiting.
    for (const end of [() => stopView?.(), () => modes.leave(), () => unwatch(), () => world.flush()]) {
      try {
        end();
      } catch {}
    }
  });
  const unwatch = spoken ? () => undefined : options.watch(asBefore);
  modes.enter();
  let keys: ReturnType<typeof readKeys> | undefined;
  output.on('resize', onResize);
  effects.signal.addEventListener('abort', () => leave(), { once: true });
  if (effects.signal.aborted) leave();
  try {
    const view = spoken
      ? (await import('./line-terminal.ts')).openLineTerminal(output, screenOf())
      : (await loadInk()).openInk({
          input,
          output,
          mostFrames,
          first: screenOf(),
          onReady: (given) => {
            suspend = given;
          },
        });
    show = view.show;
    unmount = view.close;
    stopView = view.stop;
    world.perform({ kind: 'open' }, tell);
    // Keys typed early apply to the workspace that is opening.
    keys = readKeys(input, onKey);
    tell({ kind: 'tick' });
    await left;
  } finally {
    clearInterval(ticking);
    clearImmediate(drawing);
    show = undefined;
    keys?.close();
    output.off('resize', onResize);
    await unmount?.();
    modes.leave();
    unwatch();
    await world[Symbol.asyncDispose]();
    unguard();
  }
}

/** The look of the screen and its charts in a theme, if the terminal supports colours. */
function toPainted(theme: Theme, { look, chart }: ExplorerOptions): Pick<ExplorerOptions, 'look' | 'chart'> {
  if (theme === 'auto' || look.depth === 'plain') return { look, chart };
  if (theme === 'none') return { look: { ...look, depth: 'attributes' }, chart: { ...chart, colours: 0 } };
  // All colour terminals support sixteen colours.
  const colours = chart.colours === 0 ? 4 : chart.colours;
  return { look: { ...look, depth: 'colour' }, chart: { ...chart, colours, dark: theme === 'dark' } };
}

function sizeOf(output: Writable): Size {
  const { columns, rows } = output as Writable & { readonly columns?: number; readonly rows?: number };
  return { columns: columns || 80, rows: rows || 24 };
}
