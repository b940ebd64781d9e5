import { frameRoles, groupsOf, type SceneGroup, type SceneMark } from './scene.ts';

/** A mark of the plot itself, at its distance in pixels from the plot's upper left corner. */
export interface PlotMark {
  readonly mark: SceneMark;
  readonly dx: number;
  readonly dy: number;
  /** What lies outside of the plot is meant to be cut off. */
  readonly clipped: boolean;
}

/** The marks of a plot in the order in which they are drawn, those of nested groups too. */
export function listPlotMarks(root: SceneGroup): readonly PlotMark[] {
  return inGroup(root, 0, 0, false).filter(({ mark }) => !frameRoles.has(mark.role));
}

function inGroup({ items, clip }: SceneGroup, dx: number, dy: number, clipped: boolean): readonly PlotMark[] {
  return items
    .filter(({ role }) => !frameRoles.has(role))
    .flatMap((mark): readonly PlotMark[] => {
      const cut = clipped || isSet(clip) || isSet(mark.clip);
      if (mark.marktype !== 'group') return [{ mark, dx, dy, clipped: cut }];
      return groupsOf(mark).flatMap((group) => inGroup(group, dx + (group.x ?? 0), dy + (group.y ?? 0), cut));
    });
}

function isSet(clip: unknown): boolean {
  return clip !== undefined && clip !== null && clip !== false;
}
