import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { noteLook } from '../../run/looks.ts';

/** Sample events that `sluice sample` made in the workspace. */
export interface SampleFile {
  /** Absolute. */
  readonly path: string;
  /** The last day of its events, `YYYY-MM-DD`. */
  readonly to: string;
}

/** The folder of the sample events of a workspace. */
function sampleFolder(root: string): string {
  return path.join(root, '.sluice', 'sample');
}

/** Where the sample that ends on a day goes. The name tells the day, so that questions know which present to take. */
export function samplePath(root: string, to: string): string {
  return path.join(sampleFolder(root), `events-to-${to}.parquet`);
}

/** The sample events of the workspace, the latest where there are several. */
export async function findSample(root: string): Promise<SampleFile | undefined> {
  const folder = sampleFolder(root);
  noteLook(folder);
  const files = await readdir(folder).catch(() => []);
  const samples = files.flatMap((file) => {
    const to = /^events-to-(\d{4}-\d\d-\d\d)\.parquet$/.exec(file)?.[1];
    return to === undefined ? [] : [{ path: path.join(folder, file), to }];
  });
  return samples.sort((a, b) => (a.to < b.to ? -1 : 1)).at(-1);
}
