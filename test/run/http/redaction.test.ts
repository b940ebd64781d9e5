import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SecretEchoed } from '../../../src/run/http/body-watch.ts';
import { toStatusError } from '../../../src/run/http/failure.ts';
import { openRedactor } from '../../../src/run/http/redact.ts';
import { get, openTestHttp } from './open-test-http.ts';
import { openScriptedServer, type Reply } from './scripted-server.ts';
import { runs } from '../../runs.ts';

const tokens = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  minLength: 12,
  maxLength: 80,
});

const percent = (text: string) =>
  [...text].map((character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`).join('');
const spellings: Record<string, (token: string) => string> = {
  'as it is': (text) => text,
  'in a URL': (text) => encodeURIComponent(text),
  'wholly percent-encoded': percent,
  'in upper case percent': (text) => percent(text).toUpperCase(),
  'encoded twice': (text) => encodeURIComponent(encodeURIComponent(text)),
  'in JSON': (text) => JSON.stringify(text).slice(1, -1),
  'in JSON by code units': (text) =>
    [...text].map((character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
  'in HTML': (text) =>
    text.replace(
      /[&<>"']/g,
      (character) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[character]!,
    ),
  'in HTML by numbers': (text) => [...text].map((character) => `&#x${character.charCodeAt(0).toString(16)};`).join(''),
  'in upper case': (text) => text.toUpperCase(),
  'in mixed case': (text) =>
    [...text].map((character, index) => (index % 2 === 0 ? character.toUpperCase() : character.toLowerCase())).join(''),
  'across lines': (text) => text.replace(/.{5}(?!$)/g, '$&\n'),
  'across indented lines': (text) => text.replace(/.{7}(?!$)/g, '$&\r\n\t  '),
  'across lines with every character on its own': (text) => [...text].join('\n'),
  'in a mix': (text) =>
    [...text].map((character, index) => (index % 2 === 0 ? percent(character) : character)).join(''),
};

const wrapped = (text: string) => text.replace(/.{6}(?!$)/g, '$&\r\n');
/** Only for tokens in the usual format: in others, the characters of one spelling belong to another. */
const layers: Record<string, (token: string) => string> = {
  'across lines in JSON': (text) => JSON.stringify(wrapped(text)),
  'across lines in a URL': (text) => encodeURIComponent(wrapped(text)),
  'across lines in HTML': (text) => wrapped(text).replaceAll('\r\n', '&#13;&#10;'),
  'in JSON in JSON': (text) => JSON.stringify(JSON.stringify({ a: spellings['in JSON by code units']!(text) })),
  'in a URL in HTML': (text) => spellings['in HTML by numbers']!(percent(text)),
  'in HTML in a URL': (text) => encodeURIComponent(spellings['in HTML by numbers']!(text)),
  'in a URL in JSON': (text) => spellings['in JSON by code units']!(percent(text)),
  'in HTML in JSON': (text) => JSON.stringify(spellings['in HTML by numbers']!(text).replaceAll('&', '\\u0026')),
  'in HTML twice': (text) => spellings['in HTML by numbers']!(text).replaceAll('&', '&amp;'),
  ...Object.fromEntries(
    ['', 'a', 'ab', 'abc', 'user:', 'Bearer '].flatMap((before) =>
      (['base64', 'base64url'] as const).map((encoding) => [
        `in ${encoding} behind ${JSON.stringify(before)}`,
        (text: string) => Buffer.from(`${before}${text}:x`).toString(encoding),
      ]),
    ),
  ),
  'in base64 across lines': (text) => wrapped(Buffer.from(`user:${text}`).toString('base64')),
  'in base64 in a URL': (text) => encodeURIComponent(Buffer.from(`user:${text}`).toString('base64')),
};
const usualTokens = fc.stringMatching(/^(?:glpat-)?[A-Za-z0-9_.-]{16,60}$/);
/** Text that cannot be part of such a token or of its base64. */
const filler = fc
  .array(
    fc.constantFrom('{"', '":"', '","', '(', ')', '"', 'ü', '€', '"\\n\\n"', '"%20%41"', '"&amp;"', '"\\\\"', ' " '),
    { maxLength: 30 },
  )
  .map((parts) => `"${parts.join('')}"`);

function watchOf(...secrets: readonly string[]) {
  const redactor = openRedactor(...secrets);
  return { redactor, watch: redactor.watch()! };
}

/** Cuts bytes at random. */
function cut(bytes: Uint8Array, cuts: readonly number[]): readonly Uint8Array[] {
  const places = [0, ...cuts.map((cutAt) => Math.floor(cutAt * bytes.length)).sort((a, b) => a - b), bytes.length];
  return places.slice(1).map((end, index) => bytes.subarray(places[index]!, end));
}
const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 });

describe('the body of an answer', () => {
  it.each(Object.entries({ ...spellings, ...layers }))(
    'does not go on with a token %s, wherever it is cut',
    (_, spell) => {
      fc.assert(
        fc.property(usualTokens, filler, filler, cuts, (token, before, after, places) => {
          const { watch, redactor } = watchOf(token);
          const bytes = Buffer.from(`${before}${spell(token)}${after}`);
          expect(redactor.isInBody(bytes)).toBe(true);
          const watching = watch();
          const passed: Uint8Array[] = [];
          expect(() => {
            for (const piece of cut(bytes, places)) passed.push(...watching.take(piece));
            passed.push(...watching.end());
          }).toThrow(SecretEchoed);
          // Not even its beginning after the opening quotes.
          const opening = /^(?:"(?:\{\\"a\\":\\")?)?/.exec(spell(token))![0];
          expect(Buffer.concat(passed).length).toBeLessThanOrEqual(Buffer.from(`${before}${opening}`).length);
        }),
        { numRuns: runs(40) },
      );
    },
  );

  it('goes on as it came where there is no token in it, and is looked through as a text is', () => {
    const parts = fc
      .array(
        fc.oneof(
          filler,
          usualTokens,
          fc.string(),
          fc.constantFrom('%', '%25', '&', '&#', '\\', '\\u00', '\n', 'glpat-', 'abcdef-0123456789'),
        ),
        { maxLength: 20 },
      )
      .map((texts) => texts.join(''));
    fc.assert(
      fc.property(
        fc.constantFrom('glpat-abcdef-0123456789', 'ab12'.repeat(16), 'Zx9_Zx9-Q'),
        parts,
        cuts,
        (token, text, places) => {
          const { redactor, watch } = watchOf(token);
          const bytes = Buffer.from(text);
          expect(redactor.isInBody(bytes)).toBe(redactor.redact(text) !== text);
          if (redactor.isInBody(bytes)) return;
          const watching = watch();
          const passed = [...cut(bytes, places).flatMap((piece) => watching.take(piece)), ...watching.end()];
          expect(Buffer.concat(passed).equals(bytes)).toBe(true);
        },
      ),
      { numRuns: runs(2_000) },
    );
  });

  it('may be one stretch without an end, of which little is held back', () => {
    const { watch } = watchOf('glpat-abcdef-0123456789');
    const watching = watch();
    const piece = Buffer.from('abcdefgh'.repeat(10_000));
    let passed = 0;
    for (let round = 1; round <= 20; round += 1) {
      for (const { length } of watching.take(piece)) passed += length;
      expect(round * piece.length - passed).toBeLessThan(100_000);
    }
    expect(() => watching.take(Buffer.from('glpat-abcdef-0123456789"'))).toThrow(SecretEchoed);
  });

  it('may hold by chance what is too short for a token', () => {
    expect(openRedactor('abc').watch()).toBeUndefined();
    expect(openRedactor('abc').redact('xabcx')).toBe('x[redacted]x');
  });
});

describe('a token', () => {
  it.each(Object.entries(layers))('is blotted out %s', (_, spell) => {
    fc.assert(
      fc.property(usualTokens, (token) => {
        const { redactor } = watchOf(token);
        const clean = redactor.redact(`a "${spell(token)}" b`);
        expect(clean).toMatch(/^a ".*\[redacted\].*" b$/s);
        // Base64 characters that encode parts of the surrounding text may remain.
        expect(clean.length).toBeLessThan(`a "" b[redacted]`.length + 24);
      }),
      { numRuns: runs(50) },
    );
  });

  it.each(Object.entries(spellings))('is blotted out %s, and what stands around it stays', (_, spell) => {
    fc.assert(
      fc.property(tokens, fc.constantFrom('', ' ', 'ü', '«'), (token, around) => {
        const redactor = openRedactor();
        redactor.learn(token);
        expect(redactor.redact(`${around}${spell(token)}${around}${spell(token)}`)).toBe(
          `${around}[redacted]${around}[redacted]`,
        );
      }),
      { numRuns: runs(50) },
    );
  });

  it('is remembered while it may still be about, and not for ever where each request has its own', () => {
    const redactor = openRedactor('always-a-secret');
    for (let number = 100; number < 200; number += 1) redactor.learn(`secret-number-${number}`);
    expect(redactor.redact('always-a-secret secret-number-199 secret-number-160 secret-number-100')).toBe(
      '[redacted] [redacted] [redacted] secret-number-100',
    );
  });

  it('is found in no time in hostile text', () => {
    const redactor = openRedactor();
    redactor.learn('%25'.repeat(30));
    expect(redactor.redact('%2525'.repeat(100_000)).length).toBeGreaterThan(0);
  });

  it('is blotted out of errors and their causes, even in a circle', () => {
    const redactor = openRedactor();
    redactor.learn('a-secret-of-mine');
    const inner = Object.assign(new Error('b'), { data: 'PRIVATE-TOKEN: a-secret-of-mine', code: 'ECODE' });
    const clean = redactor.redactError(new Error('a', { cause: inner }));
    expect(inspect(clean, { showHidden: true, depth: 9 })).not.toContain('a-secret-of-mine');
    expect(clean).toMatchObject({ message: 'a', cause: { message: 'b', code: 'ECODE' } });
    const circle = new Error('a-secret-of-mine');
    circle.cause = circle;
    expect(inspect(redactor.redactError(circle), { depth: 20 })).not.toContain('a-secret-of-mine');
    const harmless = new Error('a', { cause: new Error('b') });
    expect(redactor.redactError(harmless)).toBe(harmless);
  });

  it('never shows, whatever a server echoes and wherever', async () => {
    await using server = await openScriptedServer();
    const echoes = fc.record({
      token: tokens.filter((token) => encodeURIComponent(token).length < 240),
      kind: fc.constantFrom('private-token' as const, 'bearer' as const, 'raw' as const),
      spell: fc.constantFrom(...Object.values(spellings)),
      way: fc.constantFrom<((echo: string) => Reply)[]>(
        (echo) => ({ status: 401, json: { message: `bad token ${echo}` } }),
        (echo) => ({ status: 500, text: `${'x'.repeat(50)}${echo}` }),
        (echo) => ({ status: 200, text: `<html>${echo}` }),
        (echo) => ({ status: 200, json: { data: [{ [`key ${echo}`]: echo }], lastRefreshTime: echo, name: echo } }),
        (echo) => ({ status: 206, text: echo }),
        (echo) => ({ status: 200, bytes: Buffer.from('{'), headers: { 'content-type': echo } }),
        (echo) => ({ status: 400, text: 'no', headers: { 'x-echo': echo } }),
        (echo) => ({ status: 302, headers: { location: `/b?x=${echo}` } }),
        (echo) => ({ status: 302, headers: { location: `http://127.0.0.1:1/${echo}` } }),
        (echo) => ({ status: 302, headers: { location: `x${echo}:` } }),
        (echo) => ({ trick: { kind: 'raw', text: `${echo}\r\n\r\n` } }),
        (echo) => ({
          trick: { kind: 'raw', text: `HTTP/1.1 200 OK\r\nX-${echo}\r\nTransfer-Encoding: ${echo}\r\n\r\n${echo}` },
        }),
        (echo) => ({ text: 'a', headers: { 'content-encoding': echo } }),
      ),
    });
    await fc.assert(
      fc.asyncProperty(echoes, async ({ token, kind, spell, way }) => {
        const seen: string[] = [];
        await using http = openTestHttp(server.url, {
          credential: { kind, token: () => token },
          trace: (line) => seen.push(line),
          retryBudgetMs: 0,
        });
        server.answer(() => way(spell(token)));
        try {
          const response = await http.request(get);
          seen.push(response.url, response.href, response.headers.get('x-echo') ?? '');
          if (response.status >= 300) seen.push(inspect(await toStatusError(response)));
          seen.push(await response.text(), Buffer.from(await response.bytes()).toString());
          seen.push(inspect(await response.json(), { depth: 9 }));
        } catch (error) {
          seen.push(inspect(error, { depth: 9, showHidden: true }), String((error as Error).stack));
        }
        expect(seen.length).toBeGreaterThan(1);
        for (const text of seen) {
          expect(text).not.toContain(token);
          expect(text).not.toContain(spell(token));
        }
      }),
      { numRuns: runs(200) },
    );
  });
});
