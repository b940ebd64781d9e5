import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { printPdf } from '../../../src/use/report/print-pdf.ts';
import { noBrowser } from '../../chromium.ts';
import { fewEvents, type Folder, folderOf } from '../run-in-folder.ts';

const env = { PATH: process.env['PATH'] ?? '' };
const report =
  '---\ntitle: "Days (of <March>)"\nschedule: daily at 06:00\ndeliver:\n  - {folder: sent, formats: [pdf, json]}\n---\n\n```query\nname: d\nquery: {measures: [TrackedEvents.count]}\nrange: yesterday\n```\n';
const open = (more: Record<string, string> = {}) =>
  folderOf({
    'events.ndjson': fewEvents,
    'sluice.yaml': 'events: events.ndjson\n',
    'reports/days.md': report,
    ...more,
  });
/** A program in place of a browser. `$target` is the file that it is to write, `$page` the one to print. */
function browserOf(folder: Folder, script: string): string {
  const file = path.join(folder.root, 'browser.sh');
  const read =
    'for flag in "$@"; do case "$flag" in --print-to-pdf=*) target="${flag#*=}";; file:*) page="${flag#file://}";; esac; done\ncd "$(dirname "$0")"\n';
  writeFileSync(file, `#!/bin/sh\n${read}${script}\n`);
  chmodSync(file, 0o755);
  return file;
}
const inOut = (folder: Folder) =>
  existsSync(path.join(folder.root, 'out')) ? readdirSync(path.join(folder.root, 'out')) : [];
const small = `printf '%%PDF-1.4\\n/CreationDate (D:20300101000000+00'"'00'"')\\n%%%%EOF\\n' > "$target"`;

describe.skipIf(noBrowser !== undefined)(
  `a report printed by Chromium${noBrowser ? ` (skipped: ${noBrowser})` : ''}`,
  () => {
    it('is a whole PDF with its title, on A4, dated as the report is, the same bytes each time', async () => {
      const folder = open();
      const run = () => folder.sluice(['report', 'run', 'days', '-f', 'pdf,json', '-o', 'out/'], { env });
      expect(await run()).toMatchObject({ code: 0 });
      const first = readFileSync(path.join(folder.root, 'out/days.pdf'));
      const text = first.toString('latin1');
      expect(text.slice(0, 5)).toBe('%PDF-');
      expect(text.trimEnd().endsWith('%%EOF')).toBe(true);
      expect(text).toContain('/Title (Days \\(of <March>\\))');
      const { asOf } = JSON.parse(readFileSync(path.join(folder.root, 'out/days.json'), 'utf8')) as { asOf: string };
      expect(text).toContain(`/CreationDate (D:${asOf.replace(/\D/g, '').slice(0, 14)}+00'00')`);
      // 210 by 297 mm in points of 1/72 inch.
      const [, width, height] = /\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/.exec(text) ?? [];
      expect(Math.round(Number(width))).toBe(595);
      expect(Math.round(Number(height))).toBe(842);
      expect(await run()).toMatchObject({ code: 0 });
      expect(readFileSync(path.join(folder.root, 'out/days.pdf')).equals(first)).toBe(true);
    });
  },
);

describe('a browser that prints a report', () => {
  it('gets the page, no secret, and no way to the network', async () => {
    const folder = open();
    const browser = browserOf(
      folder,
      `env > seen.env; printf '%s\\n' "$@" > seen.flags; cp "$page" seen.html; ${small}`,
    );
    const at = { ...env, SLUICE_BROWSER: browser, SLUICE_TOKEN: 'secret-1', GITLAB_TOKEN: 'secret-2' };
    const { stderr } = await folder.sluice(['report', 'run', 'days', '-o', 'x.pdf'], { env: at });
    expect(stderr).toBe('Wrote x.pdf.\n');
    const seen = (name: string) => readFileSync(path.join(folder.root, name), 'utf8');
    expect(seen('seen.env')).not.toContain('secret-');
    expect(seen('seen.flags')).toContain('--host-resolver-rules=MAP * ~NOTFOUND');
    expect(seen('seen.html')).toContain('<h1>Days (of &lt;March&gt;)</h1>');
  });

  it.each([
    ['fails', 'printf "a \\033[31mproblem\\n" >&2; exit 3', 'it failed with exit code 3: a '],
    ['writes nothing', 'exit 0', 'its PDF is not complete'],
    ['writes half of it', `printf '%%PDF-1.4\\n1 0 obj' > "$target"`, 'its PDF is not complete'],
    ['is killed', 'kill -9 $$', 'it was stopped (SIGKILL)'],
  ])('that %s leaves no file, and says why', async (_, script, why) => {
    const folder = open();
    const browser = browserOf(folder, script);
    const { code, stderr } = await folder.sluice(['report', 'run', 'days', '-f', 'pdf,html', '-o', 'out/'], {
      env: { ...env, SLUICE_BROWSER: browser },
    });
    expect(code).toBe(1);
    expect(stderr).toContain(`browser.sh did not print the report: ${why}`);
    expect(stderr).not.toContain('\u001b');
    expect(inOut(folder)).toEqual([]);
  });

  it('is missing: said before any question is answered', async () => {
    const folder = open();
    const missing = await folder.sluice(['report', 'run', 'days', '-o', 'out/x.pdf'], { env: { PATH: folder.root } });
    expect(missing).toMatchObject({ code: 2 });
    expect(missing.stderr).toContain('A PDF is printed by Chromium, Chrome or Edge, and none is installed.');
    expect(inOut(folder)).toEqual([]);
  });

  it('ends with what asked for it', async () => {
    const folder = open();
    const browser = browserOf(folder, `echo $$ > pid; sleep 600 & wait`);
    const stop = new AbortController();
    const printed = printPdf('<p>', '2024-03-08T00:00:00.000Z', { browser, env, signal: stop.signal });
    const refused = expect(printed).rejects.toMatchObject({ name: 'AbortedError' });
    await expect.poll(() => existsSync(path.join(folder.root, 'pid'))).toBe(true);
    const id = Number(readFileSync(path.join(folder.root, 'pid'), 'utf8'));
    stop.abort();
    await refused;
    // No process of its group is left.
    await expect.poll(() => isAlive(-id)).toBe(false);
  });
});

function isAlive(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch {
    return false;
  }
}

describe('a PDF on a schedule', () => {
  it('that cannot be printed is told, and delivered by the next run, the other formats with it', async () => {
    const folder = open();
    const due = (browser: string) =>
      folder.sluice(['report', 'run', '--due'], { env: { ...env, SLUICE_BROWSER: browser } });
    const failed = await due('no-such-browser');
    expect(failed.code).not.toBe(0);
    expect(failed.stderr).toContain('The browser "no-such-browser" of the configuration is missing');
    expect(existsSync(path.join(folder.root, 'sent/days-2024-03-08.pdf'))).toBe(false);
    expect(await due(browserOf(folder, small))).toMatchObject({ code: 0 });
    expect(readdirSync(path.join(folder.root, 'sent')).sort()).toEqual(['days-2024-03-08.json', 'days-2024-03-08.pdf']);
  });

  it('is attached to emails', async () => {
    const deliver = '  - {email: a@example.org, into: outbox, attach: [pdf, csv]}\n';
    const folder = open({ 'reports/days.md': report.replace(/ {2}- \{folder.*\n/, deliver) });
    const browser = browserOf(folder, small);
    expect(await folder.sluice(['report', 'run', '--due'], { env: { ...env, SLUICE_BROWSER: browser } })).toMatchObject(
      {
        code: 0,
      },
    );
    const [name = ''] = readdirSync(path.join(folder.root, 'outbox'));
    const email = readFileSync(path.join(folder.root, 'outbox', name), 'utf8');
    const attached = /Content-Type: application\/pdf; name=days\.pdf[^]*?\r\n\r\n([^]*?)\r\n--/.exec(email)?.[1] ?? '';
    expect(Buffer.from(attached, 'base64').toString()).toMatch(
      /^%PDF-1\.4\n\/CreationDate \(D:20240308060000\+00'00'\)\n%%EOF/,
    );
    expect(email).toContain('filename=d.csv');
  });
});
