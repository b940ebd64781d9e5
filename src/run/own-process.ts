/** What stage `run` may know about its process. Stage `use` sets it. */
export interface OwnProcess {
  readonly id: number;
  /** The user ID of the process; undefined if the system has none. */
  readonly user: number | undefined;
  /** True if a process with this number exists, of any user. */
  isAlive(id: number): boolean;
  /** Bytes of memory that its container has left; Infinity without a limit. */
  roomInContainer(): number;
  /** Runs a synchronous task when the process exits normally. */
  atExit(task: () => void): void;
}

let known: OwnProcess | undefined;

/** Sets the process; later calls have no effect. */
export function knowProcess(own: OwnProcess): void {
  known ??= own;
}

/** undefined until `use` sets it. */
export function ownProcess(): OwnProcess | undefined {
  return known;
}
