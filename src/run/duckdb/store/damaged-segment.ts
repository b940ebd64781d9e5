import { SluiceError } from '../../../ask/sluice-error.ts';
import { demandSegments, type Segment } from '../../store/store-manifest.ts';
import type { StoreWriter } from './open-writer.ts';
import { toStoreError } from './store-error.ts';

/**
 * The next segments, if those that they replace are as they were written. Otherwise the new ones have the damage, under
 * a new check sum: throws `store-damaged`.
 */
export async function fromWhole(
  { folder, manifest }: StoreWriter,
  next: readonly Segment[],
): Promise<readonly Segment[]> {
  const names = new Set(next.map(({ name }) => name));
  await demandSegments(folder, { ...manifest, segments: manifest.segments.filter(({ name }) => !names.has(name)) });
  return next;
}

/** The error for a failed change: a damaged segment that the engine could not read, or as `toStoreError`. */
export async function explained({ folder, manifest, signal }: StoreWriter, error: unknown): Promise<unknown> {
  const told = toStoreError(error, folder, signal);
  if (told instanceof SluiceError || !(told instanceof Error)) return told;
  return demandSegments(folder, manifest).then(
    () => told,
    (damage: unknown) => damage,
  );
}
