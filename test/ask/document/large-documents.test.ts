import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { drawIssues } from '../../../src/ask/document/draw-issue.ts';
import { parseYaml } from '../../../src/ask/document/parse-yaml.ts';
import { readValue } from '../../../src/ask/document/read-value.ts';

// Work that grows with the square of these sizes would exceed the time limit of a test.
const many = Array.from({ length: 40_000 }, (_, index) => index);

describe('large documents', () => {
  it('with many keys are read, and each part is found', () => {
    const read = parseYaml(many.map((index) => `k${index}: ${index}`).join('\n'));
    expect(read.ok && Object.keys(read.value as object).length).toBe(many.length);
    expect(many.filter((index) => read.locate([`k${index}`], 'key')?.line !== index + 1)).toEqual([]);
  });

  it('with many duplicate keys report every one', () => {
    const { issues } = parseYaml(many.map((index) => `k${index % 10}: 1`).join('\n'));
    expect(issues.map(({ code }) => code)).toEqual(Array.from({ length: many.length - 10 }, () => 'duplicate-key'));
    expect(issues.at(-1)?.span).toMatchObject({ line: many.length, column: 1 });
  });

  it('with many aliases are refused once', () => {
    const { issues } = parseYaml(`- &a 1\n${many.map(() => '- *a').join('\n')}`);
    expect(issues.map(({ code, span }) => `${code} ${span?.line}`)).toEqual(['yaml-alias 1002']);
  });

  it('with many aliases without anchors report those that were checked', () => {
    const { issues } = parseYaml(many.map((index) => `- *a${index}`).join('\n'));
    expect(issues).toHaveLength(1001);
    expect(issues[0]?.message).toBe('This alias has no anchor.');
  });

  it('with issues on one long line draw a hundred of them, each around its place', () => {
    const text = `[${many.map(() => 'x').join(', ')}]`;
    const { locate } = parseYaml(text);
    const issues = readValue(
      many.map(() => 'x'),
      z.array(z.number()),
    ).issues.map((issue) => ({ ...issue, span: locate(issue.path) }));
    const lines = drawIssues(issues, { source: text, width: 40 }).split('\n');
    expect(lines.at(-1)).toBe(`… and ${(issues.length - 100).toLocaleString('en-US')} more.`);
    expect(lines.filter((line) => line.includes('^'))).toHaveLength(100);
    for (const line of lines) expect(line.length).toBeLessThan(80);
    expect(lines[lines.length - 3]).toMatch(/^ {2}….*x, x.*…$/);
  });
});
