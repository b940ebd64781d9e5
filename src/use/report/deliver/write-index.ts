import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { makeOutputFolder } from '../../../run/file/make-folder.ts';
import { writeFileWhole } from '../../../run/file/write-file.ts';
import {
  type ReportCard,
  reportCardSchema,
  toReportCard,
  unknownCard,
  writeReportIndex,
} from '../../../tell/report/report-card.ts';
import type { Report } from '../../../tell/report/report.ts';
import { isThere } from '../../../run/file/is-there.ts';
import { readJson } from '../../../ask/document/parse-exactly.ts';

/** Folder with the index entry of each report, so that reports need not be read again. */
const cards = '.index';

/** Rewrites `index.html` for the folder, including the report just written. */
export async function writeIndex(folder: string, report: Report, base: string, signal: AbortSignal): Promise<void> {
  const own = path.join(folder, cards);
  await makeOutputFolder(own);
  await writeFileWhole(path.join(own, `${base}.json`), [JSON.stringify(await toReportCard(report))], signal);
  // Other processes may write their reports meanwhile. The last one to write the page lists all of them.
  for (let before: string | undefined; ; ) {
    const listed = await listCards(folder, own);
    const names = [...listed.keys()].join('\n');
    if (names === before) return;
    before = names;
    await writeFileWhole(path.join(folder, 'index.html'), [writeReportIndex(listed)], signal);
  }
}

/** The index entries of the reports that are there, by the names of their pages. Removes the others. */
async function listCards(folder: string, own: string): Promise<ReadonlyMap<string, ReportCard>> {
  const listed = new Map<string, ReportCard>();
  for (const name of (await readdir(own)).sort()) {
    if (!name.endsWith('.json')) continue;
    const page = name.slice(0, -'.json'.length);
    if (await isThere(path.join(folder, `${page}.html`))) listed.set(page, await readCard(path.join(own, name), page));
    else await rm(path.join(own, name), { force: true });
  }
  return listed;
}

/** A card that cannot be read has only its link. */
async function readCard(file: string, page: string): Promise<ReportCard> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return reportCardSchema.safeParse(readJson(text)).data ?? unknownCard(page);
}
