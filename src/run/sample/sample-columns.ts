import { type SampleOptions, usualSample } from './sample-events.ts';
import { agentTexts, extraTexts, pageTexts, refererTexts, type Texts, titleTexts } from './site-texts.ts';
import { nameIn, pageTextsIn, type Vocabulary } from './vocabulary.ts';

/** Adjacent columns of a file whose values depend on one code of the event table. */
export interface ColumnGroup {
  readonly code: 'page' | 'title' | 'referer' | 'agent' | 'extra';
  readonly columns: readonly string[];
  /** By code. */
  readonly texts: readonly Texts[];
}

/** The columns of a file of sample events in order: the event's own columns, the groups, then `props`. */
export interface SampleColumns {
  readonly vocabulary: Vocabulary;
  readonly groups: readonly ColumnGroup[];
  /** The name of a canonical column in the file. */
  name(column: string): string;
}

/** The event's own columns. */
export const ownColumns = {
  time: 'utc_time',
  visitor: 'user_anonymous_id',
  user: 'user_id',
  session: 'session_id',
  id: 'event_id',
  props: 'custom_event_props',
} as const;

/** When the collector received the event; only in Snowplow's columns. */
export const arrivalColumn = 'collector_tstamp';

export function columnsFor({ projects = usualSample.projects }: SampleOptions, vocabulary: Vocabulary): SampleColumns {
  const group = (code: ColumnGroup['code'], texts: readonly Texts[]): ColumnGroup => ({
    code,
    texts,
    columns: [...new Set(texts.flatMap(Object.keys))],
  });
  return {
    vocabulary,
    groups: [
      group(
        'page',
        pageTexts(projects).map((texts) => pageTextsIn(vocabulary, texts)),
      ),
      group('title', titleTexts),
      group('referer', refererTexts(projects)),
      group('agent', agentTexts),
      group('extra', extraTexts),
    ],
    name: (column) => nameIn(vocabulary, column),
  };
}

/** The names of all columns of a file, in order. */
export function fileNames({ vocabulary, groups, name }: SampleColumns): readonly string[] {
  const { time, visitor, user, session, id, props } = ownColumns;
  return [
    name(time),
    ...(vocabulary === 'snowplow' ? [arrivalColumn] : []),
    ...[visitor, user, session, id].map(name),
    ...groups.flatMap(({ columns }) => columns.map(name)),
    name(props),
  ];
}

/** The properties of a custom event as JSON text. */
export function propsOf(seconds: number, path: unknown): string {
  return JSON.stringify({ seconds, where: path });
}
