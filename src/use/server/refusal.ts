import { SluiceError } from '../../ask/sluice-error.ts';

/** A request that is not answered: the status for it, and what the client is told. */
export class Refusal extends SluiceError {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** A name of a member that there is not, or another mistake in a query: Cube marks these. */
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
