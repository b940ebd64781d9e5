import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { fewEvents, folderOf } from '../run-in-folder.ts';

const large = `# ${'x'.repeat(5 * 1024 * 1024)}\n`;
const workspace = { 'events.ndjson': fewEvents, 'sluice.yaml': 'events: events.ndjson\n' };

describe('a definition that is not a regular file, or far too large', () => {
  const uses: readonly (readonly [what: string, argv: (file: string) => readonly string[]])[] = [
    ['the configuration', (file) => ['--config', file, 'query', 'count']],
    ['a load body', (file) => ['load', file]],
    ['a funnel', (file) => ['funnel', 'check', file]],
    ['a report', (file) => ['report', 'check', file]],
  ];

  it.each(uses)('is refused as %s', async (_, argv) => {
    const folder = folderOf({ ...workspace, 'large.yaml': large, 'large.md': large });
    execFileSync('mkfifo', [path.join(folder.root, 'pipe.yaml')]);
    for (const file of ['/dev/zero', 'pipe.yaml']) {
      const { code, stdout, stderr } = await folder.sluice(argv(file));
      // Only the findings of a check are results.
      expect([code, argv('')[1] === 'check' ? '' : stdout]).toEqual([2, '']);
      expect(stdout + stderr).toMatch(/(?:zero|pipe\.yaml) is not a regular file\./);
    }
    const { code, stdout, stderr } = await folder.sluice(argv('large.yaml'));
    expect(code).toBe(2);
    expect(stdout + stderr).toMatch(/large\.yaml is larger than 4 MB/);
  });

  it.each([
    ['the model', 'model: /dev/zero\n'],
    ['a model that is too large', 'model: large.yaml\n'],
  ])('is refused as %s', async (_, settings) => {
    const folder = folderOf({ ...workspace, 'sluice.yaml': `events: events.ndjson\n${settings}`, 'large.yaml': large });
    const { code, stderr } = await folder.sluice(['query', 'count']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/is not a regular file|is larger than 4 MB/);
  });

  it('is refused as a token file, whose content is not printed', async () => {
    const folder = folderOf({
      ...workspace,
      'sluice.yaml': 'platform: {url: "https://code.example.org", project: 42, tokenFile: /dev/zero}\n',
    });
    const { code, stderr } = await folder.sluice(['query', 'count', '--backend', 'platform']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/is not a regular file/);
  });
});

describe('Markdown that nests too deeply', () => {
  it.each(['> ', '- ', '1. ', '>'])('is refused at its place: %j', async (mark) => {
    const folder = folderOf({
      ...workspace,
      'reports/deep.md': `---\ntitle: Deep\n---\n\nFine.\n\n${mark.repeat(5000)}x\n`,
    });
    for (const verb of ['check', 'run']) {
      const { code, stdout, stderr } = await folder.sluice(['report', verb, 'deep']);
      expect(code).toBe(2);
      expect(stdout + stderr).toMatch(/reports\/deep\.md:7:1 {2}error {2}The Markdown is nested too deeply\./);
    }
  });

  it('does not include rules, tables or lists that people write', async () => {
    const folder = folderOf({
      ...workspace,
      'reports/flat.md': `---\ntitle: Flat\n---\n\n${'-'.repeat(200)}\n\n${'*'.repeat(100)}\n\n${'- item\n'.repeat(500)}\n${'> '.repeat(20)}deep enough\n`,
    });
    expect(await folder.sluice(['report', 'check', 'flat'])).toMatchObject({ code: 0 });
  });
});

describe('a query with very many values', () => {
  it('is answered', async () => {
    const values = Array.from({ length: 150_000 }, (_, index) => `/page-${index}`);
    const query = {
      measures: ['TrackedEvents.count'],
      filters: [{ member: 'TrackedEvents.docPath', operator: 'notEquals', values }],
    };
    const folder = folderOf({ ...workspace, 'queries/many.yaml': JSON.stringify({ query }) });
    expect(await folder.sluice(['query', 'many', '-f', 'json'])).toMatchObject({
      code: 0,
      stdout: '[{"TrackedEvents.count":5}]\n',
    });
  });
});
