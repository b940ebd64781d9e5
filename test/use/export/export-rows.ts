import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';

export type ExportedRow = Readonly<Record<string, string | null>>;

/** The rows of NDJSON or JSON files, in the order of the file names; a file, or all files below a folder. */
export function readRows(place: string): readonly ExportedRow[] {
  const files =
    place.includes('.') && !place.endsWith('/')
      ? [place]
      : readdirSync(place, { recursive: true, encoding: 'utf8' }).map((file) => path.join(place, file));
  return files
    .filter((file) => /\.(?:nd)?json(?:\.gz|\.zst)?$/.test(file) && !file.endsWith('.manifest.json'))
    .sort()
    .flatMap((file) => {
      const bytes = readFileSync(file);
      const text = String(
        file.endsWith('.gz') ? gunzipSync(bytes) : file.endsWith('.zst') ? zstdDecompressSync(bytes) : bytes,
      );
      return (
        /\.json(?:\.|$)/.test(file)
          ? JSON.parse(text)
          : text
              .split('\n')
              .filter((line) => line !== '')
              .map((line) => JSON.parse(line) as unknown)
      ) as readonly ExportedRow[];
    });
}

/** Counts events by the values of some members. */
export function countRows(rows: readonly ExportedRow[], members: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows) {
    const key = JSON.stringify(members.map((member) => row[`TrackedEvents.${member}`] ?? null));
    counts.set(key, (counts.get(key) ?? 0) + Number(row['TrackedEvents.count'] ?? 1));
  }
  return new Map([...counts].sort(([one], [other]) => (one < other ? -1 : 1)));
}
