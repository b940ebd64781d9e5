/** The part of Vega's scene graph that a drawing needs. Positions are pixels within the enclosing group. */
export interface SceneItem {
  readonly x?: number;
  readonly y?: number;
  readonly x2?: number;
  readonly y2?: number;
  readonly width?: number;
  readonly height?: number;
  readonly fill?: unknown;
  readonly stroke?: unknown;
  readonly opacity?: number;
  readonly fillOpacity?: number;
  readonly strokeOpacity?: number;
  readonly strokeWidth?: number;
  readonly strokeDash?: readonly number[];
  readonly defined?: boolean;
  readonly interpolate?: string;
  readonly tension?: number;
  readonly orient?: string;
  readonly shape?: string;
  readonly size?: number;
  readonly text?: unknown;
  readonly align?: string;
  readonly baseline?: string;
  readonly angle?: number;
  readonly dx?: number;
  readonly dy?: number;
  readonly fontSize?: number;
  readonly fontWeight?: unknown;
  readonly datum?: Readonly<Record<string, unknown>>;
}

export interface SceneGroup extends SceneItem {
  readonly items: readonly SceneMark[];
  readonly clip?: unknown;
}

export interface SceneMark {
  readonly marktype: string;
  readonly role?: string;
  readonly name?: string;
  readonly clip?: unknown;
  readonly items: readonly SceneItem[];
}

/** The groups of a mark, if it is a group mark. */
export function groupsOf({ marktype, items }: SceneMark): readonly SceneGroup[] {
  return marktype === 'group' ? (items as readonly SceneGroup[]) : [];
}

/** Roles of the parts around the plot; all other marks are in it. */
const frameRoles: ReadonlySet<string | undefined> = new Set(['axis', 'legend', 'title']);

/** A mark of the plot, with its offset in pixels from the plot's upper left corner. */
export interface PlotMark {
  readonly mark: SceneMark;
  readonly dx: number;
  readonly dy: number;
  /** Parts outside the plot are to be cut off. */
  readonly clipped: boolean;
}

/** The marks of a plot in drawing order, including those of nested groups. */
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
