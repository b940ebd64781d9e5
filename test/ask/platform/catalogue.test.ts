import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { catalogue } from '../../../src/ask/platform/catalogue.ts';
import { type Operation, parametersOf, readParameters, type Resource } from '../../../src/ask/platform/operation.ts';

const operations: readonly Operation[] = Object.values(catalogue as Readonly<Record<string, Resource>>).flatMap(
  (resource) => Object.values(resource),
);

const document = path.resolve(import.meta.dirname, '../../../../shared/reference/platform-api.md');

interface Written {
  readonly route: string;
  readonly names: readonly string[];
}

/** The rows of the document's endpoint tables, read independently of the catalogue. */
function readDocument(): readonly Written[] {
  const text = readFileSync(document, 'utf8');
  const endpoints = text.slice(text.indexOf('\n## Endpoints'), text.indexOf('\n### Product analytics'));
  const found: Written[] = [];
  let above = '';
  for (const line of endpoints.split('\n')) {
    const row = /^\| `([A-Z]+) ([^`]+)`[^|]*\|([^|]*)/.exec(line);
    if (row === null) continue;
    const [, method = '', written = '', cell = ''] = row;
    let route = written.replace(/^\/api\/v4/, '');
    if (route.startsWith('...')) route = above + route.slice('.../commits'.length);
    else if (route.endsWith('/commits')) above = route;
    // For integrations, the cell describes the response.
    const names = route.includes('/integrations') ? [] : namesIn(cell);
    const routes = route.startsWith('/invitations')
      ? [`/groups/:id${route}`, `/projects/:id${route}`]
      : [route.replace(/<(\w+)>/g, ':$1')];
    for (const each of routes) found.push({ route: `${method} ${each}`, names });
  }
  return found;
}

/** `id; since, until (ISO 8601); upload[url] (str)` names four parameters. */
function namesIn(cell: string): readonly string[] {
  let plain = cell.replace(/trigger: .*/, '').replace(/bool flag per /, '');
  while (/\([^()]*\)/.test(plain)) plain = plain.replace(/\([^()]*\)/g, '');
  const listed = [...plain.split(/[;,]/), ...(/trigger: (.*)/.exec(cell)?.[1] ?? '').split(/[;,]/)];
  return listed.flatMap((part) => /^\s*([a-z]\w*)(?:\[\w*\])?(?: \[[^\]]*\])?\s*$/.exec(part)?.[1] ?? []);
}

/** Words in the tables that are not parameters. */
const noParameters = new Set(['none', 'and', 'bool']);

const routeOf = ({ method, path: at }: Operation) => `${method} ${at}`;

describe.skipIf(!existsSync(document))('the API document (skipped unless it lies next to the checkout)', () => {
  it('lists ninety operations; the catalogue has all of them and two older forms', () => {
    const written = readDocument().map(({ route }) => route);
    expect(written).toHaveLength(90);
    expect(written.filter((route) => !operations.some((each) => routeOf(each) === route))).toEqual([]);
    const beyond = operations.map(routeOf).filter((route) => !written.includes(route));
    expect(beyond).toEqual(['PUT /groups/:id/labels', 'DELETE /groups/:id/labels']);
  });

  it('names no parameter that is missing in the catalogue', () => {
    const missing = readDocument().flatMap(({ route, names }) => {
      const known = parametersOf(operations.find((each) => routeOf(each) === route)!).map(({ name }) => name);
      return names.filter((name) => !noParameters.has(name) && !known.includes(name)).map((name) => `${route} ${name}`);
    });
    expect(missing).toEqual([]);
    // Check that the reader of the cells works.
    expect(readDocument().flatMap(({ names }) => names).length).toBeGreaterThan(300);
  });

  it('names no integration parameter that is missing in the catalogue', () => {
    const text = readFileSync(document, 'utf8');
    const table = text.slice(text.indexOf('| Kind | Parameters |'), text.indexOf('`branches_to_be_notified` allows'));
    const names = [
      ...table.matchAll(/\b([a-z]+(?:_[a-z]+)+|token|server|subdomain|webhook|room|thread)\b\*?(?= ?[(,;*|])/g),
    ];
    const set = operations.find((each) => routeOf(each) === 'PUT /groups/:id/integrations/:slug')!;
    const known = parametersOf(set).map(({ name }) => name);
    expect(names.map(([, name]) => name!).filter((name) => !known.includes(name))).toEqual([]);
    expect(names.length).toBeGreaterThan(40);
    // 15 kinds, and one for any other.
    expect('options' in set.params && set.params.options).toHaveLength(16);
  });
});

describe('operations', () => {
  it('have each parameter of their path', () => {
    for (const each of operations) {
      const names = [...each.path.matchAll(/:(\w+)/g)].map(([, name]) => name);
      const known = parametersOf(each).filter((parameter) => parameter.in === 'path');
      expect(known.map(({ name }) => name)).toEqual(names);
    }
  });
});

describe('parameters', () => {
  const { variables, invitations, labels, packageRules, protectedBranches, integrations, commits, milestones } = {
    ...catalogue,
    invitations: catalogue.groupInvitations,
  };
  const group = { id: 'acme' };
  const rule = { ...group, package_name_pattern: 'a', package_type: 'npm' };
  const bot = { ...group, slug: 'bot', kind: 'messaging-bot', token: 't', room: 'r' };

  it.each<[string, Operation, object, boolean]>([
    ['a key of 255 characters', variables.get, { ...group, key: 'K'.repeat(255) }, true],
    ['a key of 256 characters', variables.get, { ...group, key: 'K'.repeat(256) }, false],
    ['a key with a hyphen', variables.get, { ...group, key: 'A-B' }, false],
    [
      'a description of 256 characters',
      variables.create,
      { ...group, key: 'K', value: 'v', description: 'd'.repeat(256) },
      false,
    ],
    ['a description that is null', variables.create, { ...group, key: 'K', value: 'v', description: null }, true],
    ['neither email nor user_id', invitations.create, { ...group, access_level: 30 }, false],
    ['a user_id', invitations.create, { ...group, user_id: '1,2', access_level: 30 }, true],
    ['an access level that does not exist', invitations.create, { ...group, user_id: 1, access_level: 31 }, false],
    ['an update of a label without changes', labels.update, { ...group, label_id: 1 }, false],
    ['a label by its title', labels.update, { ...group, label_id: 'bug', color: 'red' }, true],
    ['a rule without a level', packageRules.create, rule, false],
    ['a level that is null', packageRules.create, { ...rule, minimum_access_level_for_push: null }, true],
    [
      'level 0 to push',
      protectedBranches.create,
      { ...group, name: 'm', allowed_to_push: [{ access_level: 0 }] },
      true,
    ],
    [
      'level 0 to unprotect',
      protectedBranches.create,
      { ...group, name: 'm', allowed_to_unprotect: [{ access_level: 0 }] },
      false,
    ],
    [
      'two keys in one entry',
      protectedBranches.create,
      { ...group, name: 'm', allowed_to_push: [{ user_id: 1, group_id: 2 }] },
      false,
    ],
    [
      'a deploy key to merge',
      protectedBranches.create,
      { ...group, name: 'm', allowed_to_merge: [{ deploy_key_id: 1 }] },
      false,
    ],
    [
      '_destroy without an id',
      protectedBranches.update,
      { ...group, name: 'm', allowed_to_push: [{ _destroy: true }] },
      false,
    ],
    [
      '_destroy of an entry',
      protectedBranches.update,
      { ...group, name: 'm', allowed_to_push: [{ id: 1, _destroy: true }] },
      true,
    ],
    ['an integration without a required parameter', integrations.set, bot, false],
    [
      'a parameter of another kind',
      integrations.set,
      { ...group, slug: 'x', kind: 'chat-commands', token: 't', room: 'r' },
      false,
    ],
    [
      'an update without content',
      commits.create,
      { ...group, branch: 'm', commit_message: 'c', actions: [{ action: 'update', file_path: 'a' }] },
      false,
    ],
    [
      'a move without content',
      commits.create,
      { ...group, branch: 'm', commit_message: 'c', actions: [{ action: 'move', file_path: 'a', previous_path: 'b' }] },
      true,
    ],
    ['iids that would be ignored', milestones.list, { ...group, iids: [1], include_ancestors: true }, false],
    ['an unknown parameter', milestones.list, { ...group, stat: 'active' }, false],
    ['101 items a page', milestones.list, { ...group, per_page: 101 }, false],
  ])('%s', (_, asked, given, isGood) => {
    expect(readParameters(asked, given).ok).toBe(isGood);
  });
});
