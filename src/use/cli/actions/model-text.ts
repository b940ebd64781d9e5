import type { Cube, Model } from '../../../plan/model/model.ts';
import { sanitize } from '../../../show/sanitize.ts';
import { breakWords } from '../break-words.ts';

interface Entry {
  readonly name: string;
  readonly type: string;
  readonly description?: string | undefined;
  readonly public: boolean;
}

/** What can be asked, cube by cube, for reading in a terminal: the names of members. `width`: cells of a line. */
export function writeModelText(model: Model, width: number): string {
  const cubes = model.cubes.filter((cube) => cube.public);
  return `${cubes.map((cube) => writeOverview(cube, width)).join('\n')}\nMore about one of them: sluice model ${cubes[0]?.name ?? 'CUBE'}\n`;
}

/** Cubes with a line of prose beside each member; only where there is a width, it is broken. */
export function writeMembersText(model: Model, width: number | undefined): string {
  return model.cubes.filter((cube) => cube.public).map((cube) => writeCube(cube, width)).join('\n');
}

function writeOverview(cube: Cube, width: number): string {
  const sections = sectionsOf(cube).map(([heading, entries]) => `  ${`${heading}:`.padEnd(12)}${wrap(entries.map(({ name }) => name), 14, width)}\n`);
  return `${headingOf(cube, width)}${sections.join('')}`;
}

function writeCube(cube: Cube, width: number | undefined): string {
  return headingOf(cube, width) + sectionsOf(cube).map(([heading, entries]) => `\n${heading}\n${entries.map(writeEntry(entries, width)).join('')}`).join('');
}

/** Beside names and types prose gets at least so much room, below its beginning. */
const leastRoom = 20;

function writeEntry(all: readonly Entry[], width: number | undefined): (entry: Entry) => string {
  const names = Math.max(...all.map(({ name }) => name.length));
  const types = Math.max(...all.map(({ type }) => type.length));
  const indent = types === 0 ? names + 4 : names + types + 6;
  return ({ name, type, description = '' }) => {
    const prose = sanitize(description);
    const lines = width === undefined ? [prose] : breakWords(prose, Math.max(leastRoom, width - indent));
    return `${`${`  ${name.padEnd(names)}  ${type.padEnd(types)}`.padEnd(indent)}${lines.join(`\n${' '.repeat(indent)}`)}`.trimEnd()}\n`;
  };
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

function headingOf({ name, description, timeMember }: Cube, width: number | undefined): string {
  const time = timeMember === undefined ? '' : `  (a bare range means its ${timeMember})`;
  const prose = description === undefined ? [] : breakWords(sanitize(description.trim()), width === undefined ? Infinity : width - 2);
  return [`${name}${time}`, ...prose.map((line) => `  ${line}`)].map((line) => `${line}\n`).join('');
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
