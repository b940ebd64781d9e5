import { SluiceError } from '../../ask/sluice-error.ts';

/** A rejected request, with its status and the message for the client. */
export class Refusal extends SluiceError {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the query is at fault, for example by an unknown member. Cube marks such errors. */
  readonly isUserError: boolean;

  constructor(
    status: number,
    message: string,
    details: { readonly headers?: Readonly<Record<string, string>>; readonly isUserError?: boolean } = {},
  ) {
    super(message, { code: 'refused' });
    this.status = status;
    this.headers = details.headers ?? {};
    this.isUserError = details.isUserError ?? false;
  }
}
