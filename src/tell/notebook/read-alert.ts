import type { DeliveryFile } from '../delivery/delivery.ts';

/** The condition of an alert: a bound for one figure, or a band around its usual values. */
export type Watch =
  | {
      readonly kind: 'bound';
      /** Steps after the cell's name; empty for its only measure. */
      readonly steps: readonly string[];
      readonly operator: Operator;
      readonly bound: number;
      readonly isPercent: boolean;
    }
  | {
      readonly kind: 'band';
      readonly steps: readonly string[];
      /** Number of median absolute deviations. */
      readonly deviations: number;
      readonly among: 'all' | 'weekday';
    };

export type Operator = '<' | '<=' | '>' | '>=';

/** An alert as written in a cell. */
export interface WrittenAlert {
  readonly when?: string | undefined;
  readonly outside?: string | undefined;
  readonly figure?: string | undefined;
  readonly because?: string | undefined;
  readonly notify?: readonly DeliveryFile[] | undefined;
}

/** The alerts of a cell, in any notation. */
export function alertsOf({
  alert = [],
  outside,
}: {
  readonly alert?: string | WrittenAlert | readonly (string | WrittenAlert)[] | undefined;
  readonly outside?: string | undefined;
}): readonly WrittenAlert[] {
  const listed = typeof alert === 'string' || !Array.isArray(alert) ? [alert as string | WrittenAlert] : alert;
  return [
    // Unvalidated input may be anything.
    ...listed.flatMap((one: string | WrittenAlert | null) => (typeof one === 'string' ? { when: one } : (one ?? []))),
    ...(outside === undefined ? [] : [{ outside }]),
  ];
}

/** The condition for people, which also identifies the alert. */
export function writeCondition({ when, outside, figure }: WrittenAlert): string {
  const told = when ?? `${figure === undefined ? '' : `${figure} `}outside ${outside ?? ''}`;
  return told.trim().replaceAll(/\s+/g, ' ');
}

const number = String.raw`[+\-\u2212]?\d+(?:\.\d+)?`;
const condition = new RegExp(
  String.raw`^(?<figure>[a-z_][\w-]*(?:\.[a-z_][\w-]*)*)?\s*(?<operator><=|>=|<|>|\u2264|\u2265)\s*(?<bound>${number})\s*(?<percent>%)?$`,
  'i',
);
const band = /^(?<deviations>\d+(?:\.\d+)?) mad(?<weekday> of the same weekday)?$/i;

/** Reads `change < -20%`, or a band such as `3 mad of the same weekday`; undefined if it is neither. */
export function readWatch({ when, outside, figure }: WrittenAlert): Watch | undefined {
  const steps = (text: string | undefined) => (text === undefined ? [] : text.trim().split('.'));
  if (when !== undefined) {
    const found = condition.exec(when.trim())?.groups;
    if (found === undefined) return undefined;
    return {
      kind: 'bound',
      steps: steps(found['figure']),
      operator: (found['operator'] ?? '').replace('≤', '<=').replace('≥', '>=') as Operator,
      bound: Number((found['bound'] ?? '').replace('−', '-')),
      isPercent: found['percent'] !== undefined,
    };
  }
  const found = band.exec((outside ?? '').trim().replaceAll(/\s+/g, ' '))?.groups;
  const deviations = Number(found?.['deviations']);
  if (!(deviations > 0)) return undefined;
  return {
    kind: 'band',
    steps: steps(figure),
    deviations,
    among: found?.['weekday'] === undefined ? 'all' : 'weekday',
  };
}
