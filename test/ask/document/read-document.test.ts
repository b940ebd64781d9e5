import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { parseYaml } from '../../../src/ask/document/parse-yaml.ts';
import { readDocument } from '../../../src/ask/document/read-document.ts';
import { readValue } from '../../../src/ask/document/read-value.ts';

const step = z.strictObject({ name: z.string(), target: z.string().optional() });
const schema = z.strictObject({
  title: z.string().optional(),
  mode: z.enum(['auto', 'none']).optional(),
  count: z.int().min(0).max(10).optional(),
  steps: z.array(step).min(1),
  shape: z
    .union([
      z.string(),
      z.strictObject({ and: z.array(z.string()) }),
      z.strictObject({ field: z.string(), value: z.number() }),
    ])
    .optional(),
});

/** The code of each issue and the text that it marks. */
function found(text: string): readonly (readonly [code: string, pointedAt: string])[] {
  const outcome = readDocument(text, schema);
  return outcome.issues.map(({ code, span }) => [code, span ? text.slice(span.start, span.end) : '']);
}

describe('a valid document', () => {
  test('gives its value', () => {
    const outcome = readDocument('title: yes\nsteps:\n  - name: 2024-03-01\n', schema);
    expect(outcome).toMatchObject({ ok: true, value: { title: 'yes', steps: [{ name: '2024-03-01' }] }, issues: [] });
  });

  test('accepts JSON, tabs as indentation, and a byte order mark', () => {
    const outcome = readDocument('\ufeff{\n\t"steps": [\n\t\t{"name": "a\\/b"}\n\t]\n}', schema);
    expect(outcome).toMatchObject({ ok: true, value: { steps: [{ name: 'a/b' }] } });
  });

  test('finds its parts: values, keys, and the nearest ancestor of missing ones', () => {
    const text = 'title: A\nsteps:\n  - name: one\n    target: /x\n';
    const { locate } = readDocument(text, schema);
    const at = (...path: (string | number)[]) => {
      const span = locate(path);
      return span && text.slice(span.start, span.end);
    };
    expect(at('steps', 0, 'target')).toBe('/x');
    expect(at('steps', 0)).toBe('name: one\n    target: /x');
    expect(at('steps', 0, 'nothing', 'here')).toBe(at('steps', 0));
    expect(at('steps', 7)).toBe(at('steps'));
    expect(locate(['steps', 0, 'target'], 'key')).toMatchObject({ line: 4, column: 5 });
    expect(locate(['title'])).toMatchObject({ line: 1, column: 8 });
  });
});

describe('an invalid document', () => {
  test('reports everything at once, in the order of the text', () => {
    const text = 'titel: A\ncount: ten\nmode: aut\nsteps:\n  - target: /x\n  - 5\n';
    expect(found(text)).toEqual([
      ['unknown-key', 'titel'],
      ['wrong-type', 'ten'],
      ['unknown-value', 'aut'],
      ['missing-key', 'target: /x'],
      ['wrong-type', '5'],
    ]);
  });

  test('suggests the nearest key and value', () => {
    const { issues } = readDocument('titl: A\nmode: atuo\nsteps: [{name: a}]', schema);
    expect(issues.map(({ hint }) => hint)).toEqual(['Did you mean "title"?', 'Did you mean "auto"?']);
  });

  test('reports what was found and what is expected', () => {
    const messageOf = (text: string) => readDocument(`steps: [{name: a}]\n${text}`, schema).issues[0]?.message;
    expect(messageOf('count: "3"')).toBe('"count" must be a number, not the text "3".');
    expect(messageOf('count: 1.5')).toBe('"count" must be a whole number, not the number 1.5.');
    expect(messageOf('count: -1')).toBe('"count" must be at least 0, not -1.');
    expect(messageOf('count: 11')).toBe('"count" must be at most 10, not 11.');
    expect(messageOf('title: 2024')).toBe('"title" must be text, not the number 2024.');
    expect(messageOf('title: [a]')).toBe('"title" must be text, not a list.');
    expect(messageOf('title: {a: 1}')).toBe('"title" must be text, not a mapping.');
    expect(messageOf('title:')).toBe('"title" must be text, not nothing.');
    expect(readDocument('steps: []', schema).issues[0]?.message).toBe('"steps" must have at least 1 entry, not 0.');
    expect(readDocument('steps: [a]', schema).issues[0]?.message).toBe(
      'Entry 1 of "steps" must be a mapping, not the text "a".',
    );
  });

  test('shows the correct form if it is obvious', () => {
    const hintOf = (text: string) => readDocument(text, schema).issues[0]?.hint;
    expect(hintOf('title: 2024\nsteps: [{name: a}]')).toBe('Put it in quotes: `"2024"`.');
    expect(hintOf('steps: name')).toBe('Write a list: `[name]`.');
    expect(hintOf('count: "3"\nsteps: [{name: a}]')).toBe('Leave out the quotes: `3`.');
  });

  test('reports mistakes of a union for the intended branch', () => {
    const issuesOf = (shape: string) =>
      readDocument(`steps: [{name: a}]\nshape: ${shape}`, schema).issues.map(({ path, code }) => [
        path.join('.'),
        code,
      ]);
    expect(issuesOf('{field: a, value: b}')).toEqual([['shape.value', 'wrong-type']]);
    expect(issuesOf('{field: a, valeu: 1}')).toEqual([
      ['shape.value', 'missing-key'],
      ['shape.valeu', 'unknown-key'],
    ]);
    expect(issuesOf('{and: [1]}')).toEqual([['shape.and.0', 'wrong-type']]);
    expect(issuesOf('5')).toEqual([['shape', 'wrong-type']]);
    expect(readDocument('steps: [{name: a}]\nshape: 5', schema).issues[0]?.message).toBe(
      '"shape" must be text or a mapping, not the number 5.',
    );
  });

  test('marks the key if it has no value', () => {
    expect(found('count:\nsteps: [{name: a}]')).toEqual([['wrong-type', 'count']]);
  });
});

describe('malformed text', () => {
  test.each([
    ['a duplicate key', 'title: a\ntitle: b', 'duplicate-key', 2],
    ['a second document', 'title: a\n---\ntitle: b', 'several-documents', 2],
    ['a tab as indentation', 'steps:\n\t- name: a', 'yaml-tab', 2],
    ['an alias without an anchor', 'title: a\nsteps: *b', 'yaml-alias', 2],
    ['a circular alias', 'title: a\nsteps: &a [*a]', 'yaml-alias', 2],
    ['a longer cycle of aliases', 'steps: &a\n  - &b {name: *a}\n  - *b', 'yaml-alias', 2],
    ['an unclosed quote', 'title: a\nmode: "b', 'yaml-syntax', 2],
    ['nothing', '', 'empty-document', 1],
    ['only a comment', '# later\n', 'empty-document', 1],
  ])('%s is an issue with its line', (_, text, code, line) => {
    const outcome = readDocument(text, schema);
    expect(outcome.ok).toBe(false);
    expect(outcome.issues[0]).toMatchObject({ code, span: { line } });
  });

  test('refuses aliases that multiply before they are expanded', () => {
    const bomb = [
      'a: &a [x,x,x,x,x,x,x,x,x,x]',
      ...'bcdefghi'.split('').map((name, index) => {
        const before = 'abcdefgh'[index];
        return `${name}: &${name} [${Array.from({ length: 10 }, () => `*${before}`).join(',')}]`;
      }),
    ].join('\n');
    expect(readDocument(bomb, schema).issues[0]).toMatchObject({ code: 'yaml-alias' });
  });

  test('accepts an alias of an anchor that is set again within', () => {
    expect(readDocument('&a [&a x, *a]', z.unknown())).toMatchObject({ ok: true, value: ['x', 'x'] });
  });

  test('refuses circular aliases and deep nesting, whatever is done with the value', () => {
    expect(parseYaml('a: &a [*a]')).toMatchObject({
      ok: false,
      issues: [{ code: 'yaml-alias', span: { line: 1, column: 8 } }],
    });
    expect(parseYaml(`a: ${'['.repeat(70)}${']'.repeat(70)}`)).toMatchObject({
      ok: false,
      issues: [{ code: 'too-deep', span: { line: 1, column: 67 } }],
    });
    expect(parseYaml(`{"a": ${'['.repeat(5_000)}${']'.repeat(5_000)}}`)).toMatchObject({
      ok: false,
      issues: [{ code: 'too-deep' }],
    });
  });

  test('reports endless nesting as one issue', () => {
    expect(readDocument(`steps: ${'['.repeat(5_000)}`, schema).issues).toMatchObject([
      { code: 'too-deep', span: { line: 1 } },
    ]);
    expect(readDocument('['.repeat(50_000), schema).issues).toMatchObject([{ code: 'too-deep' }]);
    expect(readDocument('- '.repeat(50_000), schema).issues).toMatchObject([{ code: 'too-deep' }]);
    expect(readDocument('{a: '.repeat(300) + '1' + '}'.repeat(300), z.unknown()).issues).toMatchObject([
      { code: 'too-deep' },
    ]);
  });

  test('treats a key such as __proto__ like any other', () => {
    expect(found('steps: [{name: a}]\n__proto__: {polluted: 1}')).toEqual([['unknown-key', '__proto__']]);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  test('never throws', () => {
    const pieces = fc.constantFrom(
      'a',
      ': ',
      '- ',
      '\n',
      '  ',
      '\t',
      '[',
      ']',
      '{',
      '}',
      ',',
      '&x ',
      '*x',
      '!!t ',
      '"',
      "'",
      '|',
      '>',
      '---',
      '#',
      '?',
      '%',
      '\u0000',
      '🎉',
      'steps',
      'name',
    );
    fc.assert(
      fc.property(
        fc.array(pieces, { maxLength: 30 }).map((parts) => parts.join('')),
        (text) => {
          const outcome = readDocument(text, schema);
          expect(outcome.ok || outcome.issues.length > 0).toBe(true);
          for (const { span } of outcome.issues) {
            expect(span).toBeDefined();
            expect(span!.start >= 0 && span!.start <= span!.end && span!.end <= text.length).toBe(true);
          }
        },
      ),
      { numRuns: 2000 },
    );
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        readDocument(text, schema);
      }),
    );
  });
});

describe('broken JSON', () => {
  test.each<[string, readonly (readonly [code: string, column: number, hint: string | undefined])[]]>([
    ['{"steps": {"name": ["a"]}\n', [['unclosed-bracket', 1, 'Write } at the end.']]],
    ['{"steps": [{"name": "a"\n', [['unclosed-bracket', 12, 'Write }]} at the end.']]],
    ['{"steps": [{"name": "a"]}\n', [['unclosed-bracket', 24, 'Write } before it.']]],
    ['{"steps": ["]"}\n', [['unclosed-bracket', 15, 'Write ] before it.']]],
    ['{"title": "a"}}', [['unopened-bracket', 15, 'Leave it out.']]],
    ['{"title": "a\\"}', [['unclosed-quote', 11, 'Write " after the text.']]],
    ['{"title": "a",, "count": 1}', [['yaml-syntax', 15, undefined]]],
    ['{"title" "a"}', [['yaml-syntax', 10, undefined]]],
    ['  [1, 2', [['unclosed-bracket', 3, 'Write ] at the end.']]],
  ])("%j is reported in JSON's terms", (text, expected) => {
    const { issues } = readDocument(text, schema);
    expect(issues.map(({ code, span, hint }) => [code, span?.column, hint])).toEqual(expected);
    expect(issues.map(({ message }) => message).join()).not.toMatch(/flow|collection|indented/i);
  });

  test('reports a missing bracket after the last word', () => {
    expect(readDocument('steps: [a\n\n', schema).issues).toMatchObject([
      { message: 'A bracket is not closed: ] is missing here.', span: { line: 1, column: 10 } },
    ]);
  });
});

describe('numbers', () => {
  test('stay text on request if they would print differently from how they are written', () => {
    const text = 'values: [1.10, 007, 9007199254740993, 1.5, -3, 0x1F]\nother: 1.10';
    const outcome = readDocument(text, z.unknown(), { asWritten: (path) => path[0] === 'values' });
    expect(outcome).toMatchObject({
      ok: true,
      value: { values: ['1.10', '007', '9007199254740993', 1.5, -3, 31], other: 1.1 },
    });
  });
});

describe('plain values', () => {
  test('refuses circular values as too deep', () => {
    const loop: Record<string, unknown> = {};
    loop['loop'] = loop;
    expect(readValue(loop, z.unknown())).toMatchObject({ ok: false, issues: [{ code: 'too-deep' }] });
  });

  test('reads values that share parts many times over quickly', () => {
    let shared: unknown = 'x';
    for (let level = 0; level < 60; level += 1) shared = [shared, shared];
    expect(readValue(shared, z.unknown())).toMatchObject({ ok: true });
  });

  test('keeps paths, and a hint that the schema writes after a line break', () => {
    const even = z.strictObject({
      n: z.number().refine((n) => n % 2 === 0, { error: 'Odd.\nTake an even one.', params: { code: 'odd' } }),
    });
    expect(readValue({ n: 3 }, even).issues).toEqual([
      { code: 'odd', message: 'Odd.', hint: 'Take an even one.', path: ['n'], severity: 'error', span: undefined },
    ]);
  });
});
