import type { Model } from '../../../plan/model/model.ts';

/** Something to put at the cursor. */
export interface Candidate {
  readonly value: string;
  readonly description?: string | undefined;
}

export interface Candidates {
  readonly candidates: readonly Candidate[];
  /** The names of files fit too. */
  readonly files: boolean;
}

/** What completion may look up; each costs only when it is asked. */
export interface Lookup {
  readonly model: () => Promise<Model>;
  /** Names of saved queries. */
  readonly saved: () => Promise<readonly string[]>;
}
