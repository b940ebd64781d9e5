import { describe, expect, it } from 'vitest';
import { builtInModel } from '../../../src/plan/model/built-in-model.ts';
import { toCatalog } from '../../../src/plan/model/catalog.ts';
import { eventFields, userKeyColumn } from '../../../src/plan/model/event-fields.ts';
import type { Cube, Template } from '../../../src/plan/model/model.ts';
import { membersOf } from '../../../src/plan/model/template.ts';

const catalog = toCatalog(builtInModel);
const words = (text: string) => text.trim().split(/\s+/);

const measures = words(`
  TrackedEvents.count TrackedEvents.pageViewsCount TrackedEvents.linkClicksCount TrackedEvents.uniqueUsersCount
  Sessions.count Sessions.averagePerUser Sessions.averageDurationMinutes Sessions.uniqueUsersCount Sessions.usersCount
  Sessions.pageViewsCount Sessions.averagePageViews Sessions.bouncedCount Sessions.bounceRate
  ReturningUsers.allSessionsCount ReturningUsers.returningUserPercentage
  SnowplowSessions.repeatPercent SnowplowSessions.repeatCount SnowplowTrackedEvents.count Jitsu.count`);

const eventDimensions = words(`
  pageUrlhosts pageUrlpath event eventId eventName pageTitle osFamily osName osVersion osVersionMajor agentName agentVersion
  pageReferrer pageUrl baseUrl useragent derivedTstamp browserLanguage documentLanguage viewportSize targetUrl elementId
  customEventName customEventProps customUserProps userId
  docEncoding docHost docPath docSearch eventType localTzOffset src utcTime vpSize apiKey userAnonymousId userLanguage url
  eventnCtxEventId idsAjsAnonymousId userHashedAnonymousId referer projectId sessionId
  utmSource utmMedium utmCampaign utmTerm utmContent referrerHost trafficSource country deviceClass`);

const sessionDimensions = words(`
  startAt endAt sessionID userId agentName agentVersion osFamily osName osVersion osVersionMajor browserLanguage
  documentLanguage viewportSize referer projectId
  utmSource utmMedium utmCampaign utmTerm utmContent referrerHost trafficSource country deviceClass landingPage exitPage
  channel pageViews`);

describe('the built-in cubes', () => {
  it.each(measures)('have the measure %s', (name) => expect(catalog.find(name)?.kind).toBe('measure'));

  it.each(
    ['TrackedEvents', 'Jitsu', 'SnowplowTrackedEvents'].flatMap((cube) =>
      eventDimensions.map((member) => `${cube}.${member}`),
    ),
  )('have the dimension %s', (name) => expect(catalog.find(name)?.kind).toBe('dimension'));

  it.each(['Sessions', 'SnowplowSessions'].flatMap((cube) => sessionDimensions.map((member) => `${cube}.${member}`)))(
    'have the dimension %s',
    (name) => expect(catalog.find(name)?.kind).toBe('dimension'),
  );

  it.each(['TrackedEvents.knownUsers', 'TrackedEvents.bots', 'TrackedEvents.humans', 'ReturningUsers.returningUsers'])(
    'have the segment %s',
    (name) => expect(catalog.find(name)?.kind).toBe('segment'),
  );

  it('filter a bare range by the time that the platform filters by', () => {
    expect(builtInModel.cubes.map((cube) => catalog.timeMemberOf(cube.name))).toEqual([
      'TrackedEvents.utcTime',
      'Sessions.startAt',
      'ReturningUsers.first_timestamp',
      'Jitsu.utcTime',
      'SnowplowTrackedEvents.derivedTstamp',
      'SnowplowSessions.startAt',
    ]);
    for (const cube of builtInModel.cubes)
      expect(cube.dimensions.find(({ name }) => name === cube.timeMember)?.type).toBe('time');
  });

  it('list only the present names of the cubes', () => {
    expect(new Set(catalog.names().map((name) => name.split('.')[0]))).toEqual(
      new Set(['TrackedEvents', 'Sessions', 'ReturningUsers']),
    );
    expect(catalog.names()).not.toContain('Sessions.sessionID');
  });

  it('bear the titles that the platform gives', () => {
    expect(catalog.find('Sessions.averagePerUser')?.member).toMatchObject({
      title: 'Sessions Average Per User',
      shortTitle: 'Average Per User',
    });
    expect(catalog.find('Sessions.sessionID')?.member).toMatchObject({
      title: 'Sessions Session Id',
      primaryKey: true,
      public: false,
    });
    expect(catalog.find('Sessions.startAt')?.member).toMatchObject({ title: 'Sessions Start at' });
    expect(catalog.find('TrackedEvents.knownUsers')?.member).toMatchObject({ title: 'Tracked Events Known Users' });
  });

  it('have no two members of one name', () => {
    for (const cube of builtInModel.cubes) {
      const names = [...cube.measures, ...cube.dimensions, ...cube.segments].map(({ name }) => name);
      expect(new Set(names).size, cube.name).toBe(names.length);
    }
  });

  it('say in a description what each member is', () => {
    for (const cube of builtInModel.cubes) {
      for (const member of [...cube.measures, ...cube.dimensions, ...cube.segments])
        expect(member.description, member.name).toMatch(/\.$/);
    }
  });

  it('refer only to columns and members that exist', () => {
    const columns: Readonly<Record<string, readonly string[]>> = {
      events: [...eventFields.map(({ column }) => column), userKeyColumn],
      sessions:
        words(`project_id session_key session_id derived user_key user_id user_anonymous_id start_at end_at events page_views duration_ms shared
        agent_name agent_version os_family os_name os_version os_version_major browser_language document_language viewport_size doc_host doc_path doc_search referer useragent
        utm_source utm_medium utm_campaign utm_term utm_content country device_class landing_page exit_page`),
      users: words(`user_key first_timestamp last_timestamp sessions shared_sessions
        utm_source utm_medium utm_campaign doc_search doc_host referer`),
    };
    for (const cube of builtInModel.cubes) {
      for (const template of templatesOf(cube)) {
        template.forEach((part, index) => {
          const before = template[index - 1];
          if (part.kind === 'text' && before?.kind === 'cube')
            expect(columns[cube.source.kind]).toContain(/^\.(\w+)/.exec(part.text)?.[1]);
        });
        for (const { cube: owner, member } of membersOf(template)) {
          expect(owner).toBe(cube.name);
          expect(catalog.find(`${owner}.${member}`)?.kind).toBe('measure');
        }
      }
    }
  });

  it('drill only into members that exist', () => {
    for (const name of builtInModel.cubes.flatMap((cube) => cube.measures.flatMap((measure) => measure.drillMembers)))
      expect(catalog.find(name), name).toBeDefined();
  });
});

function templatesOf(cube: Cube): readonly Template[] {
  return [
    ...cube.measures.flatMap((measure) => [
      measure.sql ?? [],
      ...measure.filters,
      ...(measure.uncounted ?? []).flatMap(({ sql, amount }) => [sql, amount ?? []]),
    ]),
    ...cube.dimensions.flatMap(({ expression }) => (expression.kind === 'sql' ? [expression.sql] : [])),
    ...cube.segments.map(({ sql }) => sql),
  ];
}
