/** The part of Vega's scene graph that a picture is drawn from: marks hold items, and groups among them hold marks. */
export interface SceneMark {
  readonly marktype: string;
  readonly items?: readonly SceneItem[];
  readonly clip?: unknown;
  readonly group?: SceneItem;
}

export interface SceneItem {
  readonly [property: string]: unknown;
  readonly items?: readonly SceneMark[];
}
