import { BackendError } from '../../../ask/sluice-error.ts';
import { timeSpellings } from './event-columns.ts';
import type { EventSource } from './event-source.ts';
import { isTimeName } from './events-relation.ts';

/** A file that says in its head that its events have no time is not one of events. Error: `events-without-time`. */
export function demandTime(source: EventSource): void {
  const names = source.kind === 'csv' && source.style === 'headed' ? source.header : source.kind === 'parquet' ? source.columns.map((column) => column.name) : undefined;
  if (names === undefined || names.some(isTimeName) || source.kind === 'cleaned') return;
  throw new BackendError(`${source.kind === 'parquet' ? source.original ?? source.paths[0]! : source.paths[0]!} has no column for the time of its events.`, {
    code: 'events-without-time', hint: `It has ${names.slice(0, 8).join(', ')}${names.length > 8 ? ' …' : ''}. The time is called ${timeSpellings.slice(0, 3).join(', ')} or TrackedEvents.${timeSpellings[0]!}.`,
  });
}
