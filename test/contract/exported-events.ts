/** One event of an export, under the documented names. Unset fields are not in the file. */
export interface ExportedEvent {
  /** `YYYY-MM-DDTHH:mm:ss.SSS`, UTC. */
  readonly utcTime: string;
  readonly eventId?: string | null;
  readonly eventType?: string | null;
  readonly docPath?: string | null;
  readonly docHost?: string | null;
  readonly pageTitle?: string | null;
  readonly referer?: string | null;
  readonly targetUrl?: string | null;
  readonly userAnonymousId?: string | null;
  readonly userId?: string | null;
  readonly sessionId?: string | null;
  readonly projectId?: string | null;
  readonly agentName?: string | null;
  readonly useragent?: string | null;
  readonly localTzOffset?: number | null;
  readonly customEventName?: string | null;
}

export function writeNdjson(events: readonly ExportedEvent[]): string {
  return events.map((event) => `${JSON.stringify(event)}\n`).join('');
}

/** Quotes every field except missing ones. */
export function writeCsv(events: readonly ExportedEvent[]): string {
  const names = [...new Set(events.flatMap((event) => Object.keys(event)))] as (keyof ExportedEvent)[];
  const quoted = (value: unknown) => `"${String(value).replaceAll('"', '""')}"`;
  const lines = events.map((event) =>
    names.map((name) => (event[name] === undefined || event[name] === null ? '' : quoted(event[name]))).join(','),
  );
  return `${[names.join(','), ...lines].join('\n')}\n`;
}
