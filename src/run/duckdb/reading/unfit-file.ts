import { BackendError } from '../../../ask/sluice-error.ts';
import { quote } from '../../../ask/text.ts';

// Files that are no data as they stand, each told with the way to make them so.

export function notParquet(path: string): BackendError {
  return new BackendError(`${path} is not Parquet, whatever its name says.`, {
    code: 'not-parquet', hint: 'Export it afresh. If it is text, let its name say so: .ndjson, .json or .csv.',
  });
}

/** Reasons of rejected lines begin so whose bytes are no text. */
export const notUtf8Reason = 'not valid UTF-8';

/** What to do about lines that were rejected for their bytes; undefined where none was. */
export function encodingHint(examples: readonly { readonly reason: string }[]): string | undefined {
  if (!examples.some(({ reason }) => reason.startsWith(notUtf8Reason))) return undefined;
  return 'Convert the file to UTF-8: iconv -f WINDOWS-1252 -t UTF-8 OLD > NEW';
}

export function notUtf8(path: string, encoding: string): BackendError {
  return new BackendError(`${path} is written in ${encoding}; only UTF-8 can be read.`, {
    code: 'not-utf-8', hint: `Convert it: iconv -f ${encoding} -t UTF-8 OLD > NEW`,
  });
}

/** `place`: such as `after line 12`. */
export function damagedFile(path: string, cause: Error, place?: string): BackendError {
  return new BackendError(`${path} cannot be read${place === undefined ? '' : ` ${place}`}: ${cause.message}.`, {
    code: 'file-corrupt', cause, hint: 'Export it again, or leave it out.',
  });
}

export function columnNamedTwice(path: string, one: string, other: string): BackendError {
  const names = one === other ? `called ${quote(one)}` : `called ${quote(one)} and ${quote(other)}, the same but for letter case`;
  return new BackendError(`${path} has two columns ${names}.`, { code: 'column-named-twice', hint: 'Call one of them something else in the first line.' });
}

export function notARegularFile(path: string): BackendError {
  return new BackendError(`${path} is no regular file, and data is read more than once.`, {
    code: 'not-a-regular-file', hint: 'Write it to a file first (… > events.ndjson), and name that.',
  });
}
