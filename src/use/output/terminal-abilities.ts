import type { ColourDepth } from '../../show/terminal/chart/draw-chart-options.ts';
import type { ColourFlag } from '../process/global-flags.ts';
import type { PictureProtocol } from '../../show/terminal/chart/write-picture.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Whether colour is wanted, by `--no-color` and `NO_COLOR` (https://no-color.org), on a terminal that obeys any.
 * `--color` and, without it, `CLICOLOR_FORCE` and `FORCE_COLOR` want it anywhere.
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

/** What the terminal that is written to can show. */
export interface TerminalAbilities {
  readonly colours: ColourDepth;
  /** Its background is dark, which most are; so it is taken for one unless it says otherwise. */
  readonly dark: boolean;
  /** It has but ASCII signs. */
  readonly ascii: boolean;
  /** How it shows pictures, where it is known to. */
  readonly pictures: PictureProtocol | undefined;
}

export interface AbilityQuestion {
  readonly isTerminal: boolean;
  readonly env: Environment;
  /** False where nobody wants colour. */
  readonly color?: ColourFlag | undefined;
}

/** What a terminal can do, by the environment that it gave its programs. A pipe has no colours and no pictures. */
export function readTerminalAbilities({ isTerminal, env, color }: AbilityQuestion): TerminalAbilities {
  const plain = env['TERM'] === 'dumb';
  return {
    colours: allowsColour(color, env, isTerminal) ? readDepth(env, isTerminal) : 0,
    dark: readDark(env['COLORFGBG']),
    // The console of Linux has a font of at most 512 signs.
    ascii: isTerminal && (plain || env['TERM'] === 'linux'),
    pictures: isTerminal && !plain ? readProtocol(env) : undefined,
  };
}

function readDepth(env: Environment, isTerminal: boolean): ColourDepth {
  // Who wants colour where no terminal is asks for it by name; without one, sixteen colours are obeyed anywhere.
  // Imported, it would bring the network along.
  const { WriteStream } = process.getBuiltinModule('node:tty');
  const bits = Math.max(isTerminal ? 1 : 4, WriteStream.prototype.getColorDepth(env));
  return bits === 24 || bits === 8 || bits === 4 ? bits : 0;
}

/**
 * `foreground;background`, sometimes with another part in between, as rxvt and those after it say it: of sixteen
 * colours, 7 and 15 are white.
 */
function readDark(colours: string | undefined): boolean {
  const background = colours?.split(';').at(-1);
  return background !== '7' && background !== '15';
}

/** Inside tmux and screen none: they draw the screen anew and know nothing of pictures. */
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
