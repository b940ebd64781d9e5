import { Gitlab } from '@gitbeaker/rest';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openPlatformApi } from '../../../../src/run/platform/api/open-platform-api.ts';
import type { PlatformApi } from '../../../../src/run/platform/api/platform-api.ts';
import { openTestHttp, token } from '../../http/open-test-http.ts';
import { openScriptedServer, type SeenRequest } from '../../http/scripted-server.ts';
import { serviceOf } from './open-test-api.ts';

type Other = InstanceType<typeof Gitlab>;
type Pair = readonly [name: string, own: (api: PlatformApi) => unknown, other: (api: Other) => unknown];

const id = 'acme/shop & co+1';
const group = 'acme/über';
const title = 'Ten: a/b?c#d%20 + é';

/** Operations of both libraries, with parameters that are hard to encode. */
const pairs: readonly Pair[] = [
  ['variables.list', (api) => api.variables.list({ id: group }), (api) => api.GroupVariables.all(group)],
  ['variables.get', (api) => api.variables.get({ id: group, key: 'K' }), (api) => api.GroupVariables.show(group, 'K')],
  [
    'variables.create',
    (api) => api.variables.create({ id: group, key: 'K', value: title, masked: true }),
    (api) => api.GroupVariables.create(group, 'K', title, { masked: true }),
  ],
  [
    'variables.update',
    (api) => api.variables.update({ id: group, key: 'K', value: title }),
    (api) => api.GroupVariables.edit(group, 'K', title),
  ],
  [
    'variables.delete',
    (api) => api.variables.delete({ id: group, key: 'K' }),
    (api) => api.GroupVariables.remove(group, 'K'),
  ],
  [
    'exports.start',
    (api) => api.exports.start({ id }),
    (api) => api.ProjectImportExports.scheduleExport(id, undefined as never),
  ],
  ['exports.status', (api) => api.exports.status({ id }), (api) => api.ProjectImportExports.showExportStatus(id)],
  ['imports.status', (api) => api.imports.status({ id }), (api) => api.ProjectImportExports.showImportStatus(id)],
  [
    'commits.list',
    (api) => api.commits.list({ id, ref_name: title, since: '2024-03-01T00:00:00Z', with_stats: true }),
    (api) => api.Commits.all(id, { refName: title, since: '2024-03-01T00:00:00Z', withStats: true, maxPages: 1 }),
  ],
  [
    'commits.create',
    (api) =>
      api.commits.create({
        id,
        branch: 'main',
        commit_message: title,
        actions: [{ action: 'create', file_path: 'a b', content: title }],
      }),
    (api) => api.Commits.create(id, 'main', title, [{ action: 'create', filePath: 'a b', content: title }] as never),
  ],
  ['commits.get', (api) => api.commits.get({ id, sha: 'feature/a+b' }), (api) => api.Commits.show(id, 'feature/a+b')],
  [
    'commits.refs',
    (api) => api.commits.refs({ id, sha: 'a', type: 'tag' }),
    (api) => api.Commits.allReferences(id, 'a', { type: 'tag', maxPages: 1 }),
  ],
  ['commits.sequence', (api) => api.commits.sequence({ id, sha: 'a' }), (api) => api.Commits.showSequence(id, 'a')],
  [
    'commits.cherryPick',
    (api) => api.commits.cherryPick({ id, sha: 'a', branch: 'm', dry_run: true }),
    (api) => api.Commits.cherryPick(id, 'a', 'm', { dryRun: true }),
  ],
  [
    'commits.revert',
    (api) => api.commits.revert({ id, sha: 'a', branch: 'm' }),
    (api) => api.Commits.revert(id, 'a', 'm'),
  ],
  ['commits.diff', (api) => api.commits.diff({ id, sha: 'a' }), (api) => api.Commits.showDiff(id, 'a')],
  ['commits.comments', (api) => api.commits.comments({ id, sha: 'a' }), (api) => api.Commits.allComments(id, 'a')],
  ['tags.list', (api) => api.tags.list({ id, search: '^v' }), (api) => api.Tags.all(id, { search: '^v' })],
  ['tags.get', (api) => api.tags.get({ id, tag_name: 'v1/rc+2' }), (api) => api.Tags.show(id, 'v1/rc+2')],
  [
    'tags.create',
    (api) => api.tags.create({ id, tag_name: 'v1', ref: 'main', message: title }),
    (api) => api.Tags.create(id, 'v1', 'main', { message: title }),
  ],
  ['tags.delete', (api) => api.tags.delete({ id, tag_name: 'v1' }), (api) => api.Tags.remove(id, 'v1')],
  ['tags.signature', (api) => api.tags.signature({ id, tag_name: 'v1' }), (api) => api.Tags.showSignature(id, 'v1')],
  [
    'protectedBranches.list',
    (api) => api.protectedBranches.list({ id, search: 'm' }),
    (api) => api.ProtectedBranches.all(id, { search: 'm' }),
  ],
  [
    'protectedBranches.get',
    (api) => api.protectedBranches.get({ id, name: 'release/*' }),
    (api) => api.ProtectedBranches.show(id, 'release/*'),
  ],
  [
    'protectedBranches.create',
    (api) => api.protectedBranches.create({ id, name: 'release/*', push_access_level: 30 }),
    (api) => api.ProtectedBranches.create(id, 'release/*', { pushAccessLevel: 30 }),
  ],
  [
    'protectedBranches.update',
    (api) => api.protectedBranches.update({ id, name: 'm', allow_force_push: true }),
    (api) => api.ProtectedBranches.edit(id, 'm', { allowForcePush: true } as never),
  ],
  [
    'protectedBranches.delete',
    (api) => api.protectedBranches.delete({ id, name: 'release/*' }),
    (api) => api.ProtectedBranches.remove(id, 'release/*'),
  ],
  [
    'milestones.list',
    (api) => api.milestones.list({ id, iids: [1, 2], state: 'active' }),
    (api) => api.ProjectMilestones.all(id, { iids: [1, 2], state: 'active' } as never),
  ],
  ['milestones.get', (api) => api.milestones.get({ id, milestone_id: 3 }), (api) => api.ProjectMilestones.show(id, 3)],
  [
    'milestones.create',
    (api) => api.milestones.create({ id, title, due_date: '2024-03-08' }),
    (api) => api.ProjectMilestones.create(id, title, { dueDate: '2024-03-08' }),
  ],
  [
    'milestones.update',
    (api) => api.milestones.update({ id, milestone_id: 3, state_event: 'close' }),
    (api) => api.ProjectMilestones.edit(id, 3, { stateEvent: 'close' }),
  ],
  [
    'milestones.delete',
    (api) => api.milestones.delete({ id, milestone_id: 3 }),
    (api) => api.ProjectMilestones.remove(id, 3),
  ],
  [
    'milestones.issues',
    (api) => api.milestones.issues({ id, milestone_id: 3 }),
    (api) => api.ProjectMilestones.allAssignedIssues(id, 3),
  ],
  [
    'milestones.mergeRequests',
    (api) => api.milestones.mergeRequests({ id, milestone_id: 3 }),
    (api) => api.ProjectMilestones.allAssignedMergeRequests(id, 3),
  ],
  [
    'milestones.promote',
    (api) => api.milestones.promote({ id, milestone_id: 3 }),
    (api) => api.ProjectMilestones.promote(id, 3),
  ],
  [
    'milestones.burndownEvents',
    (api) => api.milestones.burndownEvents({ id, milestone_id: 3 }),
    (api) => api.ProjectMilestones.allBurndownChartEvents(id, 3),
  ],
  ['webhooks.list', (api) => api.webhooks.list({ id: group }), (api) => api.GroupHooks.all(group)],
  ['webhooks.get', (api) => api.webhooks.get({ id: group, hook_id: 4 }), (api) => api.GroupHooks.show(group, 4)],
  [
    'webhooks.create',
    (api) => api.webhooks.create({ id: group, url: 'https://h.example.org/?a=b', push_events: true }),
    (api) => api.GroupHooks.add(group, 'https://h.example.org/?a=b', { pushEvents: true }),
  ],
  [
    'events.list',
    (api) => api.events.list({ action: 'pushed', after: '2024-03-01' }),
    (api) => api.Events.all({ action: 'pushed', after: '2024-03-01' }),
  ],
  ['events.ofUser', (api) => api.events.ofUser({ id: 'ann' }), (api) => api.Events.all({ userId: 'ann' } as never)],
  ['events.ofProject', (api) => api.events.ofProject({ project_id: id }), (api) => api.Events.all({ projectId: id })],
  [
    'groupInvitations.list',
    (api) => api.groupInvitations.list({ id: group }),
    (api) => api.GroupInvitations.all(group),
  ],
  [
    'groupInvitations.create',
    (api) => api.groupInvitations.create({ id: group, email: 'a+b@example.org', access_level: 30 }),
    (api) => api.GroupInvitations.add(group, 30, { email: 'a+b@example.org' }),
  ],
  [
    'groupInvitations.update',
    (api) => api.groupInvitations.update({ id: group, email: 'a+b@example.org', access_level: 20 }),
    (api) => api.GroupInvitations.edit(group, 'a+b@example.org', { accessLevel: 20 }),
  ],
  [
    'projectInvitations.delete',
    (api) => api.projectInvitations.delete({ id, email: 'a+b@example.org' }),
    (api) => api.ProjectInvitations.remove(id, 'a+b@example.org'),
  ],
  [
    'labels.list',
    (api) => api.labels.list({ id: group, search: title }),
    (api) => api.GroupLabels.all(group, { search: title }),
  ],
  ['labels.get', (api) => api.labels.get({ id: group, label_id: title }), (api) => api.GroupLabels.show(group, title)],
  [
    'labels.create',
    (api) => api.labels.create({ id: group, name: title, color: '#FF0000' }),
    (api) => api.GroupLabels.create(group, title, '#FF0000'),
  ],
  [
    'labels.update',
    (api) => api.labels.update({ id: group, label_id: title, new_name: 'b' }),
    (api) => api.GroupLabels.edit(group, title, { newName: 'b' }),
  ],
  [
    'labels.delete',
    (api) => api.labels.delete({ id: group, label_id: title }),
    (api) => api.GroupLabels.remove(group, title),
  ],
  [
    'labels.subscribe',
    (api) => api.labels.subscribe({ id: group, label_id: 5 }),
    (api) => api.GroupLabels.subscribe(group, 5),
  ],
  [
    'labels.unsubscribe',
    (api) => api.labels.unsubscribe({ id: group, label_id: 5 }),
    (api) => api.GroupLabels.unsubscribe(group, 5),
  ],
  ['epics.list', (api) => api.epics.list({ id: group, epic_iid: 5 }), (api) => api.EpicLinks.all(group, 5)],
  [
    'epics.assign',
    (api) => api.epics.assign({ id: group, epic_iid: 5, child_epic_id: 6 }),
    (api) => api.EpicLinks.assign(group, 5, 6),
  ],
];

/** Requests that differ, and why sluice is right. */
const differences: Readonly<Record<string, string>> = {
  'labels.subscribe': 'The other subscribes to an issue: `/issues/5`. The platform has `/labels/5`.',
  'labels.unsubscribe': 'As with `labels.subscribe`.',
  'epics.list': 'The other asks for `/epics/5/links`. The platform has the children at `/epics/5/epics`.',
  'epics.assign': 'As with `epics.list`.',
};

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly given: readonly string[];
}

/** A request, wherever its parameters are. */
function toSent({ method, path, query, body, json }: SeenRequest): Sent {
  const inQuery = [...query].map(([name, value]) => `${name}=${value}`);
  const inBody =
    json === undefined
      ? body === ''
        ? []
        : [body]
      : Object.entries(json as object).map(
          ([name, value]) => `${name}=${typeof value === 'object' ? JSON.stringify(value) : String(value)}`,
        );
  return { method, path, given: [...inQuery, ...inBody].sort() };
}

describe('requests are those of @gitbeaker/rest', () => {
  it.each(pairs)('%s', async (name, own, other) => {
    const server = await openScriptedServer(({ method }) => ({ json: method === 'GET' ? [] : {} }));
    onTestFinished(() => server[Symbol.asyncDispose]());
    const http = openTestHttp(server.url);
    onTestFinished(() => http[Symbol.asyncDispose]());
    const send = async (call: () => unknown): Promise<Sent> => {
      const before = server.requests.length;
      // The server's answer does not matter here.
      await Promise.resolve(call()).catch(() => undefined);
      return toSent(server.requests[before]!);
    };
    const ours = await send(() => (own(openPlatformApi(serviceOf(server.url, http))) as PromiseLike<unknown>).then());
    const theirs = await send(() => other(new Gitlab({ host: server.url, token })));
    if (differences[name] === undefined) expect(ours).toEqual(theirs);
    else expect(ours, differences[name]).not.toEqual(theirs);
  });
});
