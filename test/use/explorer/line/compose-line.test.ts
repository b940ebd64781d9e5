import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toSpan } from '../../../../src/ask/document/located.ts';
import { errorIssue } from '../../../../src/ask/outcome.ts';
import { cellWidth } from '../../../../src/show/labels/cell-width.ts';
import { composeLine } from '../../../../src/use/explorer/line/compose-line.ts';
import { borderAt } from '../../../../src/use/explorer/line/graphemes.ts';
import { lineOf } from '../../../../src/use/explorer/line/line-state.ts';
import type { TextLook } from '../../../../src/show/terminal/paint.ts';
import { anyText } from '../../../show/arbitrary-result.ts';

const plain: TextLook = { depth: 'plain', unicode: true };

function issueAt(text: string, start: number, end: number) {
  return errorIssue('unknown-member', 'There is no member "dcPath".', {
    span: toSpan(text, start, end),
    hint: 'Did you mean "docPath"?',
  });
}

describe('composeLine', () => {
  it('draws what is wrong under the word', () => {
    const text = 'count by dcPath';
    expect(
      composeLine(lineOf(text), { width: 60, look: plain, label: '? ', issues: [issueAt(text, 9, 15)] }).lines,
    ).toEqual(['? count by dcPath', '           ^^^^^^', '  There is no member "dcPath". Did you mean "docPath"?']);
  });

  it('draws it under the word where letters are wide', () => {
    const text = '字字 dcPath';
    expect(composeLine(lineOf(text), { width: 60, look: plain, issues: [issueAt(text, 3, 9)] }).lines[1]).toBe(
      '     ^^^^^^',
    );
  });

  it('cuts a long line around the cursor and says so', () => {
    const text = 'abcdefghijklmnopqrstuvwxyz';
    const at = (cursor: number) => composeLine({ ...lineOf(text), cursor }, { width: 12, look: plain });
    expect(at(0)).toEqual({ lines: ['abcdefghi…'], cursor: 0 });
    expect(at(26).lines[0]).toMatch(/^….*z$/);
    expect(at(26).cursor).toBe(cellWidth(at(26).lines[0]!));
  });

  it('says what is searched', () => {
    const line = { ...lineOf('count'), search: { query: 'cou', at: 0, draft: { text: '', cursor: 0 } } };
    expect(composeLine(line, { width: 60, look: plain }).lines).toEqual(['earlier line with "cou": count']);
  });

  it('shows the cursor where it is asked to, also behind the text', () => {
    const look: TextLook = { depth: 'attributes', unicode: true };
    expect(composeLine({ ...lineOf('ab'), cursor: 0 }, { width: 10, look, showCursor: true }).lines).toEqual([
      '\u001b[7ma\u001b[27mb',
    ]);
    expect(composeLine(lineOf('ab'), { width: 10, look, showCursor: true }).lines).toEqual(['ab\u001b[7m \u001b[27m']);
  });

  it('is never wider than the screen, obeys nothing that is typed, and has the cursor in sight', () => {
    fc.assert(
      fc.property(
        anyText,
        anyText,
        fc.integer({ min: 1, max: 40 }),
        fc.nat(60),
        fc.nat(60),
        fc.nat(10),
        fc.boolean(),
        fc.boolean(),
        (text, label, width, place, start, length, unicode, showCursor) => {
          const line = { ...lineOf(text), cursor: borderAt(text, Math.min(place, text.length)) };
          const { lines, cursor } = composeLine(line, {
            width,
            look: { depth: 'colour', unicode },
            label: label.replaceAll(/\p{C}/gu, '').slice(0, 10),
            issues: [issueAt(text, start, start + length)],
            placeholder: text,
            showCursor,
          });
          for (const drawn of lines) {
            const shown = stripVTControlCharacters(drawn);
            expect(cellWidth(shown)).toBeLessThanOrEqual(width);
            expect(shown).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u);
          }
          expect(cursor).toBeGreaterThanOrEqual(0);
          expect(cursor).toBeLessThan(width);
        },
      ),
    );
  });
});
