import { writeResult } from '../../show/write-result.ts';
import type { Report } from '../../tell/report/report.ts';
import type { AttachedFormat } from '../../tell/delivery/delivery.ts';

export interface Attachment {
  readonly filename: string;
  readonly contentType: string;
  readonly content: Buffer;
}

const contentTypes = { csv: 'text/csv; charset=utf-8', parquet: 'application/vnd.apache.parquet' } as const;

/** The rows of every cell as files: each answer once, with all of its rows, under the name or title of its cell. */
export async function attachFigures(
  report: Report,
  formats: readonly AttachedFormat[],
): Promise<readonly Attachment[]> {
  const attached: Attachment[] = [];
  const taken = new Set<string>();
  for (const block of report.blocks) {
    if (block.kind !== 'cell') continue;
    const results = [...new Set(block.parts.map(({ result }) => result))];
    for (const result of results) {
      const title = block.parts.find((part) => part.result === result)?.title;
      const named = toFileName(block.name ?? title ?? block.title ?? block.cell);
      let name = named;
      for (let number = 2; taken.has(name); number += 1) name = `${named}-${number}`;
      taken.add(name);
      for (const format of new Set(formats)) {
        const chunks: Uint8Array[] = [];
        for await (const chunk of writeResult(result, format)) chunks.push(Buffer.from(chunk));
        attached.push({
          filename: `${name}.${format}`,
          contentType: contentTypes[format],
          content: Buffer.concat(chunks),
        });
      }
    }
  }
  return attached;
}

function toFileName(text: string): string {
  const plain = text
    .normalize('NFKD')
    .replace(/[^\w]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60);
  return plain === '' ? 'figures' : plain;
}
