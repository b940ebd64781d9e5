/** `--color=always`, `--no-color`. */
export type ColourFlag = boolean | 'auto' | 'always' | 'never';
/** Flags of every command. */
export interface GlobalFlags {
  readonly events?: readonly string[];
  readonly encoding?: string;
  readonly map?: readonly string[];
  readonly preset?: string;
  readonly store?: string;
  /** Only some commands have it. */
  readonly timezone?: string;
  readonly asOf?: string;
  readonly knownAt?: string;
  readonly backend?: string;
  readonly project?: string;
  readonly host?: string;
  readonly wait?: string;
  readonly memory?: string;
  /** False or undefined: `--no-cache`. */
  readonly cache?: boolean;
  readonly config?: string;
  /** Cells of a line. */
  readonly width?: number;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly color?: ColourFlag;
}
