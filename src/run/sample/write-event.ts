import type { SampleEvent } from './visit.ts';
import type { Visitor } from './visitors.ts';
import { writeLocal } from '../../ask/time/local-time.ts';

/** No event is longer, in bytes. */
export const longestEvent = 8192;

/**
 * Writes an event under the names of a raw export, one line of NDJSON with its end, into `target` at `offset`, and
 * gives the offset behind it. There must be room for `longestEvent` bytes.
 */
export function writeEvent(event: SampleEvent, target: Buffer, offset: number): number {
  const { visitor } = event;
  const head = `{"TrackedEvents.utcTime":"${writeLocal(event.time)}"${text('userAnonymousId', visitor.anonymousId)}${text('userId', event.userId)}${
    text('sessionId', event.sessionId)},"TrackedEvents.eventnCtxEventId":"${event.id}","TrackedEvents.projectId":"${event.project}","TrackedEvents.eventType":"${event.type}"`;
  const tail = `${escaped('pageTitle', event.title)},"TrackedEvents.referer":"${event.referer}"${text('targetUrl', event.target)}${
    text('elementId', event.element)}${text('customEventName', event.name)}${escaped('customEventProps', event.props)}}\n`;
  let end = offset + target.write(head, offset, 'latin1');
  end += writePage(event).copy(target, end);
  end += writeVisitor(visitor).copy(target, end);
  return end + target.write(tail, end);
}

const writtenPages = new Map<string, Buffer>();

/** The few pages of the site, in the bytes that they are written in. */
function writePage({ host, path, search }: SampleEvent): Buffer {
  const url = `https://${host}${path}${search}`;
  let written = writtenPages.get(url);
  if (!written) {
    written = Buffer.from(`${text('docHost', host)}${text('docPath', path)}${text('docSearch', search)}${text('url', url)}`);
    writtenPages.set(url, written);
  }
  return written;
}

const writtenVisitors = new WeakMap<Visitor, Buffer>();

/** What all events of a visitor share. */
function writeVisitor(visitor: Visitor): Buffer {
  let written = writtenVisitors.get(visitor);
  if (!written) {
    const { browser, place } = visitor;
    written = Buffer.from(`${text('agentName', browser.agentName)}${text('agentVersion', browser.agentVersion)}${text('osFamily', browser.osFamily)}${
      text('osName', browser.osName)}${text('useragent', browser.useragent)}${text('userLanguage', place.language)}${
      text('documentLanguage', place.language.slice(0, 2))}${text('vpSize', visitor.viewport)},"TrackedEvents.localTzOffset":${place.offset}${text('docEncoding', 'UTF-8')}`);
    writtenVisitors.set(visitor, written);
  }
  return written;
}

/** For values of the site's own, in which JSON escapes nothing. */
function text(field: string, value: string | undefined): string {
  return value === undefined ? '' : `,"TrackedEvents.${field}":"${value}"`;
}

function escaped(field: string, value: string | undefined): string {
  return value === undefined ? '' : `,"TrackedEvents.${field}":${JSON.stringify(value)}`;
}

/** All fields of a sample event; the time and the offset are no text. */
export const sampleFields = [
  'utcTime', 'userAnonymousId', 'userId', 'sessionId', 'eventnCtxEventId', 'projectId', 'eventType', 'docHost', 'docPath', 'docSearch', 'url',
  'pageTitle', 'referer', 'agentName', 'agentVersion', 'osFamily', 'osName', 'useragent', 'userLanguage', 'documentLanguage', 'vpSize',
  'localTzOffset', 'docEncoding', 'targetUrl', 'elementId', 'customEventName', 'customEventProps',
] as const;
