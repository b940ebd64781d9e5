import { spawn } from 'node:child_process';
import { access, constants, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { AbortedError, ConfigError, SluiceError } from '../../ask/sluice-error.ts';
import { quote } from '../../ask/text.ts';
import { makeTemporaryFolder } from '../../run/file/temporary-folder.ts';
import { sanitize } from '../../show/labels/sanitize.ts';
import { type Environment, withoutSecrets } from '../config/read-environment.ts';

/** What printing needs to know. */
export interface Printing {
  /** The setting `browser`: a name on the PATH, or a path. By default, the first that is installed. */
  readonly browser?: string | undefined;
  readonly env: Environment;
  readonly signal?: AbortSignal | undefined;
}

/** Browsers with Chromium's command line. */
const names = [
  ...['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'],
  ...['microsoft-edge', 'microsoft-edge-stable', 'msedge'],
];
/** Where they are on systems that do not put them on the PATH. */
const places = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
];

/** Large reports take some seconds. */
const longestMs = 120_000;

/** The absolute path of the browser that prints. Throws `ConfigError` `browser-missing`. */
export async function findBrowser({ browser, env }: Printing): Promise<string> {
  const folders = (env['PATH'] ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  const files = (browser === undefined ? names : [browser]).flatMap((name) =>
    path.isAbsolute(name) ? [name] : folders.map((folder) => path.join(folder, name)),
  );
  for (const file of browser === undefined ? [...files, ...places] : files) if (await isProgram(file)) return file;
  throw new ConfigError(
    browser === undefined
      ? 'A PDF is printed by Chromium, Chrome or Edge, and none is installed.'
      : `The browser ${quote(browser)} of the configuration is missing or cannot be run.`,
    {
      code: 'browser-missing',
      hint:
        browser === undefined
          ? 'Install one, or set `browser:` to its path. Without one, use `-f html`.'
          : 'Set `browser:` to the path of Chromium, Chrome or Edge, or remove it to use the one that is installed.',
    },
  );
}

function isProgram(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/**
 * Prints a page as PDF. `at` is the time in the file, as ISO 8601 in UTC, so that the same page gives the same bytes
 * with the same browser. Errors: `browser-missing`, `browser-failed`, `aborted`.
 */
export async function printPdf(html: string, at: string, printing: Printing): Promise<Uint8Array> {
  const browser = await findBrowser(printing);
  await using folder = makeTemporaryFolder();
  const page = path.join(folder.path, 'report.html');
  const target = path.join(folder.path, 'report.pdf');
  await writeFile(page, html);
  const complaint = await runBrowser(browser, folder.path, printing, [
    '--headless',
    '--disable-gpu',
    '--disable-extensions',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--no-first-run',
    '--no-default-browser-check',
    // The page requests nothing. Nor does the browser.
    '--host-resolver-rules=MAP * ~NOTFOUND',
    // Chromium does not start in its sandbox as root. The page has no scripts.
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    `--user-data-dir=${path.join(folder.path, 'profile')}`,
    '--no-pdf-header-footer',
    `--print-to-pdf=${target}`,
    pathToFileURL(page).href,
  ]);
  const pdf = await readFile(target).catch(() => Buffer.alloc(0));
  if (complaint === undefined && isWhole(pdf)) return withTime(pdf, at);
  throw new SluiceError(
    `${path.basename(browser)} did not print the report: ${complaint ?? 'its PDF is not complete'}.`,
    {
      code: 'browser-failed',
      hint:
        'If it needs other flags, set `browser:` to a script that adds them. ' +
        'If it comes from a snap, set TMPDIR to a folder in your home. Without a browser, use `-f html`.',
    },
  );
}

/** Undefined if it succeeded, else why not. */
function runBrowser(
  browser: string,
  cwd: string,
  { env, signal }: Printing,
  args: readonly string[],
): Promise<string | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
  // Its own process group, so that its helpers end with it.
  const child = spawn(browser, args, {
    cwd,
    env: { ...withoutSecrets(env), TZ: 'UTC' },
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: process.platform !== 'win32',
  });
  const end = () => {
    try {
      if (child.pid === undefined || process.platform === 'win32') child.kill('SIGKILL');
      else process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  };
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    end();
  }, longestMs);
  signal?.addEventListener('abort', end, { once: true });
  if (signal?.aborted) end();
  let last = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    last = (last + text).slice(-2000);
  });
  const settle = (complaint: string | undefined) => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
    if (signal?.aborted) reject(new AbortedError(signal.reason));
    else resolve(complaint);
  };
  child.on('error', ({ message }) => settle(`it cannot be run (${message})`));
  child.on('exit', (code, by) => {
    // A helper of the browser may outlive it and hold its stderr open.
    child.stderr.destroy();
    end();
    const line = last.trimEnd().split('\n').at(-1) ?? '';
    if (isLate) settle(`it took longer than ${longestMs / 1000} seconds`);
    else if (code === 0) settle(undefined);
    else
      settle(
        `it ${by === null ? `failed with exit code ${code}` : `was stopped (${by})`}` +
          (line === '' ? '' : `: ${sanitize(line)}`),
      );
  });
  return promise;
}

function isWhole(pdf: Buffer): boolean {
  return pdf.subarray(0, 5).equals(Buffer.from('%PDF-')) && pdf.subarray(-1024).includes('%%EOF');
}

/** Replaces the time at which the file was printed, in place: the offsets in the file stay right. */
function withTime(pdf: Buffer, at: string): Uint8Array {
  const time = at.replace(/\D/g, '').slice(0, 14);
  const dated = pdf
    .toString('latin1')
    .replace(/(\/(?:CreationDate|ModDate) \(D:)\d{14}(?=\+00'00'\))/g, (_, key: string) => key + time);
  return Buffer.from(dated, 'latin1');
}
