import { SluiceError, type SluiceErrorDetails } from '../../../ask/sluice-error.ts';

/** Who got an email, and who did not, in one attempt. */
export interface Receivers {
  readonly taken: readonly string[];
  readonly refused: readonly string[];
}

/** Not everybody got an email. */
export class Undelivered extends SluiceError {
  readonly receivers: Receivers;

  constructor(message: string, details: SluiceErrorDetails, receivers: Receivers) {
    super(message, details);
    this.receivers = receivers;
  }
}
