import { isCalendarUnit } from '../../ask/time/granularity.ts';
import { writeLocal, writeWithOffset } from '../../ask/time/local-time.ts';
import { toInstant } from '../../ask/time/zone.ts';
import type { Column } from '../../plan/column.ts';

/** What a time on the wire is called in an answer (see `Value`); undefined where it is no time. */
export type ReadLabel = (text: string) => string | undefined;

export interface LabelZones {
  /** Canonical IANA name of the zone that the wire's labels are in. */
  readonly wire: string;
  /** That of the answer. */
  readonly answer: string;
  /** Told of a label that stands for two buckets, since the clock went back. */
  readonly onAmbiguous: (label: string) => void;
}

/**
 * Reads the times of a column. The wire has wall times without offset, for buckets those of the body's zone, for times without
 * granularity those of UTC. Made once for a column, since it remembers labels.
 */
export function labelReader(column: Column, zones: LabelZones): ReadLabel {
  if (column.kind !== 'time' || column.granularity === undefined || isCalendarUnit(column.granularity)) return readWallTime;
  const known = new Map<string, string>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const wall = readWallTime(text);
    if (wall === undefined) return undefined;
    const local = Date.parse(`${wall}Z`);
    const instant = toInstant(local, zones.wire, 'first');
    if (instant !== toInstant(local, zones.wire, 'last')) zones.onAmbiguous(wall);
    const label = writeWithOffset(instant, zones.answer);
    if (known.size > 10_000) known.clear();
    known.set(text, label);
    return label;
  };
}

/** `YYYY-MM-DDTHH:mm:ss.SSS`, from whatever precision the server has; a time with an offset is one of UTC. */
export function readWallTime(text: string): string | undefined {
  return isWallTime(text) ? text : readOtherTime(text);
}

/** The form that nearly all have, told without a pattern: it is asked for each cell. */
function isWallTime(text: string): boolean {
  if (text.length !== 23 || text.charCodeAt(10) !== 84 || text.charCodeAt(19) !== 46) return false;
  if (text.charCodeAt(4) !== 45 || text.charCodeAt(7) !== 45 || text.charCodeAt(13) !== 58 || text.charCodeAt(16) !== 58) return false;
  return isDigit(text, 0) && isDigit(text, 3) && isDigit(text, 5) && isDigit(text, 6) && isDigit(text, 8) && isDigit(text, 9)
    && isDigit(text, 11) && isDigit(text, 12) && isDigit(text, 14) && isDigit(text, 17) && isDigit(text, 20) && isDigit(text, 22);
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}

function readOtherTime(text: string): string | undefined {
  const found = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(?:\.(\d{1,9}))?(Z|[+-]\d\d:?\d\d)?)?$/.exec(text);
  if (!found) return undefined;
  const [, date, clock = '00:00:00', fraction = '', offset] = found;
  const wall = `${date}T${clock.length === 5 ? `${clock}:00` : clock}.${fraction.slice(0, 3).padEnd(3, '0')}`;
  const local = Date.parse(`${wall}Z`);
  if (Number.isNaN(local)) return undefined;
  if (offset === undefined || offset === 'Z') return wall;
  const size = (Number(offset.slice(1, 3)) * 60 + Number(offset.slice(-2))) * 60_000;
  return writeLocal(offset.startsWith('-') ? local + size : local - size);
}
