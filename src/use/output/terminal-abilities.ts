import type { ColourDepth } from '../../show/terminal/chart/draw-chart-options.ts';
import type { ColourFlag } from '../process/global-flags.ts';
import type { PictureProtocol } from '../../show/terminal/chart/write-picture.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * True if colour is wanted. `--no-color` and `NO_COLOR` (https://no-color.org) turn it off; `--color`, `CLICOLOR_FORCE`
 * and `FORCE_COLOR` turn it on even without a terminal. `--color` and `NO_COLOR` rank above the other variables. By
 * default a terminal has colour unless it is dumb.
 */
export function allowsColour(color: ColourFlag | undefined, env: Environment, isTerminal = true): boolean {
  if (color === false || color === 'never') return false;
  if (color === true || color === 'always') return true;
  if ((env['NO_COLOR'] ?? '') !== '') return false;
  return forcesColour(env) || (isTerminal && env['TERM'] !== 'dumb');
}

function forcesColour(env: Environment): boolean {
  const isSet = (value: string | undefined) =>
    value !== undefined && value !== '' && value !== '0' && value !== 'false';
  return isSet(env['CLICOLOR_FORCE']) || isSet(env['FORCE_COLOR']);
}

/** What the output's terminal can display. */
interface TerminalAbilities {
  readonly colours: ColourDepth;
  /** True for a dark background, which is assumed unless the terminal reports another. */
  readonly dark: boolean;
  /** True if it displays only ASCII. */
  readonly ascii: boolean;
  /** Its picture protocol, if known. */
  readonly pictures: PictureProtocol | undefined;
}

interface AbilityQuestion {
  readonly isTerminal: boolean;
  readonly env: Environment;
  /** False to turn colour off. */
  readonly color?: ColourFlag | undefined;
}

/** The abilities of a terminal, from its environment variables. A pipe has no colours and no pictures. */
export function readTerminalAbilities({ isTerminal, env, color }: AbilityQuestion): TerminalAbilities {
  const plain = env['TERM'] === 'dumb';
  return {
    colours: allowsColour(color, env, isTerminal) ? readDepth(env, isTerminal) : 0,
    dark: readDark(env['COLORFGBG']),
    // The font of the Linux console has at most 512 characters.
    ascii: isTerminal && (plain || env['TERM'] === 'linux'),
    pictures: isTerminal && !plain ? readProtocol(env) : undefined,
  };
}

function readDepth(env: Environment, isTerminal: boolean): ColourDepth {
  // Colour without a terminal was requested explicitly, and sixteen colours work anywhere. Use `getBuiltinModule`,
  // because an import would also load the network modules.
  const { WriteStream } = process.getBuiltinModule('node:tty');
  const bits = Math.max(isTerminal ? 1 : 4, WriteStream.prototype.getColorDepth(env));
  return bits === 24 || bits === 8 || bits === 4 ? bits : 0;
}

/**
 * Reads `foreground;background`, sometimes with a part in between, as rxvt and others set it: of sixteen colours, 7 and
 * 15 are white.
 */
function readDark(colours: string | undefined): boolean {
  const background = colours?.split(';').at(-1);
  return background !== '7' && background !== '15';
}

/** Returns none inside tmux and screen, which redraw the screen and drop pictures. */
function readProtocol(env: Environment): PictureProtocol | undefined {
  const { TERM: term = '', TERM_PROGRAM: program = '', LC_TERMINAL: local = '' } = env;
  if ((env['TMUX'] ?? '') !== '' || (env['STY'] ?? '') !== '' || /^(?:screen|tmux)/.test(term)) return undefined;
  if (
    term === 'xterm-kitty' ||
    term === 'xterm-ghostty' ||
    program === 'ghostty' ||
    (env['KITTY_WINDOW_ID'] ?? '') !== ''
  )
    return 'kitty';
  if (program === 'iTerm.app' || local === 'iTerm2' || program === 'WezTerm') return 'iterm2';
  return /^(?:foot|mlterm|contour)|sixel/.test(term) ? 'sixel' : undefined;
}
