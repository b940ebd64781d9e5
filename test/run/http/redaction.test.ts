import fc from 'fast-check';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { openRedactor } from '../../../src/run/http/redact.ts';
import { toStatusError } from '../../../src/run/http/status-error.ts';
import { get, openTestHttp } from './open-test-http.ts';
import { type Reply, openScriptedServer } from './scripted-server.ts';

const tokens = fc.string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)), minLength: 12, maxLength: 80 });

const percent = (text: string) => [...text].map((character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`).join('');
const spellings: Record<string, (token: string) => string> = {
  'as it is': (text) => text,
  'in a URL': (text) => encodeURIComponent(text),
  'wholly percent-encoded': percent,
  'in upper case percent': (text) => percent(text).toUpperCase(),
  'encoded twice': (text) => encodeURIComponent(encodeURIComponent(text)),
  'in JSON': (text) => JSON.stringify(text).slice(1, -1),
  'in JSON by code units': (text) => [...text].map((character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
  'in HTML': (text) => text.replace(/[&<>"']/g, (character) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[character]!),
  'in HTML by numbers': (text) => [...text].map((character) => `&#x${character.charCodeAt(0).toString(16)};`).join(''),
  'in a mix': (text) => [...text].map((character, index) => (index % 2 === 0 ? percent(character) : character)).join(''),
};

describe('a token', () => {
  it.each(Object.entries(spellings))('is blotted out %s, and what stands around it stays', (_, spell) => {
    fc.assert(fc.property(tokens, fc.constantFrom('', ' ', 'ü', '«'), (token, around) => {
      const redactor = openRedactor();
      redactor.learn(token);
      expect(redactor.redact(`${around}${spell(token)}${around}${spell(token)}`)).toBe(`${around}[redacted]${around}[redacted]`);
    }), { numRuns: 50 });
  });

  it('is remembered while it may still be about, and not for ever where each request has its own', () => {
    const redactor = openRedactor('always-a-secret');
    for (let number = 100; number < 200; number += 1) redactor.learn(`secret-number-${number}`);
    expect(redactor.redact('always-a-secret secret-number-199 secret-number-160 secret-number-100')).toBe('[redacted] [redacted] [redacted] secret-number-100');
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
        (echo) => ({ status: 200, bytes: Buffer.from('{'), headers: { 'content-type': echo } }),
        (echo) => ({ status: 400, text: 'no', headers: { 'x-echo': echo } }),
        (echo) => ({ status: 302, headers: { location: `/b?x=${echo}` } }),
        (echo) => ({ status: 302, headers: { location: `http://127.0.0.1:1/${echo}` } }),
        (echo) => ({ status: 302, headers: { location: `x${echo}:` } }),
        (echo) => ({ trick: { kind: 'raw', text: `${echo}\r\n\r\n` } }),
        (echo) => ({ trick: { kind: 'raw', text: `HTTP/1.1 200 OK\r\nX-${echo}\r\nTransfer-Encoding: ${echo}\r\n\r\n${echo}` } }),
        (echo) => ({ text: 'a', headers: { 'content-encoding': echo } }),
      ),
    });
    await fc.assert(fc.asyncProperty(echoes, async ({ token, kind, spell, way }) => {
      const seen: string[] = [];
      await using http = openTestHttp(server.url, { credential: { kind, token: () => token }, trace: (line) => seen.push(line), retryBudgetMs: 0 });
      server.answer(() => way(spell(token)));
      try {
        const response = await http.request(get);
        seen.push(response.url, response.href, response.headers.get('x-echo') ?? '');
        if (response.status >= 300) seen.push(inspect(await toStatusError(response)), await response.text(), Buffer.from(await response.bytes()).toString());
        await response.json();
      } catch (error) {
        seen.push(inspect(error, { depth: 9, showHidden: true }), String((error as Error).stack));
      }
      expect(seen.length).toBeGreaterThan(1);
      for (const text of seen) {
        expect(text).not.toContain(token);
        expect(text).not.toContain(spell(token));
      }
    }), { numRuns: 200 });
  });
});
