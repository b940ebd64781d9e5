import { invariant } from '../../ask/invariant.ts';
import { errorIssue, type Issue, type IssuePath } from '../../ask/outcome.ts';
import { cubeOf, isCohortName, noCohortHint } from '../../ask/query/member-name.ts';
import { readTouchName } from '../../ask/query/touch-name.ts';
import { offer } from '../../ask/suggest.ts';
import { quote } from '../../ask/text.ts';
import type { Found } from '../model/catalog.ts';
import type { Binding } from './bind-context.ts';

type Kind = Found['kind'];

const keyOf: Readonly<Record<Kind, string>> = { measure: 'measures', dimension: 'dimensions', segment: 'segments' };

/**
 * The cube's own member behind a view's member. Records its joins in `binding`. Computation uses the cube's member;
 * people see the view's member.
 */
export function behindView<One extends Found>(found: One, { catalog, paths, time }: Binding): One {
  const { of } = found.member;
  if (!of) return found;
  const origin = catalog.find(`${of.path.at(-1)}.${of.member}`);
  invariant(
    origin?.kind === found.kind,
    `${found.cube.name}.${found.member.name} was resolved when the model was read`,
  );
  paths?.push(of.path);
  return inZone(origin as One, time.zone);
}

/** Applies the query's time zone to parts of times. */
function inZone<One extends Found>(found: One, zone: string): One {
  if (found.kind !== 'dimension' || found.member.expression.kind !== 'time-part') return found;
  return { ...found, member: { ...found.member, expression: { ...found.member.expression, zone } } };
}

/** The member of this name and of one of the wanted kinds. If there is none, returns undefined and adds an issue. */
export function findMember<Wanted extends Kind>(
  name: string,
  wanted: readonly Wanted[],
  path: IssuePath,
  binding: Binding,
): Extract<Found, { kind: Wanted }> | undefined {
  const found = binding.catalog.find(name);
  if (!found) {
    binding.issues.push(unknownMember(name, wanted, path, binding));
    return undefined;
  }
  const touch = readTouchName(name);
  if (touch && binding.noTouches) {
    const { reason, hint } = binding.noTouches;
    binding.issues.push(errorIssue('no-touch', `${quote(name)} cannot be used. ${reason}`, { path, hint }));
    return undefined;
  }
  if (found.kind !== 'segment' && found.member.sampled) {
    const property = touch?.of ?? name;
    binding.issues.push(
      errorIssue('unread-property', `The events have not been searched for ${quote(property)} yet.`, {
        path,
        hint: 'Query it separately first.',
        name: property,
      }),
    );
    return undefined;
  }
  if (found.kind === 'dimension' && found.member.cohort?.name !== undefined)
    binding.cohorts?.add(found.member.cohort.name);
  if (isOneOf(found, wanted)) return inZone(found, binding.time.zone);
  const { kind } = found as Found;
  binding.issues.push(
    errorIssue('wrong-kind', `"${name}" is a ${kind}, not a ${wanted.join(' or ')}.`, {
      path,
      hint: `Put it in "${keyOf[kind]}" instead.`,
    }),
  );
  return undefined;
}

function isOneOf<Wanted extends Kind>(
  found: Found,
  wanted: readonly Wanted[],
): found is Extract<Found, { kind: Wanted }> {
  return (wanted as readonly Kind[]).includes(found.kind);
}

function unknownMember(
  name: string,
  wanted: readonly Kind[],
  path: IssuePath,
  { catalog }: Pick<Binding, 'catalog'>,
): Issue {
  const reason = catalog.whyLeftOut(name);
  if (reason !== undefined)
    return errorIssue('left-out', `${quote(name)} is left out of the model. ${reason}`, { path });
  const touch = readTouchName(name);
  const of = touch && catalog.find(touch.of);
  if (touch && !of) return unknownMember(touch.of, wanted, path, { catalog });
  if (of)
    return errorIssue('no-touch', `${quote(name)} cannot be used. ${quote(touch!.of)} has no first or last touch.`, {
      path,
      hint: 'Use a dimension of TrackedEvents or Sessions, except times and cohorts.',
    });
  const close = catalog.suggest(name, wanted[0]);
  const cube = catalog.cube(cubeOf(name));
  const cubes = catalog.model.cubes.filter((candidate) => candidate.public).map((candidate) => candidate.name);
  const hint = close
    ? offer(close)
    : isCohortName(name)
      ? noCohortHint
      : cube
        ? `Run \`sluice model ${cube.name}\` to list its members.`
        : `The cubes are ${cubes.join(', ')}. Run \`sluice model\` to list their members.`;
  return errorIssue('unknown-member', `There is no ${wanted.join(' or ')} ${quote(name)}.`, { path, hint, name });
}
