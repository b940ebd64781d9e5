import { existsSync } from 'node:fs';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';

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

export interface TestBrowser extends AsyncDisposable {
  /** Opens a page with this HTML in its own context. */
  open(html: string, options?: BrowserContextOptions): Promise<OpenPage>;
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
  return {
    async open(html, options = {}) {
      const context = await browser.newContext(options);
      const page = await context.newPage();
      const said: string[] = [];
      const requests: string[] = [];
      page.on('console', (message) => said.push(`${message.type()}: ${message.text()}`));
      page.on('pageerror', (error) => said.push(`error: ${error.message}`));
      const address = 'http://page.test/';
      // Load the page as a document, as from a file: its policy applies, and its requests are seen.
      await context.route('**/*', (route) => {
        const url = route.request().url();
        if (url === address) return route.fulfill({ contentType: 'text/html; charset=utf-8', body: html });
        requests.push(url);
        return route.abort();
      });
      await page.goto(address, { waitUntil: 'load' });
      return { page, said, requests, [Symbol.asyncDispose]: () => context.close() };
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
