import { existsSync } from 'node:fs';
import { chromium, type Browser, type Page } from 'playwright-core';

const executablePath = '/usr/bin/chromium';

/** Why browser tests are skipped; undefined if a browser is available. */
export const noBrowser: string | undefined = existsSync(executablePath) ? undefined : `there is no ${executablePath}`;

export interface OpenPage extends AsyncDisposable {
  readonly page: Page;
  /** Everything that the page wrote to its console, and all of its errors. */
  readonly said: readonly string[];
  /** The addresses that it requested, except its own. */
  readonly requests: readonly string[];
}

export interface PageLook {
  readonly colorScheme?: 'light' | 'dark';
  readonly viewport?: { readonly width: number; readonly height: number };
}

export interface TestBrowser extends AsyncDisposable {
  /** Opens this HTML as a document. Dispose it before the next one is opened. */
  open(html: string, options?: PageLook): Promise<OpenPage>;
  /** The final title of a page of a server on this machine. */
  titleOf(url: string): Promise<string>;
}

/** Headless Chromium, started once for a suite because it is heavy. */
export async function openBrowser(): Promise<TestBrowser> {
  const browser: Browser = await chromium.launch({
    executablePath,
    headless: true,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  const address = 'http://page.test/';
  const now: { html: string; said: string[]; requests: string[] } = { html: '', said: [], requests: [] };
  let shared: Promise<Page> | undefined;
  /** One page serves all documents: starting one takes most of the time. */
  const newPage = async () => {
    const page = await browser.newPage();
    page.on('console', (message) => now.said.push(`${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => now.said.push(`error: ${error.message}`));
    // Load the page as a document, as from a file: its policy applies, and its requests are seen.
    await page.route('**/*', (route) => {
      const url = route.request().url();
      if (url === address) return route.fulfill({ contentType: 'text/html; charset=utf-8', body: now.html });
      now.requests.push(url);
      return route.abort();
    });
    return page;
  };
  return {
    async open(html, { colorScheme = 'light', viewport = { width: 1280, height: 720 } } = {}) {
      const page = await (shared ??= newPage());
      Object.assign(now, { html, said: [], requests: [] });
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme, media: null });
      await page.goto(address, { waitUntil: 'load' });
      const { said, requests } = now;
      return { page, said, requests, [Symbol.asyncDispose]: async () => void (await page.goto('about:blank')) };
    },
    async titleOf(url) {
      const context = await browser.newContext();
      try {
        const page = await context.newPage();
        await page.goto(url);
        await page.waitForFunction('document.title !== ""', undefined, { timeout: 20_000 });
        return await page.title();
      } finally {
        await context.close();
      }
    },
    [Symbol.asyncDispose]: () => browser.close(),
  };
}
