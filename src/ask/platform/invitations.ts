import * as z from 'zod';
import { listing, operation, removal } from './operation.ts';
import { about, byDefault, date, filled, groupId, int, paid, projectId, text, time } from './parameter.ts';
import { field } from './record.ts';

const invitation = z.looseObject({
  id: field.int,
  invite_email: field.text,
  created_at: field.time,
  access_level: field.int,
  expires_at: field.time,
  user_name: field.text,
  created_by_name: field.text,
});

/** No access, minimal access, Guest, Reporter, Developer, Maintainer, Owner. */
const level = z.literal([0, 5, 10, 20, 30, 40, 50]);
const reasons = z.record(z.string(), z.string());

/** Operations that groups and projects share. */
function invitationsOf(owner: 'group' | 'project') {
  const id = owner === 'group' ? groupId : projectId;
  const all = `/${owner}s/:id/invitations` as const;
  const one = `${all}/:email` as const;
  const email = filled;
  return {
    create: operation({
      method: 'POST',
      path: all,
      about: `invite people to a ${owner}`,
      params: z.strictObject({
        id,
        email: about(filled, 'one or several, separated by commas').optional(),
        user_id: about(z.union([int, filled]), 'one or several, separated by commas').optional(),
        access_level: level,
        expires_at: date.optional(),
        invite_source: text.optional(),
        member_role_id: paid(int, 'top').optional(),
      }),
      rules: [{ kind: 'any-of', names: ['email', 'user_id'] }],
      answers: {
        201: z.looseObject({
          status: z.string(),
          message: z.union([reasons, z.string()]).nullish(),
          /** Invitations that wait for an administrator. */
          queued_users: reasons.nullish(),
        }),
      },
      failures: [{ field: 'status', values: ['error'], names: 'message' }],
    }),
    list: listing(
      all,
      `list the pending invitations of a ${owner}`,
      { id, query: about(text, 'exact address').optional() },
      invitation,
    ),
    update: operation({
      method: 'PUT',
      path: one,
      about: `change an invitation to a ${owner}`,
      params: z.strictObject({ id, email, access_level: byDefault(level, 30), expires_at: time.optional() }),
      answers: { 200: z.looseObject({ expires_at: field.time, access_level: field.int }) },
    }),
    delete: removal(one, `delete an invitation to a ${owner}`, { id, email }),
  };
}

export const groupInvitations = invitationsOf('group');
export const projectInvitations = invitationsOf('project');
