import { open, type Sluice } from '../../src/use/index.ts';
import type { Answers } from '../run/presets/oracle.ts';
import { funnelSteps } from '../run/presets/story.ts';
import { type Folder, now } from './run-in-folder.ts';

/** Sums of floats depend on their order. */
const roughly = (value: number) => Number(value.toPrecision(12));

export function toExpected(slow: Answers) {
  return { ...slow, sessions: [slow.sessions[0], slow.sessions[1], roughly(slow.sessions[2])] };
}

export function writeFunnel(folder: Folder): void {
  const steps = funnelSteps.map(
    (target, index) => `  - {name: step_${index}, action: pageview, target: "${target}"}\n`,
  );
  folder.write('funnels/buy.yaml', `seconds_to_convert: 86400\nsteps:\n${steps.join('')}`);
}

/** The queries. */
export type Asked = keyof Answers;
export const allFive: readonly Asked[] = ['daily', 'pages', 'sources', 'sessions', 'funnel', 'types'];

/** The typical queries of the first five minutes, in one session, so that its engine opens once. */
export async function askFive(workspace: string) {
  await using sluice = await openFor(workspace);
  return await answersOf(sluice, allFive);
}

/** A session at the reference time of the tests. */
export function openFor(workspace: string): Promise<Sluice> {
  return open({ workspace, env: {}, now: () => now, onNote: () => undefined });
}

export async function answersOf(sluice: Sluice, asked: readonly Asked[]): Promise<Partial<Record<Asked, unknown>>> {
  const rowsOf = async (query: Parameters<typeof sluice.query>[0]) =>
    (await sluice.query(query)).rows().map((row) => Object.values(row) as unknown[]);
  const tallyOf = async (line: string) =>
    Object.fromEntries((await rowsOf(line)).map(([key, count]) => [String(key), count]));
  const ask: Record<Asked, () => Promise<unknown>> = {
    daily: async () =>
      Object.fromEntries(
        (await rowsOf('uniqueUsersCount by day from 2024-03-01 to 2024-03-10'))
          .map(([day, number]) => [String(day).slice(0, 10), number])
          .filter(([, number]) => number !== 0),
      ),
    pages: () => tallyOf('pageViewsCount by docPath where eventType = pageview'),
    sources: () => tallyOf('pageViewsCount by referer where eventType = pageview'),
    async sessions() {
      const measures = ['Sessions.count', 'Sessions.uniqueUsersCount', 'Sessions.averageDurationMinutes'] as const;
      const [[count, users, minutes] = []] = await rowsOf({ measures });
      return [count, users, roughly(Number(minutes))];
    },
    funnel: async () => (await sluice.funnel('buy')).rows().map((row) => Object.values(row)[2]),
    types: () => tallyOf('count by eventType'),
  };
  const answers: Partial<Record<Asked, unknown>> = {};
  for (const name of asked) answers[name] = await ask[name]();
  return answers;
}
