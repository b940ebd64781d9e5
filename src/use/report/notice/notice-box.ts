import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { makeOwnFolder, writeOwnFile } from '../../../run/file/owner-only.ts';
import type { PlainResult } from '../../../shape/result/plain-result.ts';
import { fromPlainResult } from '../../../shape/result/result.ts';
import type { Delivery } from '../../../tell/delivery/delivery.ts';
import type { Report, ReportBlock } from '../../../tell/report/report.ts';

/** What somebody is to be told. */
export interface Notice {
  /** No other notice has it, and the same one always has it. */
  readonly id: string;
  readonly report: Report;
  /** What its files are called, without their endings. */
  readonly base: string;
  readonly to: readonly Delivery[];
}

/** Notices on the disk, until everybody was told of them: what they say does not change meanwhile. */
export interface NoticeBox {
  /** Resolves when it is on the disk. */
  put(notice: Notice): Promise<void>;
  /** Undefined where there is none, or it cannot be used. */
  get(id: string): Promise<Notice | undefined>;
  /** The numbers of all that are there. */
  list(): Promise<readonly string[]>;
  remove(id: string): Promise<void>;
}

/** Whether somebody may have to be told of something. */
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
  // Results write themselves as plain data; JSON has no numbers of any length.
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
