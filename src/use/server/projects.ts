import { createHash } from 'node:crypto';
import type { Session } from '../workspace/session.ts';
import { Refusal } from './refusal.ts';

export interface Project {
  /** A number also where the events name the project by its path. */
  readonly id: number;
  /** As the events name it: a number or a path. */
  readonly name: string;
  /** What its events are selected by; undefined: all events are of this project. */
  readonly selector: string | undefined;
  readonly hasEvents: boolean;
}

/** The projects that this server knows: those that events name, and those that the configuration names. */
export interface Projects {
  /** By number or path. Refused with 404: there is no such project. */
  find(asked: string, signal: AbortSignal): Promise<Project>;
}

/**
 * Where no event names a project, and where the data model is not the built-in one, all events are those of one
 * project:
 * the configured one, else 1.
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
      // Events of a project that has none yet may have come by now.
      if (known.get(asked)?.hasEvents !== true) {
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

/** As many as an answer may have rows. */
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

/** The same number for the same path, whenever it is asked for. */
function numberOf(path: string): number {
  return createHash('sha256').update(path).digest().readUIntBE(0, 6) + 2 ** 49;
}
