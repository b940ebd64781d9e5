import { readdir, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { writeFileWhole } from '../../run/file/write-file.ts';
import { pictureName } from '../../tell/report/report-pictures.ts';
import { makeOutputFolder } from '../cli/output.ts';
import { toPictureFolder, type RenderedReport } from './report-format.ts';

/** Writes the pictures of a report beside the place of its file. Those of an older report have other names and stay, as long as it does. */
export async function placePictures(file: string, pictures: RenderedReport['beside'], signal?: AbortSignal): Promise<void> {
  for (const { name, contents } of pictures) {
    const place = path.join(path.dirname(file), name);
    await makeOutputFolder(path.dirname(place));
    await writeFileWhole(place, [contents], signal);
  }
}

/** Takes away the pictures of older reports, when a new one stands in their place; whatever else lies in their folder stays. */
export async function sweepPictures(file: string, kept: readonly string[]): Promise<void> {
  if (!/\.md$/i.test(file)) return;
  const folder = path.join(path.dirname(file), toPictureFolder(path.parse(file).name));
  const found = await readdir(folder).catch(() => []);
  for (const name of found) if (pictureName.test(name) && !kept.includes(name)) await rm(path.join(folder, name), { force: true });
  if (kept.length === 0) await rmdir(folder).catch(() => undefined);
}
