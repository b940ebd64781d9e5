import { describe, expect, it } from 'vitest';
import { openSources } from '../.config/reference-read.ts';
import { readReference, writeReference } from '../.config/reference.ts';

describe('the API reference', () => {
  const written = writeReference();

  it('documents every export', () => {
    expect(written.gaps).toEqual([]);
  });

  it('is up to date with the sources; otherwise run `npm run docs`', () => {
    const kept = readReference();
    expect([...kept.keys()].toSorted()).toEqual([...written.files.keys()].toSorted());
    for (const [file, text] of written.files) expect(kept.get(file), file).toBe(text);
  });

  it('has valid links', () => {
    const anchors = new Set(
      [...written.files].flatMap(([file, text]) => [
        file,
        ...[...text.matchAll(/^#+ (.+)$/gm)].map(
          ([, heading = '']) =>
            `${file}#${heading
              .toLowerCase()
              .replace(/[^\w -]/g, '')
              .replaceAll(' ', '-')}`,
        ),
      ]),
    );
    const dead = [...written.files].flatMap(([file, text]) =>
      [...text.matchAll(/\]\(([^)\s]+)\)/g)]
        .map(([, to = '']) => (to.startsWith('#') ? `${file}${to}` : to))
        .filter((to) => !anchors.has(to)),
    );
    expect(dead).toEqual([]);
  });

  it('has examples that compile', () => {
    expect(written.examples.length).toBeGreaterThan(5);
    using sources = openSources();
    for (const example of written.examples)
      expect(
        sources.mistakes(`import { open, pivot, query, select, type Sluice, toTable } from 'sluice';
declare const s: Sluice;
${example}
export { open, pivot, query, s, select, toTable };`),
        example,
      ).toEqual([]);
  });
});
