import { botCondition } from '../model/bot-agents.ts';
import { channelCase } from './channel-rules.ts';

/**
 * SQL macros for the source and campaign of a visit, so that each rule exists once and statements stay short. A macro
 * repeats its argument at each use. An expensive argument such as a host is therefore passed as a lambda's parameter
 * over a list of one, which plans and runs twice as fast.
 */

/**
 * Decodes a part of a URL's query (application/x-www-form-urlencoded): `+` becomes a space, and invalid UTF-8 becomes
 * U+FFFD, one for each maximal part of a character, as in the WHATWG Encoding Standard.
 */
const mended = `url_decode(array_to_string(list_transform(
    regexp_extract_all(replace(v, '+', ' '), '${utf8Piece()}'),
    lambda piece: CASE WHEN regexp_matches(piece, '(?i)^%[89a-f]') AND NOT regexp_full_match(piece, '${wholeCharacter()}') THEN '%EF%BF%BD' ELSE piece END), ''))`;
const formMended = `CREATE MACRO form_mended(v) AS ${mended}`;
const formDecoded = `CREATE MACRO form_decoded(v) AS coalesce(TRY(url_decode(replace(v, '+', ' '))), ${mended})`;

/** A percent-encoded multi-byte character, without surrogates and overlong forms. */
export function wholeCharacter(): string {
  const tail = '%[89ab][0-9a-f]';
  return `(?i)(?:%(?:c[2-9a-f]|d[0-9a-f])${tail}|(?:${threeBytes()})${tail}|(?:${fourBytes()})${tail}${tail})`;
}

/** The first two bytes of characters of three and of four bytes. */
function threeBytes(): string {
  return '%e0%[ab][0-9a-f]|%(?:e[1-9abcef])%[89ab][0-9a-f]|%ed%[89][0-9a-f]';
}

function fourBytes(): string {
  return '%f0%(?:9|a|b)[0-9a-f]|%f[1-3]%[89ab][0-9a-f]|%f4%8[0-9a-f]';
}

/** A whole character, or its longest valid prefix, or a single byte, or other text. */
export function utf8Piece(): string {
  const tail = '%[89ab][0-9a-f]';
  return `${wholeCharacter()}|(?:${fourBytes()})${tail}|${fourBytes()}|${threeBytes()}|%[0-9a-f]{2}|[^%]+|%`;
}

/** The first value of a parameter in a URL's query; NULL if it is missing or empty. */
const queryParameter = `CREATE MACRO query_parameter(query, parameter) AS
  CASE WHEN regexp_matches(query, parameter || '=|%') THEN CASE WHEN ${hasStrayBytes('query')}
    THEN ${firstValue('form_mended')} ELSE ${firstValue('form_decoded')} END END`;

function firstValue(decode: string): string {
  return `nullif(${decode}((list_transform(
    list_filter(
      string_split(regexp_replace(regexp_replace(query, '[\\t\\n\\r]', '', 'g'), '^\\?|[\\x00-\\x20]+$', '', 'g'), '&'),
      lambda pair: ${decode}(split_part(pair, '=', 1)) = parameter),
    lambda pair: substr(pair, length(split_part(pair, '=', 1)) + 2)))[1]), '')`;
}

/** Tests the whole text for invalid UTF-8 first, because an error that TRY catches takes a millisecond. */
function hasStrayBytes(text: string): string {
  return `(regexp_matches(${text}, '(?i)%[89a-f][0-9a-f]') AND regexp_matches(regexp_replace(${text}, '${wholeCharacter()}', ' ', 'g'), '(?i)%[89a-f][0-9a-f]'))`;
}

/** A campaign field: the event's own column, otherwise the parameter of the page's URL. */
const campaignField = `CREATE MACRO campaign_field(own, query, parameter) AS
  coalesce(nullif(own, ''), query_parameter(query, parameter))`;

const clean = `regexp_replace(regexp_replace(address, '^[\\x00-\\x20]+|[\\x00-\\x20]+$', '', 'g'), '[\\t\\n\\r]', '', 'g')`;
/** Patterns of addresses with their host. Source of `web`: the URL standard, which browsers follow. */
export const addresses = {
  // Browsers accept backslashes as slashes, and any number of slashes as two.
  web:
    '(?i)^(?:https?|wss?|ftp):[/\\\\]*(?:[^/\\\\?#]*@)?' +
    '(\\[[0-9a-f:.]+\\]|[^/\\\\?#:\\[\\]]+)(?::\\d{0,5})?(?:$|[/\\\\?#])',
  // Such as android-app://com.example.app.
  other: '^[a-zA-Z][a-zA-Z0-9+.-]*://(?:[^/?#]*@)?' + '(\\[[0-9a-fA-F:.]+\\]|[^/?#:\\[\\]]+)(?::\\d{0,5})?(?:$|[/?#])',
  bare: '^([\\pL\\pN_-]+(?:\\.[\\pL\\pN_-]+)*\\.\\pL[\\pL\\pN-]*)(?::\\d{1,5})?(?:$|[/?#])',
};

const webHost = `nullif(lower(regexp_extract(${clean}, '${addresses.web}', 1)), '')`;
const otherHost = `nullif(regexp_extract(${clean}, '${addresses.other}', 1), '')`;
const bareHost = `nullif(lower(regexp_extract(${clean}, '${addresses.bare}', 1)), '')`;
const isWeb = `regexp_matches(${clean}, '(?i)^(?:https?|wss?|ftp):')`;

// Most addresses have this form. Their host needs no further rule, and one pattern takes a fifth of the time.
const plainHost = `nullif(regexp_extract(address, '^https?://([a-z0-9.-]+)(?:[/?#]|$)', 1), '')`;

/** The host of a URL in lower case. Also accepts text that is only a host, such as `news.example`. */
const hostOf = `CREATE MACRO host_of(address) AS coalesce(${plainHost}, CASE
  WHEN address = '' OR address IS NULL THEN NULL
  WHEN ${isWeb} THEN decoded_host(${webHost})
  ELSE decoded_host(coalesce(${otherHost}, ${bareHost})) END)`;

const decodedHost = `CREATE MACRO decoded_host(host) AS
  nullif(regexp_extract(url_decoded(host), '^[^\\x00-\\x20<>^|%\\x7f\\\\/?#@]*$'), '')`;
const urlDecoded = `CREATE MACRO url_decoded(v) AS list_transform([v], lambda one: CASE WHEN contains(one, '%') THEN lower(TRY(url_decode(one))) ELSE one END)[1]`;

/** The host of a referrer, unless it is the page's own. */
const outsideHost = `CREATE MACRO outside_host(address, page_host) AS
  list_transform([host_of(address)], lambda led_here:
    CASE WHEN regexp_replace(led_here, '^www\\.', '') <> regexp_replace(lower(coalesce(page_host, '')), '^www\\.', '')
      THEN led_here END)[1]`;

/** The campaign's source, otherwise the host of an external referrer; NULL if neither is known. */
const trafficSource = `CREATE MACRO traffic_source(own, query, address, page_host) AS
  coalesce(campaign_field(own, query, 'utm_source'), outside_host(address, page_host))`;

const channelWords = {
  matches: (part: string, pattern: string) =>
    `regexp_full_match(${part === 'place' ? 'coalesce(v.source, v.host)' : `v.${part}`}, '${pattern}')`,
  isThere: (part: string) => `v.${part} IS NOT NULL`,
};

/** The channel by which a visit came; never NULL. */
const channel = `CREATE MACRO channel_of(own_source, own_medium, query, address, page_host) AS list_transform([struct_pack(
    source := nullif(lower(trim(campaign_field(own_source, query, 'utm_source'))), ''),
    medium := nullif(lower(trim(campaign_field(own_medium, query, 'utm_medium'))), ''),
    host := regexp_replace(outside_host(address, page_host), '^www\\.', ''))],
  lambda v: ${channelCase(channelWords)})[1]`;

export const deviceWords: Readonly<Record<string, readonly string[]>> = {
  desktop: ['desktop', 'computer', 'pc', 'personal computer', 'laptop'],
  mobile: ['mobile', 'phone', 'smartphone', 'mobile phone', 'feature phone', 'phablet', 'handset'],
  tablet: ['tablet', 'ipad'],
  tv: ['tv', 'smart tv', 'smarttv', 'television', 'connected tv', 'set-top box'],
  bot: ['bot', 'robot', 'spider', 'crawler', 'robot mobile'],
};

/** Patterns for the device class in a user agent; the first match counts. RE2, case-insensitive. */
export const agentSigns: readonly (readonly [deviceClass: string, pattern: string])[] = [
  ['tv', 'smart-?tv|googletv|apple ?tv|hbbtv|netcast|web0s|bravia|crkey|roku|\\baft[a-z]|viera|tizen.* tv'],
  ['tablet', 'ipad|tablet|playbook|kindle|silk/'],
  ['mobile', 'mobi|iphone|ipod|windows phone|blackberry|opera mini|fennec|symbian|nokia'],
  ['tablet', 'android'],
  ['desktop', 'windows nt|windows 9|macintosh|mac os x|x11|linux|cros|freebsd|openbsd'],
];

/** `desktop`, `mobile`, `tablet`, `tv`, `bot`, or the event's own word; NULL if unknown. */
const deviceClass = `CREATE MACRO device_class_of(own, agent_name, useragent) AS CASE
  ${Object.entries(deviceWords)
    .map(([word, words]) => `WHEN lower(trim(own)) IN (${words.map((one) => `'${one}'`).join(', ')}) THEN '${word}'`)
    .join('\n  ')}
  WHEN trim(own) <> '' AND lower(trim(own)) NOT IN ('unknown', '(not set)', 'other') THEN trim(own)
  WHEN ${botCondition(undefined)} THEN 'bot'
  ${agentSigns.map(([word, pattern]) => `WHEN regexp_matches(useragent, '(?i)${pattern}') THEN '${word}'`).join('\n  ')} END`;

/** The definitions; each may use earlier ones. */
export const visitMacros: readonly string[] = [
  formMended,
  formDecoded,
  queryParameter,
  campaignField,
  urlDecoded,
  decodedHost,
  hostOf,
  outsideHost,
  trafficSource,
  channel,
  deviceClass,
];
