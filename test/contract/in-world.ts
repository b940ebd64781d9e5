import { afterAll } from 'vitest';
import { openWithSession, type SluiceWithSession } from '../use/open-session.ts';
import { openFolder } from '../use/run-in-folder.ts';
import type { World } from './arbitrary-world.ts';
import { writeNdjson } from './exported-events.ts';
import type { OracleClock } from './oracle-clock.ts';

/** A folder for worlds. `work` gets an opened library over the world's events and settings. */
export function openWorlds(): (
  world: World,
  work: (sluice: SluiceWithSession, root: string) => Promise<void>,
) => Promise<void> {
  const folder = openFolder();
  afterAll(() => folder.remove());
  let files = 0;
  return async (world, work) => {
    const events = folder.write(`events-${(files += 1)}.ndjson`, writeNdjson(world.events));
    await using sluice = await openWithSession({
      workspace: folder.root,
      env: {},
      events,
      now: () => world.now,
      timezone: world.zone,
      weekStart: world.weekStart,
      user: world.user,
      project: world.project,
    });
    await work(sluice, folder.root);
  };
}

export function clockOf({ now, zone, weekStart }: World): OracleClock {
  return { now, zone, weekStart: weekStart === 'sunday' ? 0 : 1 };
}

/** Runs an expectation. If it fails, the error starts with the question. */
export function whileAsking(asked: unknown, world: World, expectation: () => void): void {
  try {
    expectation();
  } catch (cause) {
    throw new Error(
      `${JSON.stringify(asked)} in ${JSON.stringify({ ...world, events: `${world.events.length} events` })}`,
      { cause },
    );
  }
}
