import { withinSentence } from '../../ask/text.ts';
import type { Touch } from '../../ask/query/touch-name.ts';
import { memberLabel } from './member-label.ts';
import type { Cube, Dimension } from './model.ts';

const titles: Readonly<Record<Touch, string>> = { firstTouch: 'First-touch', lastTouch: 'Last-touch' };

/** Whether the rows of a cube are those of users at known times, so that its dimensions can be attributed. */
export function hasTouches({ source }: Pick<Cube, 'source'>): boolean {
  return source.kind === 'events' || source.kind === 'sessions';
}

/**
 * A dimension of a cube, attributed; undefined if that makes no sense: of times, of cohorts, and of cubes without
 * users.
 */
export function touchDimension(cube: Cube, touch: Touch, of: Dimension): Dimension | undefined {
  if (
    !hasTouches(cube) ||
    of.type === 'time' ||
    of.cohort ||
    of.expression.kind === 'touch' ||
    of.expression.kind === 'time-part'
  )
    return undefined;
  const label = `${titles[touch]} ${withinSentence(memberLabel(of) ?? of.shortTitle)}`;
  const { format, sampled, local } = of;
  return {
    name: `${touch}.${of.name}`,
    title: `${cube.title} ${label}`,
    shortTitle: label,
    description:
      touch === 'firstTouch'
        ? `${of.shortTitle} where the user first had one; empty before that.`
        : `${of.shortTitle} where the user last had one, up to then.`,
    type: of.type,
    expression: { kind: 'touch', touch, of },
    primaryKey: false,
    public: false,
    format,
    sampled,
    local,
  };
}
