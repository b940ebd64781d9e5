import path from 'node:path';
import { rowsRead, type SourceWindow, type StoreSource } from './store-contents.ts';

/** The sources of a store, indexed by their identity. */
export interface KnownSources {
  /** By the hash of the file on disk. */
  byHash(sha256: string): readonly StoreSource[];
  /** By the hash of the unpacked contents. */
  byContent(sha256: string): readonly StoreSource[];
  /** Files that a file may continue: those of the same log before and after rotation, and those with the same head. */
  mayContinue(file: string, head: string | undefined): readonly StoreSource[];
  byWindow(window: SourceWindow): StoreSource | undefined;
  /** True if a source of this size exists; otherwise no file of this size can be known by its content. */
  hasSize(bytes: number): boolean;
  add(source: StoreSource): void;
  remove(source: StoreSource): void;
}

export function indexSources(sources: readonly StoreSource[]): KnownSources {
  const hashes = new Map<string, readonly StoreSource[]>();
  const contents = new Map<string, readonly StoreSource[]>();
  const heads = new Map<string, readonly StoreSource[]>();
  const logs = new Map<string, readonly StoreSource[]>();
  const windows = new Map<string, StoreSource>();
  const sizes = new Map<number, number>();
  const keysIn = (
    source: StoreSource,
  ): readonly (readonly [Map<string, readonly StoreSource[]>, string | undefined])[] => [
    [hashes, source.sha256],
    [contents, contentOf(source)?.sha256],
    ...(source.window
      ? []
      : ([
          [heads, source.head],
          [logs, logOf(source.file)],
        ] as const)),
  ];
  const sizesIn = (source: StoreSource) => new Set([source.bytes, contentOf(source)?.bytes ?? source.bytes]);
  const index: KnownSources = {
    byHash: (sha256) => hashes.get(sha256) ?? [],
    byContent: (sha256) => contents.get(sha256) ?? [],
    mayContinue: (file, head) => [
      ...(logs.get(logOf(file))?.slice(-mostOfLog) ?? []),
      ...((head !== undefined && heads.get(head)) || []),
    ],
    byWindow: (window) => windows.get(keyOf(window)),
    hasSize: (bytes) => (sizes.get(bytes) ?? 0) > 0,
    add(source) {
      for (const [map, key] of keysIn(source)) if (key !== undefined) map.set(key, [...(map.get(key) ?? []), source]);
      if (source.window) windows.set(keyOf(source.window), source);
      for (const bytes of sizesIn(source)) sizes.set(bytes, (sizes.get(bytes) ?? 0) + 1);
    },
    remove(source) {
      for (const [map, key] of keysIn(source))
        if (key !== undefined)
          map.set(
            key,
            (map.get(key) ?? []).filter(({ number }) => number !== source.number),
          );
      if (source.window && windows.get(keyOf(source.window))?.number === source.number)
        windows.delete(keyOf(source.window));
      for (const bytes of sizesIn(source)) sizes.set(bytes, (sizes.get(bytes) ?? 1) - 1);
    },
  };
  for (const source of sources) index.add(source);
  return index;
}

/** The most files of one log that are compared with a new one. */
const mostOfLog = 100;

/** The size and hash of unpacked contents; undefined if an older version did not record them. */
export function contentOf({
  unpacked,
  format,
  bytes,
  sha256,
}: StoreSource): Pick<StoreSource, 'bytes' | 'sha256'> | undefined {
  return unpacked ?? (/, (?:gzip|zstd)\b/.test(format) ? undefined : { bytes, sha256 });
}

/** Whether anything was read from a source. A file that only has column names is continued by many. */
export function hasLines(source: StoreSource): boolean {
  return rowsRead(source) + source.rejected > 0;
}

/** The path that all files of a rotated log share: without `.1` and `.gz`. */
export function logOf(file: string): string {
  const name = path.basename(file).replace(/\.(?:gz|gzip|zst|zstd)$/i, '');
  return path.join(path.dirname(file), name.replace(/\.\d+$/, ''));
}

function keyOf({ query, start, end, project }: SourceWindow): string {
  return JSON.stringify([query, start, end, project ?? null]);
}
