import fc from 'fast-check';

const target = fc.constantFrom('/', '/a', '/b', '/A', '/nowhere', '/*');
const event = fc.constantFrom('pageview', 'link_click', undefined);
const match = fc.record({ target, event }).map(({ target, event }) => ({ target, ...(event && { event }) }));
const where = fc.constantFrom(
  undefined,
  undefined,
  undefined,
  'TrackedEvents.pageTitle contains a',
  'TrackedEvents.agentName != Firefox',
  'TrackedEvents.localTzOffset > 0',
);

/** A funnel as plain data, with a question about it. Few events, so that steps share times and events. */
export const askedFunnel = fc.constantFrom('ordered', 'ordered', 'strict', 'unordered').chain((order) =>
  fc
    .record({
      steps: fc.array(fc.record({ match, within: fc.constantFrom(undefined, undefined, '2 hours'), where }), {
        minLength: 2,
        maxLength: 4,
      }),
      within: fc.constantFrom('1 hour', '12 hours', '7 days', '40 days'),
      by: fc.constantFrom<object>({}, {}, { by: 'session' }, { follow: 'pageTitle' }, { follow: 'localTzOffset' }),
      where,
      exclude: fc.constantFrom(undefined, undefined, ['link_click'], ['/A']),
      breakdown: fc.constantFrom(
        undefined,
        'TrackedEvents.agentName',
        'TrackedEvents.docPath',
        'TrackedEvents.eventName',
      ),
      hold: fc.constantFrom(
        undefined,
        undefined,
        'TrackedEvents.agentName',
        ['TrackedEvents.agentName', 'TrackedEvents.docPath'],
        'TrackedEvents.localTzOffset',
      ),
      attribution: fc.constantFrom('first', 'last'),
      range: fc.constantFrom(undefined, '2024-03', '2024-03-09..2024-04-07', 'since 2024-03-29'),
      byEntry: fc.boolean(),
      trend: fc.constantFrom(undefined, 'day', 'week'),
    })
    .map(({ steps, within, by, where, exclude, hold, breakdown, attribution, range, byEntry, trend }) => ({
      funnel: {
        steps: steps.map((step, index) => ({
          name: `step${index + 1}`,
          ...step.match,
          ...(step.where && { where: [step.where] }),
          ...(order !== 'unordered' && index > 0 && step.within && { within: step.within }),
        })),
        within,
        order,
        ...by,
        ...(where && { where: [where] }),
        ...(exclude && { exclude }),
        ...(hold && { hold }),
        ...(breakdown && { breakdown: { dimension: breakdown, attribution } }),
      },
      options: {
        ...(range && { range }),
        ...(range && byEntry && { byEntry }),
        ...(range && trend && !breakdown && { trend }),
      },
    })),
);
