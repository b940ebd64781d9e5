import { isUtf8 } from 'node:buffer';
import { type Compression, readBytes } from '../../../file/read-bytes.ts';
import type { Engine } from '../../engine/engine.ts';
import { writeLineFault } from '../text/line-fault.ts';
import { splitLines } from '../text/split-lines.ts';
import { type LineForm, openJoiner, openLineReader } from './line-form.ts';
import { writeCopy } from './write-copy.ts';

/** A log whose lines become JSON objects. */
export interface LinedFile {
  readonly path: string;
  readonly format: 'lines';
  readonly form: LineForm;
  readonly compression: Compression;
  readonly encoding?: string | undefined;
}

/**
 * Writes each line as a JSON object into the engine's folder, so that line numbers stay the same. Lines of another form
 * have a mark that says why, and are rejected. Error: `file-corrupt`.
 */
export async function linesToNdjson(engine: Engine, { path, form, compression, encoding }: LinedFile): Promise<string> {
  const reader = openLineReader(form);
  const joiner = openJoiner(form);
  const lines = async function* () {
    let written: (string | Buffer)[] = [];
    const write = (joined: ReturnType<typeof joiner.end>) => {
      for (const { text, lines: count } of joined) written.push(reader.read(text), '\n'.repeat(count));
    };
    const splitter = splitLines(({ bytes, head, reason }) => {
      if (bytes && isUtf8(bytes)) return write(joiner.join(bytes.toString('utf8').replace(/^\uFEFF/, '')));
      write(joiner.end());
      // The copy keeps faulty bytes, so that its reader names them.
      written.push(bytes ?? writeLineFault(reason ?? 'unreadable', head!.toString('utf8')), '\n');
    });
    const take = () => {
      const all = Buffer.concat(written.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
      written = [];
      return all;
    };
    for await (const piece of readBytes(path, compression, { encoding })) {
      splitter.push(piece);
      yield take();
    }
    splitter.end();
    write(joiner.end());
    written.push(...reader.end().flatMap((line) => [line, '\n']));
    yield take();
  };
  return writeCopy(engine, path, lines(), { kind: 'lines', ending: 'ndjson' });
}
