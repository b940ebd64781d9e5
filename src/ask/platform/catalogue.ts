import { commits } from './commits.ts';
import { epics } from './epics.ts';
import { events } from './events.ts';
import { exports } from './exports.ts';
import { externalImports } from './external-imports.ts';
import { features } from './features.ts';
import { imports } from './imports.ts';
import { integrations } from './integrations.ts';
import { groupInvitations, projectInvitations } from './invitations.ts';
import { labels } from './labels.ts';
import { milestones } from './milestones.ts';
import { packageRules } from './package-rules.ts';
import { pages } from './pages.ts';
import { protectedBranches } from './protected-branches.ts';
import { tags } from './tags.ts';
import { variables } from './variables.ts';
import { webhooks } from './webhooks.ts';
import type { Resource } from './operation.ts';

/** Every operation of the platform's API, by resource. Each resource has a file. */
export const catalogue = {
  /** CI/CD variables of a group. */
  variables,
  /** Export of a project as an archive. */
  exports,
  /** Import of projects and of their items from archives. */
  imports,
  /** Import of repositories from other hosts. */
  externalImports,
  /** Commits of a project. */
  commits,
  /** Tags of a project, and their signatures. */
  tags,
  /** Protection of branches. */
  protectedBranches,
  /** Settings of a static site. */
  pages,
  /** Milestones of a project. */
  milestones,
  /** Webhooks of a group, and their recorded deliveries. */
  webhooks,
  /** Activity of users and projects. */
  events,
  /** Protection of packages. */
  packageRules,
  /** Invitations to a group by email. */
  groupInvitations,
  /** Invitations to a project by email. */
  projectInvitations,
  /** Labels of a group. */
  labels,
  /** Child epics of an epic. */
  epics,
  /** Feature flags of the instance. */
  features,
  /** Integrations of a group with other services. */
  integrations,
} as const satisfies Readonly<Record<string, Resource>>;

export type Catalogue = typeof catalogue;
