import type { Cube, Model } from '../../../plan/model/model.ts';
import { sanitize } from '../../../show/sanitize.ts';

interface Entry {
  readonly name: string;
  readonly type: string;
  readonly description?: string | undefined;
  readonly public: boolean;
}

/** What can be asked, cube by cube, for reading in a terminal. `withDescriptions`: a line of prose beside each member. `width`: cells of a line. */
export function writeModelText(model: Model, withDescriptions: boolean, width: number): string {
  const cubes = model.cubes.filter((cube) => cube.public);
  const text = cubes.map((cube) => (withDescriptions ? writeCube(cube) : writeOverview(cube, width))).join('\n');
  return withDescriptions ? text : `${text}\nMore about one of them: sluice model ${cubes[0]?.name ?? 'CUBE'}\n`;
}

function writeOverview(cube: Cube, width: number): string {
  const sections = sectionsOf(cube).map(([heading, entries]) => `  ${`${heading}:`.padEnd(12)}${wrap(entries.map(({ name }) => name), 14, width)}\n`);
  return `${headingOf(cube)}${sections.join('')}`;
}

function writeCube(cube: Cube): string {
  return headingOf(cube) + sectionsOf(cube).map(([heading, entries]) => `\n${heading}\n${entries.map(writeEntry(entries)).join('')}`).join('');
}

function writeEntry(all: readonly Entry[]): (entry: Entry) => string {
  const width = Math.max(...all.map(({ name }) => name.length));
  const types = Math.max(...all.map(({ type }) => type.length));
  return ({ name, type, description = '' }) => `${`  ${name.padEnd(width)}  ${type.padEnd(types)}  ${sanitize(description)}`.trimEnd()}\n`;
}

function sectionsOf(cube: Cube): readonly (readonly [heading: string, entries: readonly Entry[]])[] {
  const listed = (entries: readonly Entry[]) => entries.filter((entry) => entry.public);
  const sections = [
    ['measures', listed(cube.measures)],
    ['dimensions', listed(cube.dimensions)],
    ['segments', listed(cube.segments.map((segment) => ({ ...segment, type: '' })))],
  ] as const;
  return sections.filter(([, entries]) => entries.length > 0);
}

function headingOf({ name, description, timeMember }: Cube): string {
  const time = timeMember === undefined ? '' : `  (a bare range means its ${timeMember})`;
  return `${name}${time}\n${description === undefined ? '' : `  ${sanitize(description.trim())}\n`}`;
}

/** Names with commas, in lines of so many characters. */
function wrap(names: readonly string[], indent: number, width: number): string {
  const lines: string[] = [''];
  for (const [index, name] of names.entries()) {
    const word = index < names.length - 1 ? `${name}, ` : name;
    if ((lines.at(-1) ?? '').length + word.length > width - indent) lines.push('');
    lines.push((lines.pop() ?? '') + word);
  }
  return lines.map((line) => line.trimEnd()).join(`\n${' '.repeat(indent)}`);
}
