/** The part of Vega's scene graph that a drawing reads. Positions are pixels within the enclosing group. */
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

/** The groups of a mark that holds some: they have marks of their own. */
export function groupsOf({ marktype, items }: SceneMark): readonly SceneGroup[] {
  return marktype === 'group' ? (items as readonly SceneGroup[]) : [];
}

/** The roles of what stands around the plot; all other marks are in it. */
export const frameRoles: ReadonlySet<string | undefined> = new Set(['axis', 'legend', 'title']);
