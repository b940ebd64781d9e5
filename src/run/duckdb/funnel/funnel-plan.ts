import type { FunnelStep } from '../../../ask/funnel/funnel.ts';
import { funnelOf } from '../../../plan/analysis/funnel/bind-funnel.ts';
import { computedHere } from '../../../plan/computed/computed-here.ts';
import { userKeyColumn } from '../../../plan/model/event-fields.ts';
import type { Condition, Plan } from '../../../plan/plan.ts';
import { codedEvents } from '../../../plan/projection/projections.ts';
import type { Dialect } from '../../../plan/sql/dialect.ts';
import { duckDb } from '../../../plan/sql/duckdb.ts';
import { type Expression, name } from '../../../plan/sql/expression.ts';
import type { UsedProjection } from '../../backend.ts';
import type { EngineSession } from '../session/answer.ts';
import { chooseCodedEvents } from '../session/choose-projection.ts';
import { cohortTables } from '../session/cohort-tables.ts';
import { followedKey, lowerConditions, lowerText } from '../session/event-condition.ts';
import { namedByFunnel, type NamedEvents } from '../session/tell-unknown.ts';
import type { FunnelProgram } from './funnel-program.ts';
import { toFunnelProgram } from './to-funnel-program.ts';

/** Converts the funnel of a plan for the engine. Errors: as `toFunnelProgram`. */
export function planToProgram(plan: Plan, dialect: Dialect = duckDb): FunnelProgram {
  const { definition, bound } = computedHere(funnelOf(plan));
  const { where, steps, exclude, follow, hold, breakdown } = bound;
  const lower = (conditions: readonly Condition[]) => lowerConditions(conditions, dialect);
  const program = toFunnelProgram(
    definition,
    {
      all: lower(where),
      steps: steps.map(lower),
      exclude: exclude.map(lower),
      follow: follow && followedKey(follow, dialect),
      hold: hold.map((one) => lowerText(one, dialect)),
      breakdown: breakdown && lowerText(breakdown, dialect),
    },
    plan.project,
  );
  return { ...program, tables: cohortTables(plan, dialect) };
}

/** The program over the coded events of a store, if these suffice. There, numbers identify users. */
export async function overCodedEvents(
  { events }: EngineSession,
  program: FunnelProgram,
): Promise<{ readonly program: FunnelProgram; readonly used: UsedProjection | undefined }> {
  const { tables = [], steps, exclusions, looksAt, hold, breakdown } = program;
  const isOfUsers = isName(program.source, 'events') && isName(program.follow, userKeyColumn);
  if (!isOfUsers || tables.length > 0)
    return {
      program,
      used: events?.projections && { why: 'The funnel does not follow users, or asks for members of cohorts.' },
    };
  const read = [looksAt, ...hold, breakdown?.value, ...[...steps, ...exclusions].map(({ also }) => also)];
  const used = await chooseCodedEvents(events, read);
  return { program: used?.name === undefined ? program : { ...program, source: name(codedEvents.relation) }, used };
}

function isName({ parts: [only, ...more] }: Expression, text: string): boolean {
  return only?.kind === 'name' && only.name === text && more.length === 0;
}

/** The event types, paths and properties that a plan's funnel names, without steps that users have `reached`. */
export function namedEvents(plan: Plan, reached: readonly number[] = []): NamedEvents {
  const { definition, bound } = computedHere(funnelOf(plan));
  const { steps, exclude, order } = definition;
  const isFound = ({ targets }: FunnelStep, step: number) =>
    order !== 'unordered' && targets.length < 2 && (reached[step] ?? 0) > 0;
  const { conditions } = namedByFunnel(definition, bound);
  return { definition, matches: [...steps.filter((step, index) => !isFound(step, index)), ...exclude], conditions };
}
