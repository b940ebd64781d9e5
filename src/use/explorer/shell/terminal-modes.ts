import type { Readable, Writable } from 'node:stream';

const mouseOn = '\u001b[?1000h\u001b[?1006h';
const mouseOff = '\u001b[?1006l\u001b[?1000l';
const pasteOn = '\u001b[?2004h';
const pasteOff = '\u001b[?2004l';
/** The cursor seen, the primary screen, plain text: whatever was interrupted halfway. */
const asBefore = '\u001b[?2026l\u001b[0m\u001b[?25h\u001b[?1049l';

type RawInput = Readable & { readonly setRawMode?: (on: boolean) => unknown };

/** Modes of a terminal that outlive a process, and that it must leave as they were. */
export interface TerminalModes {
  /** Keys come one by one; pastes and the wheel are told. */
  enter(): void;
  /** At once, and as often as it is called; also when the process is going down. */
  leave(): void;
  setMouse(on: boolean): void;
}

/** `plain`: the terminal knows no escape sequences, and is sent none. */
export function openTerminalModes(input: RawInput, output: Writable, { mouse: withMouse, plain }: { readonly mouse: boolean; readonly plain: boolean }): TerminalModes {
  let mouse = withMouse;
  let entered = false;
  const write = (text: string) => {
    // A terminal that is gone has no modes.
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
      write(mouseOff + pasteOff + asBefore);
      setRaw(false);
    },
    setMouse(on) {
      mouse = on;
      if (entered) write(on ? mouseOn : mouseOff);
    },
  };
}
