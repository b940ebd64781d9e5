import { AbortedError } from '../../../ask/sluice-error.ts';
import { sanitize } from '../../../show/labels/sanitize.ts';
import { wrapWords } from '../../../show/labels/wrap-words.ts';
import type { Terminal } from '../../process/effects.ts';

interface Choice<T extends string> {
  readonly value: T;
  readonly label: string;
  readonly hint?: string | undefined;
}

interface TextQuestion {
  readonly initial?: string | undefined;
  readonly example?: string | undefined;
  /** Returns the error of an answer, if any. */
  readonly check?: ((answer: string) => string | undefined) | undefined;
}

/** Asks the user. Each method rejects with `AbortedError` if the user cancels. */
export interface Asker {
  choose<T extends string>(question: string, choices: readonly Choice<T>[], initial?: T): Promise<T>;
  text(question: string, options?: TextQuestion): Promise<string>;
  confirm(question: string, initial: boolean): Promise<boolean>;
  begin(title: string): void;
  tell(kind: 'success' | 'warn' | 'error' | 'info', text: string): void;
  end(text: string): void;
}

/** Width of the line beside the prompts. */
const guide = 3;

/** Asks on a terminal of `width` columns, one prompt for each question. `undone`: the message after cancelling. */
export async function openAsker(
  { input, output }: Terminal,
  width: number,
  signal: AbortSignal,
  undone = 'Nothing was written.',
): Promise<Asker> {
  const prompts = await import('@clack/prompts');
  const streams = { input, output, signal };
  async function answered<T>(asking: Promise<T | typeof prompts.CANCEL_SYMBOL>): Promise<T> {
    const answer = await asking;
    if (answer !== prompts.CANCEL_SYMBOL) return answer as T;
    prompts.cancel(`Stopped. ${undone}`, { output });
    throw new AbortedError();
  }
  return {
    choose: <T extends string>(message: string, choices: readonly Choice<T>[], initial?: T) =>
      answered(
        prompts.select<string>({
          ...streams,
          message: sanitize(message),
          ...(initial !== undefined && { initialValue: initial }),
          options: choices.map(({ value, label, hint }) => ({
            value: value as string,
            label: sanitize(label),
            ...(hint !== undefined && { hint: sanitize(hint) }),
          })),
        }),
      ) as Promise<T>,
    text: (message, { initial, example, check } = {}) =>
      answered(
        prompts.text({
          ...streams,
          message: sanitize(message),
          validate: (answer) => check?.(answer?.trim() ?? ''),
          ...(initial !== undefined && { initialValue: initial }),
          ...(example !== undefined && { placeholder: example }),
        }),
      ).then((answer) => (answer ?? '').trim()),
    confirm: (message, initial) =>
      answered(prompts.confirm({ ...streams, message: sanitize(message), initialValue: initial })),
    begin: (title) => prompts.intro(title, { output }),
    tell: (kind, text) =>
      prompts.log[kind](
        text
          .split('\n')
          .flatMap((line) => wrapWords(sanitize(line), width - guide, { longWords: 'keep' }))
          .join('\n'),
        { output },
      ),
    end: (text) => prompts.outro(text.split('\n').map(sanitize).join('\n'), { output }),
  };
}
