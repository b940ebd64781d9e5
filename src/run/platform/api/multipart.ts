import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { UploadSource } from '../../../ask/platform/parameter.ts';
import { SluiceError } from '../../../ask/sluice-error.ts';
import { quote } from '../../../ask/text.ts';
import { systemReason } from '../../file/system-error.ts';
import type { StreamedBody } from '../../http/http-client.ts';
import { type QueryParameters, toPairs } from '../../http/query-string.ts';

/**
 * Encodes fields and files as `multipart/form-data` of known length. Files are read in pieces, again with each try.
 * Errors: `file-unreadable`, and during sending `file-changed`.
 */
export async function openMultipart(
  fields: QueryParameters,
  files: Readonly<Record<string, UploadSource>>,
  random: () => number,
): Promise<{ readonly type: string; readonly body: StreamedBody }> {
  // Long enough not to occur in a file by chance.
  const boundary = `sluice-${Array.from({ length: 4 }, () => random().toString(36).slice(2)).join('')}`;
  const parts: StreamedBody[] = toPairs(fields).map(([name, value]) =>
    toPart(`--${boundary}\r\n${disposition(name)}\r\n\r\n${value}\r\n`),
  );
  for (const [name, file] of Object.entries(files)) {
    const source = typeof file === 'string' ? await openFile(file) : file;
    const head = `${disposition(name)}; filename="${escape(source.name)}"\r\nContent-Type: application/octet-stream`;
    parts.push(toPart(`--${boundary}\r\n${head}\r\n\r\n`), exactly(source), toPart('\r\n'));
  }
  parts.push(toPart(`--${boundary}--\r\n`));
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    body: {
      bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
      async *open() {
        for (const part of parts) yield* part.open();
      },
    },
  };
}

function disposition(name: string): string {
  return `Content-Disposition: form-data; name="${escape(name)}"`;
}

/** Source: the HTML standard, multipart/form-data encoding. */
function escape(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function toPart(written: string): StreamedBody {
  const bytes = Buffer.from(written);
  return {
    bytes: bytes.length,
    async *open() {
      yield bytes;
    },
  };
}

type OpenedSource = Exclude<UploadSource, string>;

async function openFile(file: string): Promise<OpenedSource> {
  const found = await stat(file).catch((cause: unknown) => {
    throw new SluiceError(`${file} cannot be read: ${systemReason(cause as NodeJS.ErrnoException)}.`, {
      code: 'file-unreadable',
      cause,
      hint: 'Check the path and the permissions of the file.',
    });
  });
  if (!found.isFile())
    throw new SluiceError(`${file} is not a regular file.`, {
      code: 'not-a-regular-file',
      hint: 'Specify a file: its length is sent before its content.',
    });
  return { name: path.basename(file), bytes: found.size, open: () => createReadStream(file) };
}

/** Throws `file-changed` if the file does not have the announced length. */
function exactly({ name, bytes, open }: OpenedSource): StreamedBody {
  const changed = () =>
    new SluiceError(`${quote(name)} changed while it was sent.`, {
      code: 'file-changed',
      hint: 'Send it again when nothing writes to it.',
    });
  return {
    bytes,
    async *open() {
      let sent = 0;
      for await (const piece of open()) {
        sent += piece.length;
        if (sent > bytes) throw changed();
        yield piece;
      }
      if (sent < bytes) throw changed();
    },
  };
}
