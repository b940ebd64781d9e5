import { mkdir, open, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { findFiles, eventsPurpose } from '../../run/duckdb/reading/find-files.ts';
import { makeTemporaryFolder } from '../../run/file/temporary-folder.ts';
import type { Settings } from '../config/settings.ts';

/** Settings whose events are a part of others, in files that exist until it is disposed of. */
interface PartOfEvents extends AsyncDisposable {
  readonly settings: Settings;
}

/** Less text is read in a moment. */
const littleText = 24 * 2 ** 20;
/** More text takes seconds for each question. */
const muchText = 200 * 2 ** 20;
const mostlyText = /\.(?:ndjson|jsonl|json|csv|tsv|log|txt)(?:\.(?:gz|zst))?$/i;
/** What is read instead of more: so many bytes from places all over each file. */
const partBytes = 4 * 2 ** 20;
const pieceBytes = 256 * 1024;
const mostFiles = 40;

/** Bytes of text in the event files; undefined if questions read them fast enough. Errors: those of `findFiles`. */
export async function slowBytes({ events }: Settings, cwd: string): Promise<number | undefined> {
  if (events.value.some(isAddress)) return undefined;
  const files = await findFiles(events.value, cwd, eventsPurpose);
  const sizes = await Promise.all(files.filter((file) => mostlyText.test(file)).map(sizeOf));
  const all = sizes.reduce((sum, size) => sum + size, 0);
  return all > muchText ? all : undefined;
}

const isAddress = (each: string) => /^\w+:\/\//.test(each);
const sizeOf = async (file: string) => (await stat(file)).size;

/**
 * Whole lines from all over large text files, to find out what they have without reading them again and again.
 * undefined if the files are small, or if lines cannot be taken from the middle of them: other formats, compressed
 * files, lists in one JSON value, line breaks in quotes. Errors: those of `findFiles`.
 */
export async function partOfEvents(settings: Settings, cwd: string): Promise<PartOfEvents | undefined> {
  const { events, sources } = settings;
  const [source, another] = sources.value;
  if (another || (source && String(source.files) !== String(events.value)) || events.value.some(isAddress))
    return undefined;
  const files = await findFiles(events.value, cwd, eventsPurpose);
  if (!files.every((file) => /\.(?:ndjson|jsonl|json|csv|tsv)$/i.test(file))) return undefined;
  const step = Math.max(1, Math.ceil(files.length / mostFiles));
  const chosen = files.filter((_, index) => (files.length - 1 - index) % step === 0);
  const sizes = await Promise.all(files.map(sizeOf));
  const all = sizes.reduce((sum, size) => sum + size, 0);
  if (all <= littleText) return undefined;
  const folder = makeTemporaryFolder();
  const dispose = () => folder[Symbol.asyncDispose]();
  try {
    const parts: string[] = [];
    for (const file of chosen) {
      const size = sizes[files.indexOf(file)]!;
      const count = Math.max(2, Math.ceil((partBytes * size) / all / pieceBytes));
      // The smallest of many files are taken as they are.
      const lines = count * pieceBytes < size ? await takePieces(file, size, count) : file;
      if (lines === undefined) {
        await dispose();
        return undefined;
      }
      if (typeof lines === 'string') parts.push(lines);
      else parts.push(await writeTo(path.join(folder.path, String(parts.length)), path.basename(file), lines));
    }
    const ofPart = {
      events: { ...events, value: parts },
      sources: { ...sources, value: source ? [{ ...source, files: parts }] : [] },
    };
    return { settings: { ...settings, ...ofPart }, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

async function writeTo(folder: string, name: string, lines: Uint8Array): Promise<string> {
  await mkdir(folder);
  await writeFile(path.join(folder, name), lines);
  return path.join(folder, name);
}

/** The whole lines in pieces that lie evenly in a file, the first at its beginning, the last at its end. */
async function takePieces(file: string, size: number, count: number): Promise<Uint8Array | undefined> {
  const pieces: Buffer[] = [];
  await using handle = await open(file);
  for (let index = 0; index < count; index += 1) {
    const offset = Math.round(((size - pieceBytes) * index) / (count - 1));
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(pieceBytes), 0, pieceBytes, offset);
    const begin = index === 0 ? 0 : buffer.indexOf('\n') + 1;
    const end = buffer.subarray(0, bytesRead).lastIndexOf('\n') + 1;
    // A line longer than a piece.
    if ((index > 0 && begin === 0) || end <= begin) return undefined;
    pieces.push(buffer.subarray(begin, end));
  }
  const lines = Buffer.concat(pieces);
  return areLines(file, lines.toString('latin1')) ? lines : undefined;
}

/** Whether each record of a file is one line, as far as a part of it shows. */
function areLines(file: string, text: string): boolean {
  const isWhole = /\.[ct]sv$/i.test(file)
    ? (line: string) => (line.split('"').length - 1) % 2 === 0
    : (line: string) => line === '' || (line.startsWith('{') && line.endsWith('}'));
  // Encodings of several bytes have zeros in their line breaks.
  return !text.includes('\0') && text.split(/\r?\n/).every(isWhole);
}
