import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { open, type Query } from '../../src/use/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a program', () => {
  it('can query again once missing files exist', async () => {
    await using sluice = await open({ workspace: folder, events: 'late.ndjson', env: {} });
    const asked: Query = { measures: ['TrackedEvents.count'] };
    await expect(sluice.query(asked)).rejects.toMatchObject({ code: 'events-not-found' });
    writeFileSync(join(folder, 'late.ndjson'), '{"utcTime":"2024-03-08T10:00:00.000","eventType":"pageview"}\n');
    expect((await sluice.query(asked)).rows()).toEqual([{ 'TrackedEvents.count': 1 }]);
  });

  it('gets the mistake in its own query', async () => {
    await using sluice = await open({ workspace: folder, events: 'late.ndjson', env: {} });
    const wrong = { measures: ['TrackedEvents.count'], order: { 'TrackedEvents.count': 'down' } } as unknown as Query;
    await expect(sluice.query(wrong)).rejects.toMatchObject({
      code: 'invalid-input',
      issues: [{ path: ['order', 'TrackedEvents.count'] }],
    });
    await expect(sluice.query(null as unknown as Query)).rejects.toMatchObject({ code: 'invalid-input' });
  });

  it('gets an error if a model is not UTF-8', async () => {
    writeFileSync(
      join(folder, 'model.yaml'),
      Buffer.concat([Buffer.from('cubes:\n  - name: A\n    title: '), Buffer.from([0xff]), Buffer.from('\n')]),
    );
    await expect(open({ workspace: folder, model: 'model.yaml', env: {} })).rejects.toMatchObject({
      issues: [{ code: 'not-utf8', span: { line: 3, column: 12 } }],
    });
  });
});
