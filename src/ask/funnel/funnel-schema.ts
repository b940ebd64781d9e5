import { z } from 'zod';
import { filterSchema, memberSchema } from '../query/filter-schema.ts';
import { quote } from '../quote.ts';
import { funnelOrders } from './funnel.ts';

const seconds = z.int().min(1);

const target = z.string().check((context) => {
  const fault = targetFault(context.value);
  if (fault !== undefined) context.issues.push({ code: 'custom', input: context.value, message: fault, params: { code: 'not-a-path' } });
});

/** What is wrong with a target, and below it what to do; undefined where it is a path. */
function targetFault(text: string): string | undefined {
  const url = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*([^?#]*)/i.exec(text);
  if (url) return `A target is a path, not a whole address.\nLeave out everything before the path: ${quote(url[1] || '/')}.`;
  if (text.trim() !== text) return `A target is compared to the letter, and this one has a blank at its ${text.trimStart() === text ? 'end' : 'start'}.\nTake the blank away.`;
  if (!text.startsWith('/')) return `A target is a path and begins with a slash.\nWrite ${quote(`/${text}`)}.`;
  const part = /[?#]/.exec(text)?.[0];
  if (part !== undefined) return `A target is the path alone: what comes after ${quote(part)} is not part of it.\nWrite ${quote(text.slice(0, text.indexOf(part)))}.`;
  return undefined;
}

const targets = z.array(target).min(1).describe('Any of these paths; * stands for any text without a slash, ** for any text.');
const event = z.string().min(1).describe('The type of event that counts, such as link_click; any for every type.');
const where = z.array(filterSchema).describe('Only events for which all of them hold; filters as in a query.');

const stepExtension = z
  .strictObject({
    any_of: targets.optional(),
    event: event.optional(),
    where: where.optional(),
    within: seconds.optional().describe('At most so many seconds since the step before.'),
  })
  .describe('Beyond the platform: local engines only.');

const action = z
  .literal('pageview', { error: (issue) => (issue.input === undefined
    ? undefined
    : `"action" cannot be ${quote(String(issue.input))}.\nThe platform knows only pageview. For other events add \`sluice: {event: ${/^\w+$/.test(String(issue.input)) ? String(issue.input) : 'link_click'}}\` to the step.`) })
  .describe('What the visitor does; the platform knows page views only.');

const slug = z.string().regex(/^[a-z0-9]+(?:[_-][a-z0-9]+)*$/, {
  error: (issue) => `${quote(String(issue.input))} is no slug.\nA step is named by small letters, digits, _ and -, such as view_cart.`,
});

const step = z.strictObject({
  name: slug.describe('A slug of its own, such as view_cart.'),
  action,
  target: target.describe('The path of the page, to the letter, such as /cart.'),
  sluice: stepExtension.optional(),
});

const exclusion = z.strictObject({
  target: target.optional(),
  any_of: targets.optional(),
  event: event.optional(),
  where: where.optional(),
  after: z.string().optional().describe('Spoils after this step; the first one where not set.'),
  before: z.string().optional().describe('Spoils before this step; the last one where not set.'),
});

const extension = z
  .strictObject({
    order: z.enum(funnelOrders).optional().describe('ordered: other events may come between. strict: none may. unordered: any order.'),
    by: z.enum(['user', 'session']).optional().describe('Whose events are followed; user where not set.'),
    where: where.optional(),
    exclude: z.array(exclusion).min(1).optional().describe('Events that spoil an attempt.'),
    breakdown: z
      .strictObject({
        dimension: memberSchema,
        attribution: z.string().optional().describe('Whose value counts: first, last, or the name of a step; first where not set.'),
      })
      .optional()
      .describe('Conversion by the values of a dimension.'),
  })
  .describe("Beyond the platform's file: local engines only.");

/** A funnel file: `{name?, seconds_to_convert, steps: [{name, action, target}], sluice?}`. */
export const funnelSchema = z
  .strictObject({
    name: z.string().optional().describe('The platform goes by the name of the file.'),
    seconds_to_convert: seconds.describe('How many seconds a user has from the first step to the last.'),
    steps: z.array(step).min(2).describe('What people do, one after the other.'),
    sluice: extension.optional(),
  })
  .meta({ title: 'Funnel file', description: 'Steps that users take one after the other, and the time they have for it.' });

export type FunnelFile = z.infer<typeof funnelSchema>;

/** JSON Schema (draft 7, which editors read) of a funnel file. */
export function toFunnelJsonSchema(): Readonly<Record<string, unknown>> {
  return z.toJSONSchema(funnelSchema, { target: 'draft-7', io: 'input' });
}
