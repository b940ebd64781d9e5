import { type MeasureDefinition, column, countOf, distinctOf, percentage, sumOf } from '../model/define-cube.ts';
import type { SyncedCube } from './synced-cube.ts';

const isThere = '{CUBE}.deleted_at IS NULL';

/** Counts rows that are not deleted. */
function count(label: string, what: string): Readonly<Record<string, MeasureDefinition>> {
  return { count: { label, description: `Number of ${what}, without deleted ones.`, type: 'count', filter: isThere } };
}

const id = { from: 'id', about: 'Number or hash.' } as const;
const title = { from: 'title', about: 'Title.' } as const;
const name = { from: 'name', about: 'Name.' } as const;
const createdAt = { from: 'created_at', type: 'time', about: 'When it was created.' } as const;
const updatedAt = { from: 'updated_at', type: 'time', about: 'When it was last changed.' } as const;
const startDate = { from: 'start_date', type: 'day', about: 'Start date.' } as const;
const dueDate = { from: 'due_date', type: 'day', about: 'Due date.' } as const;

const isBefore = '{CUBE}.utc_time < {CUBE}.created_at';
const isAfter = '{CUBE}.utc_time >= {CUBE}.created_at';

const ofMilestones = {
  scope: 'project',
  operation: ['milestones', 'issues'],
  each: { operation: ['milestones', 'list'], parameter: 'milestone_id', field: 'id' },
  key: ['milestone_id', 'id'],
  walk: { kind: 'whole' },
} as const;

const issueColumns = {
  id,
  milestone_id: { from: ':id', about: 'Number of the milestone.' },
  milestone: { from: ':title', about: 'Title of the milestone.' },
  title,
  state: { from: 'state', about: '`opened` or `closed`.' },
  created_at: createdAt,
  closed_at: { from: 'closed_at', type: 'time', about: 'When it was closed.' },
} as const;

const tagColumns = {
  name,
  message: { from: 'message', about: 'Message of an annotated tag.' },
  target: { from: 'target', about: 'Hash of the tagged object.' },
  // A lightweight tag has no time of its own.
  created_at: {
    from: ['created_at', 'commit.committed_date', 'commit.created_at'],
    type: 'time',
    about: 'When it was created; for a lightweight tag, when its commit was created.',
  },
  release: { from: 'release.tag_name', about: 'Release of the tag.' },
  is_protected: { from: 'protected', type: 'boolean', about: 'Whether it is protected.' },
} as const;

/** Every cube that `sluice sync` fetches. */
export const syncedCubes: readonly SyncedCube[] = [
  {
    name: 'Commits',
    folder: 'commits',
    about: 'Commits of the default branch.',
    scope: 'project',
    operation: ['commits', 'list'],
    parameters: { with_stats: true },
    key: ['id'],
    time: 'committed_at',
    walk: { kind: 'windows', from: 'since', to: 'until', deletes: true, late: true },
    columns: {
      id,
      title,
      author: { from: 'author_name', about: 'Name of the author.' },
      author_email: { from: 'author_email', about: 'Email of the author.' },
      committed_at: { from: 'committed_date', type: 'time', about: 'When it was committed.' },
      authored_at: { from: 'authored_date', type: 'time', about: 'When it was written.' },
      additions: { from: 'stats.additions', type: 'number' },
      deletions: { from: 'stats.deletions', type: 'number' },
    },
    measures: {
      ...count('Commits', 'commits'),
      authorsCount: distinctOf('Authors', 'Number of different authors, by email.', 'author_email', isThere),
      additions: sumOf('Lines added', 'Added lines.', 'additions', isThere),
      deletions: sumOf('Lines deleted', 'Deleted lines.', 'deletions', isThere),
    },
  },
  {
    name: 'Tags',
    folder: 'tags',
    about: 'Tags, and which of them are releases.',
    scope: 'project',
    operation: ['tags', 'list'],
    key: ['name'],
    time: 'created_at',
    marks: {
      releases: { date: 'created_at', title: ['name'], kind: 'release', with: 'release' },
      tags: { date: 'created_at', title: ['name'], kind: 'tag' },
    },
    walk: { kind: 'whole' },
    columns: tagColumns,
    measures: {
      ...count('Tags', 'tags'),
      releasesCount: countOf('Releases', 'Number of tags with a release.', `${isThere} AND {CUBE}.release IS NOT NULL`),
    },
  },
  {
    name: 'ReleaseUsage',
    folder: 'tags',
    about: 'Events before and after each release: the same span on either side, seven days or until the last event.',
    scope: 'project',
    operation: ['tags', 'list'],
    key: ['name'],
    time: 'created_at',
    walk: { kind: 'whole' },
    columns: tagColumns,
    // Compare equal spans before and after the release: at most the time since the release.
    sql: `, latest AS (SELECT max(utc_time) AS at FROM events), releases AS (
        SELECT rows.*, least(INTERVAL 7 DAY, latest.at - rows.created_at) AS span FROM rows, latest
        WHERE rows.release IS NOT NULL AND rows.deleted_at IS NULL AND rows.created_at < latest.at)
      SELECT releases.*, events.utc_time, events.user_key FROM releases LEFT JOIN events
        ON events.utc_time >= releases.created_at - releases.span AND events.utc_time < releases.created_at + releases.span`,
    dimensions: {
      days: {
        label: 'Days on either side',
        description: 'How many days before and after the release are counted.',
        type: 'number',
        sql: `round(epoch({CUBE}.span) / 86400, 2)`,
      },
    },
    measures: {
      eventsBefore: countOf('Events before', 'Events before the release.', isBefore),
      eventsAfter: countOf('Events after', 'Events after the release.', isAfter),
      usersBefore: distinctOf('Users before', 'Unique users before the release.', 'user_key', isBefore),
      usersAfter: distinctOf('Users after', 'Unique users after the release.', 'user_key', isAfter),
      eventsChange: percentage(
        'Change of events',
        'Events after the release, compared with those before, in percent.',
        '100.0 * ({eventsAfter} - {eventsBefore}) / nullif({eventsBefore}, 0)',
      ),
    },
  },
  {
    name: 'Milestones',
    folder: 'milestones',
    about: 'Milestones.',
    scope: 'project',
    operation: ['milestones', 'list'],
    key: ['id'],
    time: 'due_date',
    marks: { milestones: { date: 'due_date', title: ['title'], kind: 'milestone', isDay: true } },
    walk: { kind: 'whole' },
    columns: {
      id,
      title,
      state: { from: 'state', about: '`active` or `closed`.' },
      start_date: startDate,
      due_date: dueDate,
      created_at: createdAt,
      updated_at: updatedAt,
    },
    measures: count('Milestones', 'milestones'),
  },
  {
    ...ofMilestones,
    name: 'MilestoneIssues',
    folder: 'milestone-issues',
    about: 'Issues of milestones.',
    time: 'created_at',
    columns: issueColumns,
    measures: {
      ...count('Issues', 'issues'),
      closedCount: countOf('Closed issues', 'Number of closed issues.', `${isThere} AND {CUBE}.closed_at IS NOT NULL`),
    },
  },
  {
    ...ofMilestones,
    name: 'MilestoneBurndown',
    folder: 'milestone-issues',
    about: 'Open issues of milestones over time, by the dates of the issues themselves.',
    time: 'changed_at',
    columns: issueColumns,
    sql: `SELECT *, created_at AS changed_at, 1 AS change FROM rows WHERE deleted_at IS NULL
      UNION ALL SELECT *, closed_at, -1 FROM rows WHERE deleted_at IS NULL AND closed_at IS NOT NULL`,
    dimensions: {
      changedAt: column('Changed', 'When an issue was created or closed.', 'changed_at', 'time'),
    },
    measures: {
      openCount: {
        label: 'Open issues',
        description: 'Issues that were created and not closed by the end of the bucket.',
        type: 'sum',
        sql: '{CUBE}.change',
        rollingWindow: { trailing: 'unbounded', offset: 'end' },
      },
      createdCount: countOf('Created issues', 'Issues that were created.', '{CUBE}.change = 1'),
      closedCount: countOf('Closed issues', 'Issues that were closed.', '{CUBE}.change = -1'),
    },
  },
  {
    name: 'ActivityEvents',
    folder: 'activity-events',
    about: 'What people did in a project.',
    scope: 'project',
    operation: ['events', 'ofProject'],
    scopeParameter: 'project_id',
    parameters: { sort: 'asc' },
    key: ['id'],
    time: 'created_at',
    // The platform discards old events.
    walk: { kind: 'windows', from: 'after', to: 'before', days: true, deletes: false },
    columns: {
      id,
      action: { from: 'action_name', about: 'What was done: `opened`, `pushed to`.' },
      target_type: { from: 'target_type', about: 'What it was done to: `Issue`.' },
      target_title: { from: 'target_title', about: 'Title of what it was done to.' },
      author: { from: ['author_username', 'author.username'], about: 'User name of the person.' },
      created_at: createdAt,
      commits: { from: 'push_data.commit_count', type: 'number' },
    },
    measures: {
      count: countOf('Activity events', 'Number of events.'),
      authorsCount: distinctOf('Active people', 'Number of different people.', 'author'),
      pushedCommits: sumOf('Pushed commits', 'Commits in pushes.', 'commits'),
    },
  },
  {
    name: 'WebhookDeliveries',
    folder: 'webhook-deliveries',
    about: 'Recorded deliveries of the webhooks of a group. The platform keeps them for seven days.',
    scope: 'group',
    operation: ['webhooks', 'events'],
    each: { operation: ['webhooks', 'list'], parameter: 'hook_id', field: 'id' },
    key: ['hook_id', 'id'],
    time: 'delivered_at',
    walk: { kind: 'recent' },
    columns: {
      id,
      hook_id: { from: ':id', about: 'Number of the webhook.' },
      hook: { from: ':name', about: 'Name of the webhook.' },
      host: { from: 'url', about: 'Host that it was delivered to.', hostOnly: true },
      trigger: { from: 'trigger', about: 'What triggered it: `push_hooks`.' },
      status: { from: 'response_status', about: 'Status of the response, or what went wrong.' },
      duration: { from: 'execution_duration', type: 'number' },
      // The record has no time of its own.
      delivered_at: {
        from: ['response_headers.Date', 'response_headers.date', ':now'],
        type: 'time',
        about: 'When it was answered, by the receiver’s clock; otherwise when a sync first saw it.',
      },
    },
    measures: {
      count: countOf('Deliveries', 'Number of deliveries.'),
      failuresCount: countOf(
        'Failed deliveries',
        'Deliveries that were not answered with a success status (2xx).',
        `NOT coalesce(regexp_full_match({CUBE}.status, '2[0-9][0-9]'), false)`,
      ),
      failureRate: percentage(
        'Failure rate',
        'Failed deliveries, as a percentage of all.',
        '100.0 * {failuresCount} / nullif({count}, 0)',
      ),
      averageDuration: {
        label: 'Average duration',
        description: 'Average duration of a delivery, in seconds.',
        type: 'avg',
        sql: '{CUBE}.duration',
      },
    },
  },
  {
    name: 'Labels',
    folder: 'labels',
    about: 'Labels of a group.',
    scope: 'group',
    operation: ['labels', 'list'],
    parameters: { with_counts: true },
    key: ['id'],
    time: 'first_seen',
    walk: { kind: 'whole' },
    columns: {
      id,
      name,
      color: { from: 'color', about: 'Color.' },
      open_issues: { from: 'open_issues_count', type: 'number' },
      closed_issues: { from: 'closed_issues_count', type: 'number' },
    },
    measures: {
      ...count('Labels', 'labels'),
      openIssues: sumOf('Open issues', 'Open issues with the label.', 'open_issues', isThere),
      closedIssues: sumOf('Closed issues', 'Closed issues with the label.', 'closed_issues', isThere),
    },
    dimensions: {
      firstSeen: { description: 'When a sync first saw it.', type: 'time', sql: '{CUBE}.first_seen' },
    },
  },
  {
    name: 'Epics',
    folder: 'epics',
    about: 'Child epics of the specified epics, without their own children.',
    without: 'Children of child epics are not included. Name each parent: `sluice sync Epics --epic 5`.',
    scope: 'group',
    operation: ['epics', 'list'],
    given: 'epic_iid',
    key: ['epic', 'id'],
    time: 'created_at',
    walk: { kind: 'whole' },
    columns: {
      id,
      epic: { from: ':epic_iid', about: 'Number of the parent epic within the group.' },
      iid: { from: 'iid', about: 'Number within the group.' },
      title,
      state: { from: 'state', about: '`opened` or `closed`.' },
      author: { from: 'author.username', about: 'User name of the author.' },
      start_date: startDate,
      due_date: dueDate,
      created_at: createdAt,
      updated_at: updatedAt,
      closed_at: { from: 'closed_at', type: 'time', about: 'When it was closed.' },
    },
    measures: count('Epics', 'child epics'),
  },
  ...(['project', 'group'] as const).map(
    (scope): SyncedCube => ({
      name: scope === 'project' ? 'ProjectInvitations' : 'GroupInvitations',
      folder: `${scope}-invitations`,
      about: `Open invitations to a ${scope}.`,
      scope,
      operation: [`${scope}Invitations`, 'list'],
      key: ['email'],
      time: 'created_at',
      walk: { kind: 'whole' },
      columns: {
        email: { from: 'invite_email', about: 'Who is invited.' },
        access_level: { from: 'access_level', type: 'number', about: 'Level of access: 30 is a developer.' },
        invited_by: { from: 'created_by_name', about: 'Who invited.' },
        created_at: createdAt,
        expires_at: { from: 'expires_at', type: 'time', about: 'When the membership ends.' },
      },
      measures: count('Invitations', 'open invitations'),
    }),
  ),
  {
    name: 'FlagChanges',
    folder: 'flag-changes',
    about: 'Feature flags of the instance, a row for each state that a sync saw.',
    scope: 'instance',
    operation: ['features', 'list'],
    key: ['name', 'first_seen'],
    time: 'first_seen',
    marks: { flags: { date: 'first_seen', title: ['name', 'state'], kind: 'flag', notFirstOf: 'name' } },
    walk: { kind: 'changes', of: ['state', 'gates'] },
    columns: {
      name,
      state: { from: 'state', about: '`on`, `off` or `conditional`.' },
      gates: { from: 'gates', about: 'For whom it is on, as JSON.' },
    },
    measures: {
      count: countOf('Flag changes', 'States that were seen, the first of each flag included.'),
      flagsCount: distinctOf('Flags', 'Number of different flags.', 'name'),
    },
    dimensions: {
      firstSeen: { description: 'When a sync first saw the state.', type: 'time', sql: '{CUBE}.first_seen' },
    },
  },
  {
    name: 'ProtectedBranches',
    folder: 'protected-branches',
    about: 'Protected branches.',
    scope: 'project',
    operation: ['protectedBranches', 'list'],
    key: ['name'],
    time: 'first_seen',
    walk: { kind: 'whole' },
    columns: {
      name,
      allow_force_push: { from: 'allow_force_push', type: 'boolean', about: 'Whether force pushes are allowed.' },
      code_owners: {
        from: 'code_owner_approval_required',
        type: 'boolean',
        about: 'Whether code owners must approve.',
      },
    },
    measures: count('Protected branches', 'protected branches'),
    dimensions: {
      firstSeen: { description: 'When a sync first saw it.', type: 'time', sql: '{CUBE}.first_seen' },
    },
  },
  {
    name: 'PackageRules',
    folder: 'package-rules',
    about: 'Package protection rules.',
    scope: 'project',
    operation: ['packageRules', 'list'],
    key: ['id'],
    time: 'first_seen',
    walk: { kind: 'whole' },
    columns: {
      id,
      pattern: { from: 'package_name_pattern', about: 'Which packages it protects.' },
      package_type: { from: 'package_type', about: 'Kind of package: `npm`.' },
      push_level: { from: 'minimum_access_level_for_push', about: 'Who may push.' },
      delete_level: { from: 'minimum_access_level_for_delete', about: 'Who may delete.' },
    },
    measures: count('Package rules', 'package protection rules'),
    dimensions: {
      firstSeen: { description: 'When a sync first saw it.', type: 'time', sql: '{CUBE}.first_seen' },
    },
  },
];

/** Names of marks, for reports. */
export const markNames: readonly string[] = syncedCubes.flatMap(({ marks = {} }) => Object.keys(marks));
