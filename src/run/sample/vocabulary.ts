import { invariant } from '../../ask/invariant.ts';
import { type EventField, eventFields, pageView } from '../../plan/model/event-fields.ts';
import type { Texts } from './site-texts.ts';

/** The vocabulary of a file: the platform's documentation, its newer dashboards, or Snowplow's columns. */
export type Vocabulary = 'documentation' | 'newer' | 'snowplow';
export const vocabularies: readonly Vocabulary[] = ['documentation', 'newer', 'snowplow'];

/** The name of a canonical column in a file. Raw exports prefix the cube's name; Snowplow's columns have no prefix. */
export function nameIn(vocabulary: Vocabulary, column: string): string {
  const field = eventFields.find((one) => one.column === column);
  if (!field) return column;
  if (vocabulary === 'snowplow') return field.snowplow ?? snowplowAlso(field) ?? field.column;
  const { documented, newer } = field;
  const name = vocabulary === 'documentation' ? (documented ?? newer) : (newer ?? documented);
  invariant(name !== undefined, `the column ${column} has a name in the platform's vocabularies`);
  return `TrackedEvents.${name}`;
}

/** Snowplow's older columns for fields that it now stores elsewhere. */
function snowplowAlso({ also = [] }: EventField): string | undefined {
  return also.find((name) => name.startsWith('br_'));
}

/** The texts of a page code in the spelling of the vocabulary. */
export function pageTextsIn(vocabulary: Vocabulary, texts: Texts): Texts {
  if (vocabulary === 'documentation') return texts;
  const type = texts['event_type'] === pageView.documented ? pageView.newer : texts['event_type'];
  if (vocabulary === 'newer') return { ...texts, event_type: type };
  const { event_type: _, doc_search: search, ...others } = texts;
  return {
    ...others,
    doc_search: String(search).replace(/^\?/, ''),
    event_type: type,
    event: type === pageView.newer ? type : 'unstruct',
    platform: 'web',
  };
}
