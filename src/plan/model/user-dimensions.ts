import { type Followed, spellDimension } from '../../ask/analysis/followed.ts';
import { userKeyColumn } from './event-fields.ts';
import type { Cube, Dimension, Model, Template } from './model.ts';

/** Names of the members that identify the user of a row. They exist only in models for listing users. */
export const userMembers = { user: 'user', followed: 'followed', kind: 'userKind', period: 'periodBegin' } as const;

/**
 * The members that identify the user of a row, or the value that is followed in place of users. The first one tells
 * them apart.
 */
export function userMembersOf(cube: Cube): readonly [string, ...string[]] {
  return followedBy(cube) === undefined ? [userMembers.user, userMembers.kind] : [userMembers.followed];
}

/** The dimension whose values the rows of an analysis follow in place of users; undefined if there is none. */
function followedBy({ source }: Cube): string | undefined {
  return source.kind === 'computed' ? (source.definition as Followed).follow : undefined;
}

/**
 * SQL of the ID of a row's user. In the key, a control character marks the second kind of identifier, see `userKey`.
 * `{CUBE}` is the alias of the cube.
 */
export const userIdSql = `CASE
  WHEN starts_with({CUBE}.${userKeyColumn}, chr(31) || 'u') THEN substr({CUBE}.${userKeyColumn}, 3)
  WHEN starts_with({CUBE}.${userKeyColumn}, chr(31)) THEN substr({CUBE}.${userKeyColumn}, 2)
  ELSE {CUBE}.${userKeyColumn} END`;

/**
 * Adds hidden dimensions for users to each cube that has them: the user (or the value that is followed in place of
 * users), the kind of identifier, and for computed cubes the start of the row's period. `own`: the identifier that
 * defines a user. See `userKey`.
 */
export function withUserDimensions(model: Model, own: 'anonymous' | 'known'): Model {
  const other = own === 'known' ? 'anonymous' : 'known';
  const user = toTemplate(userIdSql);
  const key = toTemplate(`{CUBE}.${userKeyColumn}`);
  const kind = toTemplate(
    `CASE WHEN starts_with({CUBE}.${userKeyColumn}, chr(31) || 'u') THEN '${other}' ELSE '${own}' END`,
  );
  // For ClickHouse, too, which has no strftime.
  const begin = toTemplate("replace(substr(CAST({CUBE}.label AS VARCHAR), 1, 19), ' ', 'T')");
  const cubes = model.cubes.map((cube): Cube => {
    if (!knowsUsers(cube)) return cube;
    const followed = followedBy(cube);
    const more = [
      ...(followed === undefined
        ? [toDimension(userMembers.user, 'User', user), toDimension(userMembers.kind, 'Known by', kind)]
        : [toDimension(userMembers.followed, spellDimension(followed), key)]),
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

function toTemplate(sql: string): Template {
  return sql
    .split('{CUBE}')
    .flatMap((text, index) => [...(index === 0 ? [] : [{ kind: 'cube' as const }]), { kind: 'text' as const, text }]);
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
