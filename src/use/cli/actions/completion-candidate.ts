import type { Model } from '../../../plan/model/model.ts';

/** Text that can be inserted at the cursor. */
export interface Candidate {
  readonly value: string;
  readonly description?: string | undefined;
}

export interface Candidates {
  readonly candidates: readonly Candidate[];
  /** True if file names also fit. */
  readonly files: boolean;
}

/** Sources for completion; each is loaded only when asked. */
export interface Lookup {
  readonly model: () => Promise<Model>;
  /** Names of saved queries. */
  readonly saved: () => Promise<readonly string[]>;
}
