import { open } from '../../src/use/index.ts';
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

/** What somebody asks of a workspace within the first five minutes: one session, so that its engine opens once. */
export async function askFive(workspace: string) {
  await using sluice = await open({ workspace, env: {}, now: () => now, onNote: () => undefined });
  const rowsOf = async (asked: Parameters<typeof sluice.query>[0]) =>
    (await sluice.query(asked)).rows().map((row) => Object.values(row) as unknown[]);
  const tallyOf = async (line: string) =>
    Object.fromEntries((await rowsOf(line)).map(([key, count]) => [String(key), count]));
  const [[count, users, minutes] = []] = await rowsOf({
    measures: ['Sessions.count', 'Sessions.uniqueUsersCount', 'Sessions.averageDurationMinutes'],
  });
  return {
    daily: Object.fromEntries(
      (await rowsOf('uniqueUsersCount by day from 2024-03-01 to 2024-03-10'))
        .map(([day, number]) => [String(day).slice(0, 10), number])
        .filter(([, number]) => number !== 0),
    ) as unknown,
    pages: await tallyOf('pageViewsCount by docPath where eventType = pageview'),
    sources: await tallyOf('pageViewsCount by referer where eventType = pageview'),
    sessions: [count, users, roughly(Number(minutes))],
    funnel: (await sluice.funnel('buy')).rows().map((row) => Object.values(row)[2]),
    types: await tallyOf('count by eventType'),
  };
}
