import { checkWord } from '../../ask/document/check-argument.ts';
import { BackendError } from '../../ask/sluice-error.ts';
import type { Result } from '../../shape/result/result.ts';
import type { FreezeOutcome } from '../usage/frozen-files.ts';
import type { RunUsage } from '../usage/run-usage.ts';
import type { Opened } from './open-library.ts';
import type { AsOf } from '../process/as-of.ts';

/** Options of `usage`. */
export interface UsageOptions extends RunUsage {
  /** Reference time. The last full month before it is reported by default. */
  readonly asOf?: AsOf | undefined;
  /** Throws `incomplete-answer` if projects are missing or the data end early. */
  readonly strict?: boolean | undefined;
  /** Aborts the call, which then throws `AbortedError`. */
  readonly signal?: AbortSignal | undefined;
}

/** The usage of all projects. */
export interface UsageAnswer {
  /** All figures, one row per project: events of each month, change, share and quota. */
  readonly result: Result;
  /** One or two tables for people, each with a `result` and a `title`. */
  readonly parts: readonly { readonly result: Result; readonly title?: string | undefined }[];
  /** Projects that could not be counted, and why, one sentence each. */
  readonly failures: readonly string[];
  /** Important warnings, such as data that end before the month does, one sentence each. */
  readonly alerts: readonly string[];
  /** Other notes, such as projects that are not onboarded, one sentence each. */
  readonly footnotes: readonly string[];
  /** The result of freezing months, if requested. */
  readonly froze?: FreezeOutcome | undefined;
  /** Formats the tables as text, as the command line does. Throws `InvalidInputError` for other formats. */
  toText(format?: 'table' | 'markdown'): Promise<string>;
}

export function countUsage(opened: Opened, options: UsageOptions = {}): Promise<UsageAnswer> {
  return opened.call('usage', options, async (signal) => {
    const { asOf, strict, signal: _, ...asked } = options;
    const [{ runUsage }, { toUsageTable }] = await Promise.all([
      import('../usage/run-usage.ts'),
      import('../../tell/usage/usage-answer.ts'),
    ]);
    const { usage, provenance, frozen, answer, froze } = await runUsage(opened.workspace(asOf, signal), asked);
    const { parts, failures, alerts, footnotes } = answer;
    const lacks = [...failures, ...alerts];
    if (strict && lacks.length > 0)
      throw new BackendError(`The usage is incomplete. ${lacks.join(' ')}`, {
        code: 'incomplete-answer',
        hint: 'Mend what is named, or pass `strict: false`.',
      });
    return {
      result: toUsageTable(usage, provenance, frozen),
      parts: parts.map(({ result, title }) => ({ result, title })),
      failures,
      alerts,
      footnotes,
      ...(froze && { froze }),
      async toText(format = 'table') {
        checkWord('toText', 'The format', format, ['table', 'markdown']);
        const { writeUsage } = await import('../usage/write-usage.ts');
        let text = '';
        for await (const piece of writeUsage(answer, format, { width: Infinity, colour: false })) text += piece;
        return text;
      },
    };
  });
}
