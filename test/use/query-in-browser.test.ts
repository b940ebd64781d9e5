import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { noBrowser, openBrowser, type TestBrowser } from '../chromium.ts';
import { open } from '../../src/use/index.ts';
import { fewEvents, folderOf, now } from './run-in-folder.ts';

const bundle = readFileSync(new URL('../../dist/query.js', import.meta.url), 'utf8');

describe('the bundle of sluice/query', () => {
  it('is small, and makes no requests', () => {
    expect(gzipSync(bundle, { level: 9 }).length).toBeLessThan(74_500);
    expect(bundle).not.toMatch(/(?:^|[;\s])import\s*(?:[{*"'`]|\w+\s+from)|\bnode:/);
  });
});

describe.skipIf(noBrowser)(`sluice/query in a browser${noBrowser ? ` (skipped: ${noBrowser})` : ''}`, () => {
  let browser: TestBrowser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.[Symbol.asyncDispose]());

  it('builds and reads queries, and a server answers pages of allowed origins', async () => {
    const folder = folderOf({ 'events.ndjson': fewEvents });
    await using s = await open({
      workspace: folder.root,
      events: 'events.ndjson',
      env: {},
      now: () => now,
      onNote: () => undefined,
    });
    let html = '';
    const site = createServer(({ url }, response) => {
      const isScript = url === '/query.js';
      response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html; charset=utf-8');
      response.end(isScript ? bundle : html);
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void site.close());
    const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    const ask = async (cors: readonly string[]) => {
      const server = await s.serve({ cors });
      html = `<!doctype html><script type="module">
        import { query, readNotation, readQuery } from './query.js';
        const built = query().measures('TrackedEvents.count').by('TrackedEvents.docPath')
          .time('TrackedEvents.utcTime').range(['2024-03-06', '2024-03-07']).order('TrackedEvents.count', 'desc');
        const line = readNotation('count by docPath where eventType = pageview');
        const wrong = readQuery({ measure: [] });
        const load = async (query) => {
          const response = await fetch('${server.url}/cubejs-api/v1/load', {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ query }),
          });
          return (await response.json()).data;
        };
        const tell = (value) => { document.title = JSON.stringify(value); };
        try {
          tell({ rows: await load(built), line: await load(line.value), wrong: wrong.error?.issues?.[0]?.hint ?? wrong.issues?.[0]?.hint });
        } catch (error) { tell({ error: String(error) }); }
      </script>`;
      const title = await browser.titleOf(origin);
      await server.close();
      return JSON.parse(title) as unknown;
    };
    expect(await ask([origin])).toEqual({
      rows: [
        { 'TrackedEvents.docPath': '/', 'TrackedEvents.count': '3' },
        { 'TrackedEvents.docPath': '/docs', 'TrackedEvents.count': '2' },
      ],
      line: [
        { 'TrackedEvents.docPath': '/', 'TrackedEvents.count': '3' },
        { 'TrackedEvents.docPath': '/docs', 'TrackedEvents.count': '1' },
      ],
      wrong: 'Did you mean "measures"?',
    });
    expect(await ask([])).toEqual({ error: 'TypeError: Failed to fetch' });
  });
});
