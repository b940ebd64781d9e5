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

/** Every operation of the platform's API, by resource. A resource is a file of data. */
export const catalogue = {
  variables,
  exports,
  imports,
  externalImports,
  commits,
  tags,
  protectedBranches,
  pages,
  milestones,
  webhooks,
  events,
  packageRules,
  groupInvitations,
  projectInvitations,
  labels,
  epics,
  features,
  integrations,
} as const satisfies Readonly<Record<string, Resource>>;

export type Catalogue = typeof catalogue;
