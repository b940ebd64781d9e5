import { type Cube, type DimensionType, isCount, type Measure, type Model } from './model.ts';

export interface WriteModelTypesOptions {
  /** Name of the interface, a TypeScript identifier; defaults to `Model`. */
  readonly name?: string | undefined;
}

/**
 * Writes the model as TypeScript source for the query builder: `query<Model>()` completes member names and types the
 * rows. Members that are not listed are omitted. Time dimensions appear under `times`, where they take a granularity,
 * and under `dimensions`, where they are exact to the millisecond.
 */
export function writeModelTypes(model: Model, options: WriteModelTypesOptions = {}): string {
  const cubes = model.cubes.filter((cube) => cube.public);
  const listed = <T extends Described>(pick: (cube: Cube) => readonly T[], type: (member: T) => string) =>
    cubes.flatMap((cube) =>
      pick(cube)
        .filter((member) => member.public)
        .map((member) => property(cube, member, type(member))),
    );
  const times = (cube: Cube) => cube.dimensions.filter((dimension) => dimension.type === 'time');
  const sized = listed(
    (cube) => times(cube).filter(({ granularities = [] }) => granularities.length > 0),
    ({ granularities = [] }) => granularities.map(({ name }) => quote(name)).join(' | '),
  );
  const segments = cubes.flatMap((cube) =>
    cube.segments.filter((segment) => segment.public).map(({ name }) => quote(`${cube.name}.${name}`)),
  );
  return [
    '// Written by `sluice model -f ts`. Use it as the type of a query: `query<Model>().measures(…)`.',
    '',
    `export interface ${options.name ?? 'Model'} {`,
    ...block(
      'measures',
      listed(
        (cube) => cube.measures,
        (measure) => measureTypeOf(measure),
      ),
    ),
    ...block(
      'dimensions',
      listed(
        (cube) => cube.dimensions,
        (dimension) => valueTypes[dimension.type],
      ),
    ),
    ...block(
      'times',
      listed(times, () => 'string'),
    ),
    ...(sized.length === 0 ? [] : block('granularities', sized)),
    '  /** The names of all segments. */',
    segments.length === 0
      ? '  segments: never;'
      : `  segments:\n${segments.map((name) => `    | ${name}`).join('\n')};`,
    '}',
    '',
  ].join('\n');
}

interface Described {
  readonly name: string;
  readonly description?: string | undefined;
  readonly public: boolean;
}

const valueTypes: Readonly<Record<DimensionType, string>> = {
  string: 'string',
  number: 'number | bigint | string',
  boolean: 'boolean',
  time: 'string',
};

/**
 * The possible types of a measure's values besides null. Counts stay below 2^53. Sums are exact: larger integers are
 * bigint, and decimals that a number cannot represent are text. Minima and maxima have the type of their operand, which
 * the model does not state.
 */
function measureTypeOf({ type }: Measure): string {
  if (type === 'string' || type === 'boolean' || type === 'time') return valueTypes[type];
  return isCount(type) ? 'number' : 'number | bigint | string';
}

function property(cube: Cube, member: Described, type: string): readonly string[] {
  const line = `    ${quote(`${cube.name}.${member.name}`)}: ${type};`;
  return member.description === undefined ? [line] : [`    /** ${toComment(member.description)} */`, line];
}

function block(name: string, properties: readonly (readonly string[])[]): readonly string[] {
  const what =
    name === 'granularities'
      ? "The model's own granularities, by time dimension."
      : `The types of the values of all ${name}, besides null.`;
  const comment = `  /** ${what} */`;
  return [comment, ...(properties.length === 0 ? [`  ${name}: {};`] : [`  ${name}: {`, ...properties.flat(), '  };'])];
}

/** A description on one line that cannot close its comment. */
function toComment(text: string): string {
  return text.replace(/\s+/g, ' ').trim().replaceAll('*/', '*\u200b/');
}

function quote(name: string): string {
  return `'${name}'`;
}
