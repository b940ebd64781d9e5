import { minute } from '../../ask/time/granularity.ts';

/** Counts of events: a row for each user, slot of time, and values of the columns. */
export interface EventCounts {
  readonly name: string;
  /** What statements call its rows. */
  readonly relation: string;
  /** Columns of events that its rows are told apart by, beside `utc_time`, where a slot begins, and `user_key`. */
  readonly columns: readonly string[];
}

/**
 * All offsets from UTC that clocks keep today are multiples of it, so that it tiles the hours and days of each zone.
 */
export const slotLength = 15 * minute;

/** How many events a row stands for. */
export const eventCountColumn = 'event_count';

const smallColumns = [
  'project_id',
  'event_type',
  'agent_name',
  'os_family',
  'os_name',
  'browser_language',
  'country',
] as const;

const counts: EventCounts = { name: 'counts', relation: 'event_counts', columns: smallColumns };

/** Its columns are those of `counts` and more, so that these can be made of it. */
const pages: EventCounts = {
  name: 'pages',
  relation: 'page_counts',
  columns: [...smallColumns, 'doc_host', 'doc_path'],
};

/** What a store keeps of its events beside them, the smallest first. */
export const eventCounts: readonly EventCounts[] = [counts, pages];

/** What a store keeps of its sessions: a row each, users told apart by codes. */
export const keptSessions = {
  name: 'sessions',
  relation: 'kept_sessions',
  columns: ['project_id', 'shared', 'derived', 'start_at', 'end_at', 'duration_ms'],
} as const;
