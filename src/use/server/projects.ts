import { createHash } from 'node:crypto';
import type { Session } from '../workspace/session.ts';
import { Refusal } from './refusal.ts';

export interface Project {
  /** A number, also if the events name the project by path. */
  readonly id: number;
  /** The number or path in the events. */
  readonly name: string;
  /** The filter value for its events; undefined if all events belong to this project. */
  readonly selector: string | undefined;
  readonly hasEvents: boolean;
}

/** The projects of this server: those in the events and those in the configuration. */
export interface Projects {
  /** Finds a project by number or path. Throws a `Refusal` of 404 if it does not exist. */
  find(asked: string, signal: AbortSignal): Promise<Project>;
}

/**
 * If no event names a project, or the model is not the built-in one, all events belong to one project: the configured
 * one, or 1.
 */
export function openProjects(session: Session): Projects {
  const { settings } = session;
  const configured = [
    settings.project.value,
    settings.platformProject.value,
    ...settings.usageGroups.value.flatMap(({ projects = [] }) => projects),
  ].filter((name) => name !== undefined);
  const isBuiltIn = session.model.cubes.some(
    ({ name, source }) => name === 'TrackedEvents' && source.kind === 'events',
  );
  let known = new Map<string, Project>();
  let listing: Promise<void> | undefined;

  const list = async (): Promise<void> => {
    const named = isBuiltIn ? await projectsInEvents(session) : [];
    const isOne = named.length === 0 && (!isBuiltIn || settings.project.value === undefined);
    const others = configured.filter((name) => !named.includes(name));
    const projects = isOne
      ? (others.length === 0 ? ['1'] : others).map((name, index) => toProject(name, index === 0, undefined))
      : [...named.map((name) => toProject(name, true, name)), ...others.map((name) => toProject(name, false, name))];
    known = new Map(
      projects.flatMap((project) => [
        [String(project.id), project],
        [project.name, project],
      ]),
    );
  };

  return {
    async find(asked, signal) {
      const before = known.get(asked);
      // The project, or others, may have events by now.
      if (!before?.hasEvents || before.selector === undefined) {
        listing ??= list().finally(() => {
          listing = undefined;
        });
        await listing;
        signal.throwIfAborted();
      }
      const project = known.get(asked);
      if (!project) throw new Refusal(404, '404 Project Not Found');
      return project;
    },
  };
}

/** The maximum number of rows of an answer. */
const mostProjects = 50_000;

async function projectsInEvents(session: Session): Promise<readonly string[]> {
  const bound = session.bind({
    measures: ['TrackedEvents.count'],
    dimensions: ['TrackedEvents.projectId'],
    limit: mostProjects,
  });
  const [plan] = bound.ok ? bound.value : [];
  if (!plan) return [];
  const result = await session.run(plan, { fill: 'none' });
  return [...result.values('TrackedEvents.projectId')].filter(
    (name) => typeof name === 'string' && name !== '',
  ) as string[];
}

function toProject(name: string, hasEvents: boolean, selector: string | undefined): Project {
  return { id: /^[1-9]\d{0,14}$/.test(name) ? Number(name) : numberOf(name), name, selector, hasEvents };
}

/** Derives a stable number from a path. */
function numberOf(path: string): number {
  return createHash('sha256').update(path).digest().readUIntBE(0, 6) + 2 ** 49;
}
