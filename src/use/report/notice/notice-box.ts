import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { makeOwnFolder, writeOwnFile } from '../../../run/file/owner-only.ts';
import type { PlainResult } from '../../../shape/result/plain-result.ts';
import { fromPlainResult } from '../../../shape/result/result.ts';
import type { Delivery } from '../../../tell/delivery/delivery.ts';
import type { Report, ReportBlock } from '../../../tell/report/report.ts';

/** A notice to send. */
export interface Notice {
  /** Unique and stable. */
  readonly id: string;
  readonly report: Report;
  /** Name of its files without extension. */
  readonly base: string;
  readonly to: readonly Delivery[];
}

/** Notices on disk until they are sent, so that their text does not change meanwhile. */
export interface NoticeBox {
  /** Resolves when the notice is on disk. */
  put(notice: Notice): Promise<void>;
  /** Undefined if it does not exist or is invalid. */
  get(id: string): Promise<Notice | undefined>;
  /** IDs of all notices. */
  list(): Promise<readonly string[]>;
  remove(id: string): Promise<void>;
}

/** True if notices may be waiting to be sent. */
export async function hasNotices({ notices }: { readonly notices: string }): Promise<boolean> {
  return (await openNoticeBox(notices).list()).length > 0;
}

export function openNoticeBox(folder: string): NoticeBox {
  const fileOf = (id: string) => path.join(folder, `${id}.json`);
  return {
    async put(notice) {
      await makeOwnFolder(folder);
      await writeOwnFile(fileOf(notice.id), [toText(notice)]);
    },
    get: (id) =>
      readFile(fileOf(id), 'utf8')
        .then(fromText)
        .catch(() => undefined),
    list: async () =>
      (await readdir(folder).catch(() => [])).flatMap((name) => (name.endsWith('.json') ? [name.slice(0, -5)] : [])),
    remove: (id) => rm(fileOf(id), { force: true }),
  };
}

function toText(notice: Notice): string {
  // Results convert themselves to plain data; JSON has no bigints.
  return JSON.stringify(notice, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}

function fromText(text: string): Notice {
  const notice = JSON.parse(text) as Notice;
  const blocks = notice.report.blocks.map(
    (block): ReportBlock =>
      block.kind === 'cell'
        ? {
            ...block,
            parts: block.parts.map((part) => ({
              ...part,
              result: fromPlainResult(part.result as unknown as PlainResult),
            })),
          }
        : block,
  );
  return { ...notice, report: { ...notice.report, blocks } };
}
