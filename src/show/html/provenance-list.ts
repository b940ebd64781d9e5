import { formatTime } from '../../shape/format/format-time.ts';
import type { SteadyProvenance } from '../../shape/provenance.ts';
import { describeRange } from '../chart/chart-texts.ts';
import { toShownText } from '../chart/vega-lite/names.ts';
import { toNotes } from '../notes.ts';
import { toShownXml } from '../picture/escape-xml.ts';

/** Where an answer comes from, as a list of HTML, and below it the notes that were not said before. */
export function writeProvenanceList(provenance: SteadyProvenance, said: readonly string[]): string {
  const { source, zone, asOf, freshness, queryHash } = provenance;
  const facts: readonly (readonly [string, string])[] = [
    ['Source', source],
    ['Range', `${describeRange(provenance) ?? 'all of time'}, ${zone}`],
    ['As of', formatTime(asOf)],
    ...(freshness === null ? [] : [['Latest event', formatTime(freshness)] as const]),
    ['Query', queryHash],
  ];
  const list = facts.map(([name, fact]) => `<dt>${name}</dt><dd>${toShownXml(fact)}</dd>`).join('\n');
  const notes = toNotes(provenance).map(({ text }) => toShownText(text)).filter((text) => !said.includes(text));
  return `<dl>\n${list}\n</dl>\n${notes.map((text) => `<p class="aside">${toShownXml(text)}</p>\n`).join('')}`;
}
