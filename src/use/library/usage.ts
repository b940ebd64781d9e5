import { checkWord } from '../../ask/document/check-argument.ts';
import { BackendError } from '../../ask/sluice-error.ts';
import type { Result } from '../../shape/result/result.ts';
import type { FreezeOutcome } from '../usage/frozen-files.ts';
import type { RunUsage } from '../usage/run-usage.ts';
import type { Opened } from './open-library.ts';
import type { AsOf } from '../process/as-of.ts';

/** Which usage to count. */
export interface UsageOptions extends RunUsage {
  /** The reference time: the last month before it is reported by default. */
  readonly asOf?: AsOf | undefined;
  /** Refuse usage without some projects, or from data that end early: `incomplete-answer`. */
  readonly strict?: boolean | undefined;
  /** Aborts the call, which then throws `AbortedError`. */
  readonly signal?: AbortSignal | undefined;
}

/** Events of months, project by project. */
export interface UsageAnswer {
  /** All figures, a row a project: events of each month, change, share and quota. */
  readonly result: Result;
  /** The tables that people read, one or two: the `result` of each, and its `title`. */
  readonly parts: readonly { readonly result: Result; readonly title?: string | undefined }[];
  /** Projects that could not be counted, and why; sentences. */
  readonly failures: readonly string[];
  /** What must not be missed, such as data that end before the month does; sentences. */
  readonly alerts: readonly string[];
  /** What else is to be known, such as projects that are not onboarded; sentences. */
  readonly footnotes: readonly string[];
  /** What a freeze did, if one was asked for. */
  readonly froze?: FreezeOutcome | undefined;
  /** The same as text, as the command line writes it. Throws `InvalidInputError` for another format. */
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
