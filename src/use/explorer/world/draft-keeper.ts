import type { Effect } from '../effects.ts';
import type { Drafts } from './drafts.ts';

type ToKeep = Omit<Effect & { readonly kind: 'keep-draft' }, 'kind'>;

/** Keeps what is typed when nothing was typed for a while. */
export interface DraftKeeper {
  /** Where it is kept; what was to be kept before that waited for it. */
  keepIn(drafts: Drafts): void;
  readonly drafts: Drafts | undefined;
  /** `onFailure` is told where it cannot be written. */
  keep(draft: ToKeep, onFailure: (error: unknown) => void): void;
  /** At once: the process may be going down. Throws as writing does. */
  flush(): void;
}

const pauseMs = 300;

export function openDraftKeeper(): DraftKeeper {
  let drafts: Drafts | undefined;
  let waiting: ToKeep | undefined;
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (!waiting || !drafts) return;
    const { cells, typed, file } = waiting;
    waiting = undefined;
    drafts.keep({ cells, typed, file });
  }

  return {
    get drafts() { return drafts; },
    keepIn(given) { drafts ??= given; },
    keep(draft, onFailure) {
      waiting = draft;
      timer ??= setTimeout(() => {
        try {
          flush();
        } catch (error) {
          onFailure(error);
        }
      }, pauseMs);
    },
    flush,
  };
}
