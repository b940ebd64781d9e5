import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { catalogue } from '../../../src/ask/platform/catalogue.ts';
import { parametersOf, type Resource } from '../../../src/ask/platform/operation.ts';
import { token } from '../../run/http/open-test-http.ts';
import { inTurn, openScriptedServer, type Script } from '../../run/http/scripted-server.ts';
import { type Folder, folderOf, type World } from '../run-in-folder.ts';

const env = { SLUICE_TOKEN: token };

async function serve(script: Script, files: Readonly<Record<string, string>> = {}) {
  const server = await openScriptedServer(script);
  onTestFinished(() => server[Symbol.asyncDispose]());
  const folder = folderOf(files);
  const sluice = (words: string, world: World = {}) =>
    folder.sluice(['api', ...words.split(' '), '--host', server.url], { env, ...world });
  return { server, folder, sluice };
}

const milestone = { id: 12, title: 'Ten', state: 'active', due_date: null, author: { id: 1 } };
const hostile = { id: 1, title: '\u001b]0;x\u0007=1+1\u202e\u009b', description: '=HYPERLINK("x")' };

describe('a list', () => {
  it.each([
    ['table', /title +due_date +state/],
    ['json', /^\[\n {2}\{\n {4}"id": 12,/],
    ['ndjson', /^\{"id":12,.*\}\n$/],
    ['csv', /^id,title,due_date,state,author\n12,Ten,,active,"\{""id"":1\}"\n$/],
  ])('is printed as %s', async (format, pattern) => {
    const { server, sluice } = await serve(() => ({ json: [milestone] }));
    const { code, stdout } = await sluice(`milestones list --id acme/shop --state active -f ${format}`);
    expect([code, stdout]).toEqual([0, expect.stringMatching(pattern)]);
    expect(server.requests[0]!.target).toBe('/api/v4/projects/acme%2Fshop/milestones?state=active');
  });

  it('is one page, or all pages with --all', async () => {
    const { server, sluice } = await serve(({ query }) => {
      const page = Number(query.get('page') ?? 1);
      const headers = page < 3 ? { link: `<?page=${page + 1}>; rel="next"` } : {};
      return { json: [{ id: page }], headers };
    });
    const first = await sluice('milestones list --id 7 -f ndjson');
    expect(first.stdout).toBe('{"id":1}\n');
    expect(first.stderr).toContain('--all reads all pages');
    const all = await sluice('milestones list --id 7 -f json --all');
    expect(JSON.parse(all.stdout)).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
    expect(server.requests).toHaveLength(4);
  });

  it.each(['table', 'csv', 'json', 'ndjson'])(
    'has nothing in %s that a terminal or a spreadsheet would run',
    async (format) => {
      const { sluice } = await serve(() => ({ json: [hostile] }));
      const { stdout } = await sluice(`milestones list --id 7 -f ${format}`);
      expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
      if (format !== 'csv') expect(stdout).not.toContain('\u202e');
      if (format === 'csv') expect(stdout).not.toMatch(/(^|,)"?=/m);
      if (format === 'json') expect(JSON.parse(stdout)).toEqual([hostile]);
    },
  );

  it('stays a list if it is empty', async () => {
    const { sluice } = await serve(() => ({ json: [] }));
    expect((await sluice('tags list --id 7 -f json')).stdout).toBe('[]\n');
  });
});

describe('parameters', () => {
  it('accept lists, switches, null, structures and keys of hashes', async () => {
    const { server, sluice } = await serve(() => ({ json: [] }), {
      'actions.json': '[{"action":"delete","file_path":"a"}]',
    });
    await sluice('milestones list --id 7 --iids 1,2 --include_ancestors=false -f json');
    await sluice('milestones list --id 7 --iids 1 --iids 2 -f json');
    await sluice('commits list --id 7 --with-stats -p all=true -f json');
    await sluice('variables get --id acme --key K -p filter[environment_scope]=*');
    await sluice('commits create --id 7 --branch m --commit-message c --actions @actions.json --yes');
    await sluice(
      'package-rules update --id 7 --package-protection-rule-id 1 --minimum-access-level-for-push null --yes',
    );
    expect(server.requests.map(({ target, body }) => `${decodeURIComponent(target)} ${body}`)).toEqual([
      '/api/v4/projects/7/milestones?iids[]=1&iids[]=2&include_ancestors=false ',
      '/api/v4/projects/7/milestones?iids[]=1&iids[]=2 ',
      '/api/v4/projects/7/repository/commits?all=true&with_stats=true ',
      '/api/v4/groups/acme/variables/K?filter[environment_scope]=* ',
      '/api/v4/projects/7/repository/commits {"branch":"m","commit_message":"c","actions":[{"action":"delete","file_path":"a"}]}',
      expect.stringContaining('{"minimum_access_level_for_push":null}'),
    ]);
  });

  it.each([
    ['tags list', 'id'],
    ['milestones list --id 7 --per-page 101', 'per_page'],
    ['milestones list --id 7 -p stat=x', 'stat'],
    ['features set --name a --value true --project acme --dry-run', '-p project='],
    ['milestones list --id 7 --state open', '--state must be active or closed'],
  ])('are named if they are wrong: %s', async (words, name) => {
    const { server, sluice } = await serve(() => ({}));
    const { code, stderr } = await sluice(words);
    expect([code, stderr]).toEqual([2, expect.stringContaining(name)]);
    expect(server.requests).toHaveLength(0);
  });
});

describe('a secret', () => {
  const create = 'variables create --id acme --key K';

  it('comes from a file, a variable or standard input, and is never shown', async () => {
    const reply = { status: 201, json: { key: 'K', value: 'hunter2-secret' } };
    const { server, sluice } = await serve(() => reply, { 'value.txt': 'hunter2-secret\n' });
    const worlds: [string, World][] = [
      ['@value.txt', {}],
      ['env:VALUE', { env: { ...env, VALUE: 'hunter2-secret' } }],
      ['-', { stdin: 'hunter2-secret\n' }],
    ];
    for (const [source, world] of worlds) {
      const { code, stdout, stderr } = await sluice(`${create} --value ${source} --yes --verbose`, world);
      expect(code).toBe(0);
      expect(stdout + stderr).not.toContain('hunter2');
      expect(stdout).toContain('…');
    }
    expect(server.requests.map(({ json }) => json)).toEqual(Array(3).fill({ key: 'K', value: 'hunter2-secret' }));
    const { stdout } = await sluice('variables get --id acme --key K --reveal -f json');
    expect(JSON.parse(stdout)).toMatchObject({ value: 'hunter2-secret' });
  });

  it.each([
    `${create} --value hunter2`,
    `${create} -p value=hunter2`,
    'webhooks create --id acme --url https://h.example.org --custom-headers [{"key":"a","value":"hunter2"}]',
    'imports create-remote --path p --url https://s.example.org/a?sig=hunter2',
  ])('is refused on the command line: %s', async (words) => {
    const { server, sluice } = await serve(() => ({}));
    const { code, stderr } = await sluice(`${words} --yes`);
    expect([code, stderr]).toEqual([2, expect.stringContaining('env:NAME')]);
    expect(stderr).not.toContain('hunter2');
    expect(server.requests).toHaveLength(0);
  });

  it('is hidden by a dry run, which needs no token and sends nothing', async () => {
    const { server, sluice } = await serve(() => ({}), { 'value.txt': 'hunter2' });
    const { code, stdout } = await sluice(`${create} --value @value.txt --dry-run`, { env: {} });
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^POST http.*\/groups\/acme\/variables\n[^]*"value": "…"/),
    ]);
    expect(server.requests).toHaveLength(0);
  });

  it('of the platform itself may be in a file', async () => {
    const { server, sluice } = await serve(() => ({ json: [] }), { 'token.txt': `${token}\n` });
    await sluice('tags list --id 7 --token-file token.txt', { env: {} });
    expect(server.requests[0]!.headers['private-token']).toBe(token);
  });
});

describe('a change', () => {
  it('requires --yes if there is no terminal to ask', async () => {
    const { server, sluice } = await serve(() => ({ status: 204 }));
    const refused = await sluice('tags delete --id 7 --tag-name v1');
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('--yes')]);
    expect(server.requests).toHaveLength(0);
    const { code, stdout } = await sluice('tags delete --id 7 --tag-name v1 --yes');
    expect([code, stdout, server.requests.length]).toEqual([0, '', 1]);
  });

  it('that failed in part exits with 5, and names each failure', async () => {
    const json = { status: 'error', message: { 'a@example.org': 'Already invited', 'b@example.org': '\u001b[31mBad' } };
    const { sluice } = await serve(() => ({ status: 201, json }));
    const words = 'group-invitations create --id acme --email a@example.org,b@example.org --access-level 30 --yes';
    const { code, stderr } = await sluice(words);
    expect(code).toBe(5);
    expect(stderr).toContain('a@example.org: Already invited');
    expect(stderr).toContain('b@example.org');
    expect(stderr).not.toContain('\u001b');
  });
});

describe('files', () => {
  it('are downloaded to -o after the export is finished', async () => {
    const { sluice, folder } = await serve(
      inTurn(
        { status: 202, json: { message: '202 Accepted' } },
        { json: { export_status: 'finished', id: 7 } },
        { bytes: Buffer.from('archive'), headers: { 'content-type': 'application/gzip' } },
      ),
    );
    expect((await sluice('exports start --id 7 --follow --yes -f json')).stdout).toContain('finished');
    expect((await sluice('exports download --id 7')).code).toBe(2);
    expect((await sluice('exports download --id 7 -o shop.tar.gz')).code).toBe(0);
    expect(readFileSync(path.join(folder.root, 'shop.tar.gz'), 'utf8')).toBe('archive');
  });

  it('are uploaded from below the current folder', async () => {
    const { server, sluice } = await serve(() => ({ status: 201, json: { import_status: 'scheduled' } }), {
      'a.tar.gz': 'archive',
    });
    const { code } = await sluice('imports create --file a.tar.gz --path shop --yes');
    expect([code, server.requests[0]!.body]).toEqual([0, expect.stringContaining('filename="a.tar.gz"')]);
  });
});

describe('the catalogue', () => {
  const operations = Object.entries(catalogue as Readonly<Record<string, Resource>>).flatMap(([resource, all]) =>
    Object.entries(all).map(([name, asked]) => ({ resource, name, asked })),
  );
  const folder = (): Folder => folderOf();

  it('lists one row per operation', async () => {
    const { stdout } = await folder().sluice(['api', 'list', '-f', 'json']);
    const rows = JSON.parse(stdout) as readonly { resource: string; operation: string; params: { name: string }[] }[];
    expect(rows).toHaveLength(92);
    expect(rows.map(({ resource, operation }) => `${resource}.${operation}`)).toEqual(
      operations.map(({ resource, name }) => `${resource}.${name}`),
    );
    expect(rows.map(({ params }) => params.map(({ name }) => name))).toEqual(
      operations.map(({ asked }) => parametersOf(asked).map(({ name }) => name)),
    );
    expect(rows.find(({ operation }) => operation === 'start')!.params).toContainEqual({
      name: 'upload',
      in: 'body',
      type: 'object',
      required: false,
      secret: true,
    });
    expect(Object.keys(rows[0]!)).toEqual(
      'resource operation method path about params pagination tier role deprecated'.split(' '),
    );
  });

  it('has a command with help for each operation, with all parameters', async () => {
    const words = (name: string) => name.replaceAll('_', '-').replace(/[A-Z]/g, (each) => `-${each.toLowerCase()}`);
    for (const { resource, name, asked } of operations) {
      const { code, stdout } = await folder().sluice(['api', words(resource), words(name), '--help']);
      expect(code).toBe(0);
      expect(stdout).toContain(`${asked.method} ${asked.path}`);
      for (const each of parametersOf(asked)) {
        const flag = `--${words(each.name)} `;
        expect(stdout.includes(flag) || stdout.includes(`-p ${each.name}=`), `${name} ${each.name}`).toBe(true);
      }
    }
  });

  it('completes resources, operations, flags and values', async () => {
    const complete = async (...typed: readonly string[]) =>
      (await folder().sluice(['completion', 'zsh', '--', 'api', ...typed])).stdout
        .split('\n')
        .map((line) => line.split('\t')[0]);
    expect(await complete('mile')).toContain('milestones');
    expect(await complete('milestones', 'bu')).toContain('burndown-events');
    expect(await complete('milestones', 'list', '--st')).toContain('--state');
    expect(await complete('milestones', 'list', '--state', 'a')).toContain('active');
  });
});
