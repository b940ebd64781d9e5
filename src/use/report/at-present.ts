import { readZone } from '../../ask/time/zone.ts';
import type { FrontMatter } from '../../tell/notebook/notebook.ts';
import type { ReadNotebook } from '../../tell/notebook/read-notebook.ts';
import type { Settings } from '../config/settings.ts';
import { atPresent, type Session, zoneOf } from '../workspace/session.ts';

/**
 * The session with its clock stopped: every question of a report has the same present, that of the report's own zone.
 */
export function atPresentOf(session: Session, read: ReadNotebook): Session {
  const notebook = read.ok ? read.value : read.whatIsThere;
  return atPresent(session, session.now(zoneOfReport(notebook?.frontMatter ?? {}, session.settings)));
}

/** The zone of a report's days and of its schedule. */
export function zoneOfReport({ timezone }: Pick<FrontMatter, 'timezone'>, settings: Settings): string {
  const zone = timezone === undefined ? undefined : readZone(timezone);
  return zone?.ok ? zone.value : zoneOf(settings);
}
