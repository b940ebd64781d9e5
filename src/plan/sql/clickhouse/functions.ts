import { botCondition } from '../../model/bot-agents.ts';
import { timePattern } from '../../model/property-sql.ts';
import { channelCase } from '../channel-rules.ts';
import { addresses, agentSigns, deviceWords, utf8Piece, wholeCharacter } from '../visit-macros.ts';
import { quoteClickHouseText as quoted } from './dialect.ts';

const channelWords = {
  matches: (part: string, pattern: string) =>
    `ifNull(match(${part === 'place' ? 'coalesce(of_source, of_host)' : `of_${part}`}` +
    `, ${quoted(`^(?:${pattern})$`)}), 0)`,
  isThere: (part: string) => `of_${part} IS NOT NULL`,
};

/**
 * The functions that built-in cubes and analyses call. They are lambdas before a statement, so that users without the
 * right to create functions can query. Each equals the embedded engine's macro of the same name.
 */
const functions: Readonly<Record<string, string>> = {
  epoch_us: '(instant) -> toUnixTimestamp64Micro(instant)',
  cohort_sizes:
    '(cohort_begun, cohort_value, cohort_size) -> arraySum(one_cohort -> one_cohort.3, groupUniqArray(tuple(cohort_begun, cohort_value, cohort_size)))',
  // Its times have no other years.
  time_of_text: `(zone_of_days, written) -> if(match(ifNull(written, ''), ${quoted(`^(?:${timePattern('(?:19|2[0-2])\\d\\d')})$`)}) AND time_of_form(written) IS NOT NULL,
    if(length(ifNull(written, '')) = 10, toTimeZone(toDateTime64(toDate32OrNull(written), 6, zone_of_days), 'UTC'), time_of_form(written)), NULL)`,
  time_of_form: `(formed) -> parseDateTime64BestEffortOrNull(replaceAll(replaceAll(replaceAll(replaceAll(upper(formed), ',', '.'), ' UTC', 'Z'), ' +', '+'), ' -', '-'), 6, 'UTC')`,
  isfinite: '(instant) -> true',
  suffix: '(whole, end) -> endsWith(whole, end)',
  starts_with: '(whole, front) -> startsWith(whole, front)',
  chr: '(code) -> char(code)',
  regexp_full_match: "(whole, pattern) -> match(whole, concat('^(?:', pattern, ')$'))",
  form_decoded: `(encoded) -> if(isValidUTF8(decodeURLFormComponent(encoded)), decodeURLFormComponent(encoded), arrayStringConcat(arrayMap(
    piece -> if(match(piece, '(?i)^%[89a-f]') AND NOT match(piece, ${quoted(`^(?:${wholeCharacter()})$`)}), '\u{fffd}', decodeURLComponent(piece)),
    extractAll(replaceAll(encoded, '+', ' '), ${quoted(utf8Piece())}))))`,
  query_parameter: `(address_query, parameter) -> if(position(ifNull(address_query, ''), concat(parameter, '=')) > 0 OR position(ifNull(address_query, ''), '%') > 0,
    nullIf(form_decoded(arrayMap(pair -> substring(pair, length(splitByChar('=', pair)[1]) + 2), arrayFilter(
      pair -> form_decoded(splitByChar('=', pair)[1]) = parameter,
      splitByChar('&', replaceRegexpAll(replaceRegexpAll(ifNull(address_query, ''), ${quoted('[\\t\\n\\r]')}, ''), ${quoted('^\\?|[\\x00-\\x20]+$')}, ''))))[1]), ''), NULL)`,
  campaign_field: `(own_field, page_query, field_parameter) -> coalesce(nullIf(own_field, ''), query_parameter(page_query, field_parameter))`,
  clean_address: `(dirty) -> replaceRegexpAll(replaceRegexpAll(ifNull(dirty, ''), ${quoted('^[\\x00-\\x20]+|[\\x00-\\x20]+$')}, ''), ${quoted('[\\t\\n\\r]')}, '')`,
  url_decoded: `(still_encoded) ->
    if(position(still_encoded, '%') = 0, still_encoded,
    if(isValidUTF8(decodeURLComponent(still_encoded)),
    lowerUTF8(decodeURLComponent(still_encoded)), NULL))`,
  decoded_host: `(plain_host) -> nullIf(extract(ifNull(url_decoded(plain_host), ''), ${quoted('^[^\\x00-\\x20<>^|%\\x7f\\\\/?#@]*$')}), '')`,
  host_of: `(address) -> if(ifNull(address, '') = '', NULL, decoded_host(if(match(clean_address(address), '(?i)^(?:https?|wss?|ftp):'),
    lowerUTF8(regexpExtract(clean_address(address), ${quoted(addresses.web)}, 1)),
    coalesce(nullIf(regexpExtract(clean_address(address), ${quoted(addresses.other)}, 1), ''),
      lowerUTF8(regexpExtract(clean_address(address), ${quoted(addresses.bare)}, 1))))))`,
  without_www: `(full_host) -> replaceRegexpOne(lowerUTF8(full_host), ${quoted('^www\\.')}, '')`,
  led_here: `(from_host, on_host) -> if(replaceRegexpOne(from_host, ${quoted('^www\\.')}, '') <> without_www(ifNull(on_host, '')), from_host, NULL)`,
  traffic_source: `(own_source, source_query, source_address, source_host) ->
    coalesce(campaign_field(own_source, source_query, 'utm_source'),
    led_here(host_of(source_address), source_host))`,
  channel_of: `(own_source, own_medium, source_query, source_address, source_host) -> arrayMap((of_source, of_medium, of_host) -> ${channelCase(channelWords)},
    [nullIf(lowerUTF8(trim(campaign_field(own_source, source_query, 'utm_source'))), '')],
    [nullIf(lowerUTF8(trim(campaign_field(own_medium, source_query, 'utm_medium'))), '')],
    [without_www(led_here(host_of(source_address), source_host))])[1]`,
  device_class_of: `(own_class, agent_name, useragent) -> CASE ${Object.entries(deviceWords)
    .map(([word, words]) => `WHEN lowerUTF8(trim(own_class)) IN (${words.map(quoted).join(', ')}) THEN '${word}'`)
    .join(
      ' ',
    )} WHEN trim(own_class) <> '' AND lowerUTF8(trim(own_class)) NOT IN ('unknown', '(not set)', 'other') THEN trim(own_class)
    WHEN ${botCondition(undefined)} THEN 'bot' ${agentSigns.map(([word, pattern]) => `WHEN match(useragent, ${quoted(`(?i)${pattern}`)}) THEN '${word}'`).join(' ')} END`,
};

/** Matches `events` as a relation. Elsewhere the word is the name of a column, or text. */
const readsEvents = /"events"|(?:\b(?:FROM|JOIN)\s|,)\s*events\b/i;

/**
 * Adds the functions that a statement calls, and its relation of events, before the statement. `eventsFor` returns the
 * SQL of the events that a text reads.
 */
export function withClickHouseFunctions(text: string, eventsFor: (statement: string) => string): string {
  const called = new Set<string>();
  const find = (code: string) => {
    for (const [word] of code.matchAll(/\b[a-z_]+(?=\()/g)) {
      const body = functions[word];
      if (body === undefined || called.has(word)) continue;
      called.add(word);
      find(body);
    }
  };
  find(text);
  const events = readsEvents.test(text)
    ? eventsFor([text, ...[...called].map((word) => functions[word])].join('\n'))
    : undefined;
  if (events !== undefined) find(events);
  const tables = [
    ...Object.keys(functions)
      .filter((word) => called.has(word))
      .map((word) => `${functions[word]} AS ${word}`),
    ...(events === undefined ? [] : [`"events" AS (${events})`]),
  ];
  if (tables.length === 0) return text;
  const rest = /^\s*WITH\s/i.test(text) ? text.replace(/^\s*WITH\s/i, ', ') : `\n${text}`;
  return `WITH ${tables.join(',\n')}${rest}`;
}
