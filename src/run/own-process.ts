/** What stage `run` may know about its process. Stage `use` sets it. */
export interface OwnProcess {
  readonly id: number;
  /** The number of the person whose process it is; undefined where the system has none. */
  readonly user: number | undefined;
  /** Whether there is a process of this number, anybody's. */
  isAlive(id: number): boolean;
  /** Bytes that its container still leaves it; Infinity without such a limit. */
  roomInContainer(): number;
  /** Does something, at once, when the process ends by itself. */
  atExit(task: () => void): void;
}

let known: OwnProcess | undefined;

/** For the first that starts something in this process. */
export function knowProcess(own: OwnProcess): void {
  known ??= own;
}

/** undefined until `use` sets it. */
export function ownProcess(): OwnProcess | undefined {
  return known;
}
