import type { SourceWindow, StoreSource } from './store-contents.ts';

/** The sources of a store, indexed by their identity. */
export interface KnownSources {
  byHash(sha256: string): readonly StoreSource[];
  byWindow(window: SourceWindow): StoreSource | undefined;
  /** True if a source of this size exists; otherwise no file of this size can be known by its content. */
  hasSize(bytes: number): boolean;
  add(source: StoreSource): void;
  remove(source: StoreSource): void;
}

export function indexSources(sources: readonly StoreSource[]): KnownSources {
  const hashes = new Map<string, readonly StoreSource[]>();
  const windows = new Map<string, StoreSource>();
  const sizes = new Map<number, number>();
  const index: KnownSources = {
    byHash: (sha256) => hashes.get(sha256) ?? [],
    byWindow: (window) => windows.get(keyOf(window)),
    hasSize: (bytes) => (sizes.get(bytes) ?? 0) > 0,
    add(source) {
      hashes.set(source.sha256, [...index.byHash(source.sha256), source]);
      if (source.window) windows.set(keyOf(source.window), source);
      sizes.set(source.bytes, (sizes.get(source.bytes) ?? 0) + 1);
    },
    remove(source) {
      hashes.set(
        source.sha256,
        index.byHash(source.sha256).filter(({ number }) => number !== source.number),
      );
      if (source.window && windows.get(keyOf(source.window))?.number === source.number)
        windows.delete(keyOf(source.window));
      sizes.set(source.bytes, (sizes.get(source.bytes) ?? 1) - 1);
    },
  };
  for (const source of sources) index.add(source);
  return index;
}

function keyOf({ query, start, end, project }: SourceWindow): string {
  return JSON.stringify([query, start, end, project ?? null]);
}
