import { shortNameOf } from '../../../ask/query/member-name.ts';
import { isPropertyName, propertyFunctions, allProperties } from '../../../ask/query/property-name.ts';
import type { Cube, Model } from '../../../plan/model/model.ts';
import { granularityTitle } from '../../../plan/model/granularity-definition.ts';
import { sanitize } from '../../../show/labels/sanitize.ts';
import { wrapWords } from '../../../show/labels/wrap-words.ts';
import { type ExitCode, exitCodes } from '../../process/exit-code.ts';
import { pickCube, writeModel } from '../../model/write-model.ts';
import { lineWidth } from '../../process/line-width.ts';
import { textWidth } from '../../process/text-width.ts';
import { openModelOf } from '../../workspace/open-model.ts';
import type { ModelFlags } from '../command/command-flags.ts';
import type { Invocation } from '../command/invocation.ts';
import { toReporter } from '../command/reporter.ts';
import { openCommandSettings } from '../command/open-workspace.ts';
import { inputError } from '../../../ask/sluice-error.ts';

interface Entry {
  readonly name: string;
  readonly type: string;
  readonly description?: string | undefined;
  readonly public: boolean;
}

/** Names of all members by cube, for a terminal. `width`: cells of a line. */
function writeModelText(model: Model, width: number): string {
  const cubes = model.cubes.filter((cube) => cube.public);
  return (
    `${cubes.map((cube) => writeOverview(cube, width)).join('\n')}\n` +
    `For details, run: sluice model ${cubes[0]?.name ?? 'CUBE'}\n`
  );
}

/** Cubes with a line of text for each member, wrapped if there is a width. */
function writeMembersText(model: Model, width: number | undefined): string {
  return model.cubes
    .filter((cube) => cube.public)
    .map((cube) => writeCube(cube, width))
    .join('\n');
}

function writeOverview(cube: Cube, width: number): string {
  const sections = sectionsOf(cube).map(
    ([heading, entries]) =>
      `  ${`${heading}:`.padEnd(12)}${wrap(
        entries.map(({ name }) => name),
        14,
        width,
      )}\n`,
  );
  return `${headingOf(cube, width)}${sections.join('')}${writeGroups(cube, 'folders', width)}${writeGroups(cube, 'hierarchies', width)}`;
}

/** A line for each folder or hierarchy of a cube. */
function writeGroups(cube: Cube, kind: 'folders' | 'hierarchies', width: number | undefined): string {
  return (cube[kind] ?? [])
    .map(({ title, members }) => {
      const names = members.map(shortNameOf);
      const heading = `  ${kind === 'folders' ? 'folder' : 'hierarchy'} ${sanitize(title)}: `;
      const list = kind === 'folders' ? names : [names.join(' > ')];
      return `${heading}${wrap(list, 4, Math.max(leastRoom, (width ?? Infinity) - heading.length))}\n`;
    })
    .join('');
}

function writeCube(cube: Cube, width: number | undefined): string {
  return (
    headingOf(cube, width) +
    sectionsOf(cube)
      .map(([heading, entries]) => `\n${heading}\n${entries.map(writeEntry(entries, width)).join('')}`)
      .join('') +
    [writeGroups(cube, 'folders', width), writeGroups(cube, 'hierarchies', width)]
      .filter((text) => text !== '')
      .map((text) => `\n${text}`)
      .join('')
  );
}

/** Minimum width of descriptions beside names and types. */
const leastRoom = 20;

function writeEntry(all: readonly Entry[], width: number | undefined): (entry: Entry) => string {
  const names = Math.max(...all.map(({ name }) => name.length));
  const types = Math.max(...all.map(({ type }) => type.length));
  const indent = types === 0 ? names + 4 : names + types + 6;
  return ({ name, type, description = '' }) => {
    const prose = sanitize(description);
    const lines =
      width === undefined ? [prose] : wrapWords(prose, Math.max(leastRoom, width - indent), { longWords: 'keep' });
    return `${`${`  ${name.padEnd(names)}  ${type.padEnd(types)}`.padEnd(indent)}${lines.join(`\n${' '.repeat(indent)}`)}`.trimEnd()}\n`;
  };
}

function sectionsOf(cube: Cube): readonly (readonly [heading: string, entries: readonly Entry[]])[] {
  const listed = (entries: readonly Entry[]) => entries.filter((entry) => entry.public);
  const sections = [
    ['measures', listed(cube.measures)],
    ['dimensions', listed(cube.dimensions)],
    ['buckets', granularitiesOf(cube)],
    ['segments', listed(cube.segments.map((segment) => ({ ...segment, type: '' })))],
  ] as const;
  return sections.filter(([, entries]) => entries.length > 0);
}

/** Custom granularities of time dimensions: `created_at.fiscal_quarter`. */
function granularitiesOf({ dimensions }: Cube): readonly Entry[] {
  return dimensions.flatMap((time) =>
    (time.granularities ?? []).map(({ name, title, written }) => ({
      name: `${time.name}.${name}`,
      type: written?.interval ?? '',
      description: granularityTitle(name) === title ? undefined : title,
      public: time.public,
    })),
  );
}

function headingOf({ name, description, timeMember }: Cube, width: number | undefined): string {
  const time = timeMember === undefined ? '' : `  (a bare range means its ${timeMember})`;
  const prose =
    description === undefined
      ? []
      : wrapWords(sanitize(description.trim()), width === undefined ? Infinity : width - 2, { longWords: 'keep' });
  return [`${name}${time}`, ...prose.map((line) => `  ${line}`)].map((line) => `${line}\n`).join('');
}

/** Names separated by commas, wrapped to `width` characters. */
function wrap(names: readonly string[], indent: number, width: number): string {
  const lines: string[] = [''];
  for (const [index, name] of names.entries()) {
    const word = index < names.length - 1 ? `${name}, ` : name;
    if ((lines.at(-1) ?? '').length + word.length > width - indent) lines.push('');
    lines.push((lines.pop() ?? '') + word);
  }
  return lines.map((line) => line.trimEnd()).join(`\n${' '.repeat(indent)}`);
}

/** `sluice model`. */
export async function runModel({ args, flags, effects }: Invocation<ModelFlags>): Promise<ExitCode> {
  if (args[0] !== undefined && /^(?:\w+\.)?props$/.test(args[0])) return listProperties({ args, flags, effects });
  const { root, settings } = await openCommandSettings(flags, effects);
  const warnings: string[] = [];
  const { cwd, env, now, signal } = effects;
  const opened = await openModelOf(settings, { cwd, env, root, now, signal, warn: (text) => warnings.push(text) });
  await using _closed = opened.backend;
  // Read a server's model anew: the user wants its current state.
  const whole = (await opened.again?.(signal)) ?? opened.model;
  for (const warning of warnings) await toReporter(flags, effects).note(warning);
  const name = args[0];
  await effects.stdout.write(
    await (flags.format === undefined || flags.format === 'text'
      ? writeText(whole, name, { flags, effects })
      : writeModel(name === undefined ? whole : pickCube(whole, name), flags.format)),
  );
  return exitCodes.done;
}

/** `sluice model props`: the properties that events have. */
async function listProperties({ flags, effects }: Pick<Invocation<ModelFlags>, 'args' | 'flags' | 'effects'>) {
  const { openWorkspace } = await import('../command/open-workspace.ts');
  await using session = (await openWorkspace(flags, effects)).session;
  await session.refreshModel(effects.signal, [allProperties]);
  const cube = session.model.cubes.find(({ source }) => source.kind === 'events');
  const isProperty = ({ name }: { readonly name: string }) => isPropertyName(name);
  const [dimensions, measures] = [cube?.dimensions.filter(isProperty), cube?.measures.filter(isProperty)];
  if (!cube || !dimensions || dimensions.length === 0) {
    const message = 'There are no event properties.';
    const hint = 'Properties are what local events keep beside their fields: name some events by `--events`.';
    throw inputError('no-properties', message, hint);
  }
  const description =
    'What some of the events keep beside their fields. ' +
    `Numbers can be computed: ${propertyFunctions.map((name) => `${name}(…)`).join(', ')}.`;
  const found: Cube = {
    ...cube,
    description,
    timeMember: undefined,
    dimensions,
    measures: measures ?? [],
    segments: [],
  };
  const isText = flags.format === undefined || flags.format === 'text';
  const model = { cubes: [isText ? { ...found, measures: [] } : found] };
  await effects.stdout.write(
    flags.format === undefined || flags.format === 'text'
      ? writeMembersText(model, lineWidth(flags, effects))
      : await writeModel(model, flags.format),
  );
  return exitCodes.done;
}

/** An overview of all cubes, or the details of one; on a pipe, one line for each member. */
function writeText(
  whole: Model,
  name: string | undefined,
  { flags, effects }: Pick<Invocation<ModelFlags>, 'flags' | 'effects'>,
): string {
  return name === undefined
    ? writeModelText(whole, textWidth(flags, effects))
    : writeMembersText(pickCube(whole, name), lineWidth(flags, effects));
}
