import type { SluiceErrorCode } from '../../ask/error-codes.ts';
import { constants, open } from 'node:fs/promises';
import { errorIssue } from '../../ask/outcome.ts';
import { InvalidInputError } from '../../ask/sluice-error.ts';
import { noteLook } from '../looks.ts';

/** More than people write by hand, and small enough to read at once. */
const maxBytes = 4 * 1024 * 1024;

/**
 * Reads a file written by a person: a configuration, model, query, funnel or report. `shown`: its name for messages.
 * Throws `InvalidInputError` if it is a device or a pipe, which may never end, or larger than 4 MB; otherwise the
 * system's error.
 */
export async function readDefinition(file: string, shown: string): Promise<Buffer> {
  noteLook(file);
  // O_NONBLOCK: opening a pipe would wait for a writer.
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = await handle.stat();
    if (!found.isFile() && !found.isDirectory())
      throw unfit(
        'not-a-regular-file',
        `${shown} is not a regular file.`,
        'Write its content to a file and specify that file.',
      );
    if (found.size <= maxBytes) {
      const bytes = await handle.readFile();
      if (bytes.length <= maxBytes) return bytes;
    }
    throw unfit(
      'file-too-large',
      `${shown} is larger than ${maxBytes / 1024 / 1024} MB, the limit for a file of definitions.`,
      'Check that the name is right.',
    );
  } finally {
    await handle.close();
  }
}

function unfit(code: SluiceErrorCode, message: string, hint: string): InvalidInputError {
  return new InvalidInputError(message, [errorIssue(code, message, { hint })], { code, hint });
}
