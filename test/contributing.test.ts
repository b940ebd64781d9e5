import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const root = new URL('../', import.meta.url).pathname;
const text = readFileSync(`${root}CONTRIBUTING.md`, 'utf8');

/** Paths between backticks, from the root or from `src/`; `<name>` is any name. */
function pathsIn(lines: readonly string[]): readonly string[] {
  return lines
    .flatMap((line) => [...line.matchAll(/`([a-z][\w.*<>-]*\/[\w./*<>-]*)`/g)])
    .map(([, path = '']) => path.replaceAll(/<\w+>/g, '*'));
}

const isThere = (path: string) => globSync([path, `src/${path}`], { cwd: root }).length > 0;

describe('the map of CONTRIBUTING.md', () => {
  it('names existing paths in the tables of questions', () => {
    const rows = text.split('\n').filter((line) => /^\| [^|]+\? \|/.test(line));
    expect(rows.length).toBeGreaterThan(25);
    for (const row of rows) expect(pathsIn([row]), row).not.toEqual([]);
    expect(pathsIn(rows).filter((path) => !isThere(path))).toEqual([]);
  });

  it('names every stage, and no other', () => {
    const stages = [...text.matchAll(/^\| `(\w+)\/` \|/gm)].map(([, stage]) => stage);
    expect([...stages].sort()).toEqual(
      globSync('src/*', { cwd: root })
        .map((path) => path.slice(4))
        .sort(),
    );
  });
});
