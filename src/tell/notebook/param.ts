export const paramTypes = ['month', 'week', 'date', 'range', 'text', 'number', 'choice'] as const;

export type ParamType = (typeof paramTypes)[number];

/** A parameter of a notebook, as its front matter declares it. */
export interface Param {
  readonly name: string;
  readonly type: ParamType;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /** As a person would give it: `last closed month`. Without one the parameter has to be given. */
  readonly default?: string | number | undefined;
  /** `choice` only: what there is to choose from. */
  readonly options?: readonly string[] | undefined;
}

/** A parameter with what it is this time. */
export interface ParamValue {
  readonly param: Param;
  /** What stands for it as a whole value in a cell: `2026-10`, `['2026-10-05', '2026-10-11']`, a number, a text. */
  readonly value: string | number | readonly string[];
  /** The same for people and inside of longer texts: `2026-10`, `2026-10-05 to 2026-10-11`. */
  readonly text: string;
  /** Parts of a time: `{{ month.start }}`, `{{ month.end }}` (first and last day), `{{ month.previous }}`. */
  readonly parts: Readonly<Record<string, Pick<ParamValue, 'value' | 'text'>>>;
}

export type ParamValues = ReadonlyMap<string, ParamValue>;
