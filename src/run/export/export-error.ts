import { SluiceError } from '../../ask/sluice-error.ts';

/** An export that cannot go on, or must not. */
export class ExportError extends SluiceError {
  override readonly name = 'ExportError';
}
