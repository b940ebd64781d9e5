import type { Query } from '../../ask/query/query.ts';
import { writeRange } from '../../ask/time/previous-range.ts';
import { toCatalog } from '../../plan/model/catalog.ts';
import type { Result } from '../../shape/result/result.ts';
import { sumValues } from '../../shape/values/decimal.ts';
import { eventsCube, lastDayOf, toProjectAnswer, usageQuery } from '../../tell/usage/usage-days.ts';
import type { UsagePlan } from '../../tell/usage/usage-plan.ts';
import type { UsageGroup } from '../../tell/usage/usage.ts';
import { resultOf } from '../answer/answer-question.ts';
import { askQuery } from '../answer/question.ts';
import type { Session } from '../workspace/session.ts';
import { findGroups, type UsageSource } from './usage-source.ts';

const project = 'TrackedEvents.projectId';

/**
 * Counts usage from one source with the events of all projects: a store, files, or a Cube deployment. The caller closes
 * the session.
 */
export function openLocalUsage(session: Session): UsageSource {
  const { settings } = session;
  const toQuery = (plan: UsagePlan) => usageQuery(plan, toCatalog(session.model).timeMemberOf(eventsCube));
  const ask = (query: Query, signal?: AbortSignal): Promise<Result> =>
    resultOf(session, askQuery(query), { signal, fill: 'none' });
  return {
    backend: settings.backend.value,
    source: '',
    async groups(names, plan, signal) {
      const configured = findGroups(settings.usageGroups.value, names);
      if (configured.length > 0)
        return configured.map(
          ({ name, projects, quota }): UsageGroup => ({
            name,
            quota,
            projects: (projects ?? [name]).map((id) => ({ id, name: id })),
          }),
        );
      const { timeDimensions } = toQuery(plan);
      const [range] = timeDimensions ?? [];
      const found = await ask(
        {
          measures: ['TrackedEvents.count'],
          dimensions: [project],
          timeDimensions: range ? [{ dimension: range.dimension, dateRange: range.dateRange }] : [],
          timezone: plan.zone,
          limit: 50_000,
        },
        signal,
      );
      return [
        {
          name: 'all',
          projects: Array.from(found.values(project), (id) =>
            id === null ? { id: withoutProject, name: 'no project' } : { id: String(id), name: String(id) },
          ),
        },
      ];
    },
    async lastDay(plan, signal) {
      const { timeDimensions: [time] = [], ...query } = toQuery(plan);
      if (!time) return undefined;
      const dateRange = [...writeRange({ start: plan.asked.start, end: plan.now }, plan.zone)];
      return lastDayOf(await ask({ ...query, timeDimensions: [{ ...time, dateRange }] }, signal));
    },
    async ungrouped(names, plan, signal) {
      if (names.length > 0 || settings.usageGroups.value.length === 0) return 0;
      const answer = await this.count({ id: withoutProject, name: withoutProject }, plan, signal);
      return answer.state === 'counted' ? Number(sumValues([...answer.days.values()]) ?? 0) : 0;
    },
    async count({ id }, plan, signal) {
      const query = toQuery(plan);
      const filter =
        id === withoutProject
          ? { member: project, operator: 'notSet' as const }
          : { member: project, operator: 'equals' as const, values: [id] };
      return toProjectAnswer(await ask({ ...query, filters: [filter] }, signal));
    },
    async [Symbol.asyncDispose]() {},
  };
}

/** The ID for events without a project. No project has this ID. */
const withoutProject = '';
