import type { Cube, Dimension, Model, Template } from './model.ts';

/** Names of the members that identify the user of a row. They exist only in models for listing users. */
export const userMembers = { user: 'user', kind: 'userKind', period: 'periodBegin' } as const;

/**
 * Adds hidden dimensions for users to each cube that has them: the user, the kind of identifier, and for computed cubes
 * the start of the row's period. `own`: the identifier that defines a user. See `userKey`.
 */
export function withUserDimensions(model: Model, own: 'anonymous' | 'known'): Model {
  const other = own === 'known' ? 'anonymous' : 'known';
  const key = '.user_key';
  // A control character marks the second kind of identifier.
  const user = cased(
    `${key}, chr(31) || 'u') THEN substr(`,
    `${key}, 3) WHEN starts_with(`,
    `${key}, chr(31)) THEN substr(`,
    `${key}, 2) ELSE `,
    `${key} END`,
  );
  const kind = cased(`${key}, chr(31) || 'u') THEN '${other}' ELSE '${own}' END`);
  const begin: Template = [text('strftime('), { kind: 'cube' }, text(".label, '%Y-%m-%dT%H:%M:%S')")];
  const cubes = model.cubes.map((cube): Cube => {
    if (!knowsUsers(cube)) return cube;
    const more = [
      toDimension(userMembers.user, 'User', user),
      toDimension(userMembers.kind, 'Known by', kind),
      ...(cube.source.kind === 'computed' ? [toDimension(userMembers.period, 'Begin', begin)] : []),
    ];
    const taken = new Set(more.map(({ name }) => name));
    return { ...cube, dimensions: [...cube.dimensions.filter(({ name }) => !taken.has(name)), ...more] };
  });
  return { ...model, cubes };
}

/** True if the rows of a cube belong to users who can be listed. */
export function knowsUsers({ source }: Cube): boolean {
  return (
    source.kind === 'events' ||
    source.kind === 'sessions' ||
    source.kind === 'users' ||
    (source.kind === 'computed' && source.computed === 'here')
  );
}

function cased(...parts: readonly string[]): Template {
  return [text('CASE WHEN starts_with('), ...parts.flatMap((part) => [{ kind: 'cube' as const }, text(part)])];
}

function text(text: string): Template[number] {
  return { kind: 'text', text };
}

function toDimension(name: string, title: string, sql: Template): Dimension {
  return {
    name,
    title,
    shortTitle: title,
    type: 'string',
    expression: { kind: 'sql', sql },
    primaryKey: false,
    public: false,
  };
}
