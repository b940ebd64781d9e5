import { createHash } from 'node:crypto';
import { reportFormats } from '../../../src/show/format-name.ts';
import { renderReport } from '../../../src/use/report/report-format.ts';
import { everything } from '../../tell/report/specimen-reports.ts';

/** Digests of a report in each format, one line each, to compare processes with different environments. */
export async function digestReports(): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const format of reportFormats.filter((one) => one !== 'pdf')) {
    const { main, beside } = await renderReport(everything, format, {
      base: 'everything',
      printing: { env: {} },
      envelope: { from: 'a@example.org', to: ['b@example.org'] },
    });
    const hash = createHash('sha256').update(main);
    for (const { name, contents } of beside) hash.update(name).update(contents);
    lines.push(`${format} ${hash.digest('hex').slice(0, 16)}`);
  }
  return lines;
}

if (process.argv[2] === 'digest') console.log((await digestReports()).join('\n'));
