import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { widthOf } from '../../../src/ask/graphemes.ts';
import { decodeUtf8 } from '../../../src/ask/document/decode-utf8.ts';
import { drawIssue, drawIssues } from '../../../src/ask/document/draw-issue.ts';
import { toSpan } from '../../../src/ask/document/located.ts';
import { errorIssue, warningIssue } from '../../../src/ask/outcome.ts';

function draw(source: string, part: string, width?: number): string {
  const start = source.indexOf(part);
  return drawIssue(errorIssue('x', 'Wrong.', { span: toSpan(source, start, start + part.length) }), { source, width });
}

describe('draw issue', () => {
  test('names the place, shows and marks the line, and adds the hint', () => {
    const source = 'title: Top\nmesures: [a]\n';
    const issue = errorIssue('unknown-key', 'Unknown key "mesures".', {
      span: toSpan(source, 11, 18),
      hint: 'Did you mean "measures"?',
    });
    expect(drawIssue(issue, { source, file: 'queries/top.yaml' })).toBe(
      [
        'queries/top.yaml:2:1  error  Unknown key "mesures".',
        '  mesures: [a]',
        '  ^^^^^^^',
        '  hint: Did you mean "measures"?',
      ].join('\n'),
    );
  });

  test('shows its path if there is no text', () => {
    const issue = warningIssue('x', 'Odd.', { path: ['query', 'filters', 0, 'a b', 'operator'] });
    expect(drawIssue(issue)).toBe('warning  query.filters[0]["a b"].operator: Odd.');
    expect(drawIssues([issue, errorIssue('y', 'Bad.')])).toBe(
      'warning  query.filters[0]["a b"].operator: Odd.\nerror  Bad.',
    );
  });

  test('aligns markers under tabs, wide characters and emoji by terminal cells', () => {
    expect(draw('\tab\tx: here', 'here').split('\n').slice(1)).toEqual(['      ab  x: here', '             ^^^^']);
    expect(draw('日本語: here', 'here').split('\n')[2]).toBe(`  ${' '.repeat(8)}^^^^`);
    expect(draw('a: 日本', '日本').split('\n')[2]).toBe('     ^^^^');
    expect(draw('🎉👩‍👩‍👧: é here', 'here').split('\n')[2]).toBe(`  ${' '.repeat(8)}^^^^`);
  });

  test('shows control characters instead of printing them', () => {
    const source = 'a: \u001b[31m\u0007\u202ered here';
    const drawn = draw(source, 'here');
    expect(drawn.split('\n').slice(1)).toEqual(['  a: ␛[31m␇<U+202E>red here', `${' '.repeat(23)}^^^^`]);
    const hostile = errorIssue('x', 'Bad \u001b[2J.', { path: ['\u001b]0;x'], hint: 'See \u009b31m.' });
    expect(drawIssue(hostile, { file: 'a\u001bb' })).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  });

  test('cuts a long line around the span', () => {
    const source = `${'a'.repeat(500)} here ${'b'.repeat(500)}`;
    const [, line = '', pointer = ''] = draw(source, 'here', 60).split('\n');
    expect(line.startsWith('  …aaa')).toBe(true);
    expect(line.endsWith('bbb…')).toBe(true);
    expect(widthOf(line)).toBeLessThanOrEqual(62);
    expect(line.slice(pointer.indexOf('^'), pointer.lastIndexOf('^') + 1)).toBe('here');
  });

  test('marks the first line of an issue that spans several lines', () => {
    expect(draw('a:\r\n  b: 1\r\n  c: 2\r\n', 'b: 1\r\n  c: 2').split('\n')).toEqual([
      '2:3  error  Wrong.',
      '    b: 1',
      '    ^^^^',
    ]);
  });

  test('marks the position after the last character for an issue at the end', () => {
    expect(drawIssue(errorIssue('x', 'More.', { span: toSpan('ab', 2, 2) }), { source: 'ab' }).split('\n')[2]).toBe(
      '    ^',
    );
    expect(drawIssue(errorIssue('x', 'More.', { span: toSpan('', 0, 0) }), { source: '' }).split('\n')[2]).toBe('  ^');
  });

  test('never throws, never breaks a line, and keeps to its width', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), fc.nat(300), fc.nat(300), (source, start, length) => {
        const drawn = drawIssue(errorIssue('x', 'Wrong.', { span: toSpan(source, start, start + length) }), {
          source,
          width: 40,
        });
        const lines = drawn.split('\n');
        expect(lines).toHaveLength(3);
        expect(drawn).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
        expect(widthOf(lines[2] ?? '')).toBeLessThanOrEqual(42);
      }),
    );
  });
});

describe('spans', () => {
  test('count lines and columns from 1, like a slow reference implementation', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', '\n', 'é', '🎉')).map((parts) => parts.join('')),
        fc.nat(40),
        (text, at) => {
          const start = Math.min(at, text.length);
          const lines = text.slice(0, start).split('\n');
          expect(toSpan(text, start, start)).toEqual({
            start,
            end: start,
            line: lines.length,
            column: (lines.at(-1)?.length ?? 0) + 1,
          });
        },
      ),
    );
  });
});

describe('decoding bytes', () => {
  const utf8 = (text: string) => new TextEncoder().encode(text);

  test('drops a byte order mark', () => {
    expect(decodeUtf8(new Uint8Array([0xef, 0xbb, 0xbf, ...utf8('añ')]))).toMatchObject({ ok: true, value: 'añ' });
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(decodeUtf8(utf8(text))).toMatchObject({ ok: true, value: text.replace(/^\ufeff/, '') });
      }),
    );
  });

  test('reports invalid UTF-8 with line and column', () => {
    const bytes = new Uint8Array([...utf8('title: é\nname: a'), 0xff, ...utf8('b\n')]);
    const outcome = decodeUtf8(bytes, { file: 'x.yaml' });
    expect(outcome).toMatchObject({ ok: false, issues: [{ code: 'not-utf8', span: { line: 2, column: 8 } }] });
    expect(drawIssues(outcome.issues, outcome).split('\n').slice(0, 3)).toEqual([
      'x.yaml:2:8  error  A byte here is not valid UTF-8.',
      '  name: a\ufffdb',
      '         ^',
    ]);
  });

  test('reports bytes that end within a character at the end', () => {
    expect(decodeUtf8(utf8('aé').slice(0, 2))).toMatchObject({ ok: false, issues: [{ span: { line: 1, column: 2 } }] });
  });

  test('finds an invalid byte at any position', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (before, after) => {
        fc.pre(!before.startsWith('\ufeff'));
        const outcome = decodeUtf8(new Uint8Array([...utf8(before), 0xff, ...utf8(after)]));
        expect(outcome.issues[0]?.span?.start).toBe(before.length);
      }),
    );
  });
});
