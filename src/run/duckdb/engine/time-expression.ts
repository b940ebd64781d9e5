/**
 * The instant that a text names, as naive UTC TIMESTAMP; NULL if it names none. Accepts what `instantOfText` reads, or
 * integer milliseconds since 1970 with twelve to fourteen digits (1973 to 5138).
 */
export function timeOfText(text: string): string {
  return `coalesce(${instantOfText(text)},
    CASE WHEN regexp_full_match(${text}, '[0-9]{12,14}') THEN make_timestamp(1000 * CAST(${text} AS BIGINT)) END)`;
}

/**
 * The instant of a text in DuckDB's form of ISO 8601, as naive UTC TIMESTAMP: with an offset, with a zone's name, or in
 * UTC. A text that is not a time is read in its `otherForm`. The usual forms have a fast path.
 *
 * The casts go through TIMESTAMPTZ because DuckDB's cast to TIMESTAMP drops an offset. Texts with a zone's name have a
 * cast of their own, because DuckDB reads the texts after them in their zone. It also guesses the zone of an
 * abbreviation: BST means Bangladesh, and PST has daylight saving time. Here, those of `abbreviations` have the offset
 * of their name, and all others of two or three letters are not times. Nor are those with a year of two digits, which
 * DuckDB takes for one of antiquity.
 */
export function instantOfText(text: string, otherForm?: (text: string) => string): string {
  const isIn = (...forms: readonly string[]) => forms.map((form) => `${text} LIKE '${form}'`).join(' OR ');
  // The last one may end with an offset.
  const unnamedForms = isIn('____-__-__T__:__:__.___Z', '____-__-__T__:__:__Z', '____-__-__ __:__:__.______');
  const isNamed = `CASE WHEN ${unnamedForms} THEN false ELSE regexp_matches(${text}, '[A-Za-z]{2}') END`;
  const offset = `${offsets}[upper(regexp_extract(${text}, '([A-Za-z]+)\\s*$', 1))]`;
  // DuckDB reads an offset after a blank as the name of a zone, and searches all zones for it.
  const packed = `CASE WHEN ${isIn('% +%', '% -%')} THEN regexp_replace(${text}, '(:[0-9]{2}(?:[.][0-9]+)?)\\s+([+-][0-9]{2}(?::?[0-9]{2})?\\s*)$', '\\1\\2') ELSE ${text} END`;
  const unnamed = `CASE WHEN ${isNamed} THEN regexp_replace(${text}, '\\s*[A-Za-z]+\\s*$', '') || ${offset} ELSE ${packed} END`;
  const named = `CASE WHEN ${isNamed} AND regexp_matches(${text}, '${zoneName}\\s*$') THEN ${text} END`;
  const cast = (form: string) => `TRY_CAST(${form} AS TIMESTAMPTZ)`;
  const values = [unnamed, named];
  const others = (toForm: (text: string) => string) =>
    withValue(
      `list_transform([${values.join(', ')}], lambda each: ${toForm('each')})`,
      'others',
      (forms) => `coalesce(${values.map((_, index) => cast(`${forms}[${index + 1}]`)).join(', ')})`,
    );
  const instants = [...values.map(cast), ...(otherForm ? [others(otherForm)] : [])];
  return `CASE WHEN ${isIn('____-__-__T__:__:__.___', '____-__-__ __:__:__')} THEN TRY_CAST(${text} AS TIMESTAMP)
    WHEN ${unnamedForms} OR regexp_matches(${text}, '^\\s*[0-9]{4}') THEN make_timestamp(epoch_us(coalesce(${instants.join(', ')}))) END`;
}

/**
 * Computes a value once for an expression that repeats it by this name. Without this, DuckDB plans each repetition,
 * which takes longer than reading a small file.
 */
export function withValue(value: string, name: string, use: (bound: string) => string): string {
  return `list_transform([${value}], lambda ${name}: ${use(name)})[1]`;
}

/** A zone's name: `Europe/Berlin`, `UTC+3`, `EST5EDT` or `Singapore`. */
const zoneName = '([A-Za-z]+/[A-Za-z0-9_/+-]+|[A-Za-z]{3}[+-]?[0-9][A-Za-z0-9:]*|[A-Za-z]{4,})';

/** The zones of RFC 2822, with their hours from UTC. */
export const rfcZones = { EST: -5, EDT: -4, CST: -6, CDT: -5, MST: -7, MDT: -6, PST: -8, PDT: -7 };

/** Abbreviations that have one meaning outside of RFC 2822. CST is also the time of China, BST and IST have several. */
const { CST: _, ...americanZones } = rfcZones;
const abbreviations = {
  ...{ UTC: 0, GMT: 0, UT: 0, WET: 0, WEST: 1, CET: 1, CEST: 2, EET: 2, EEST: 3, JST: 9 },
  ...americanZones,
};

/** A text for a pattern with `%Z`, with zone names instead of `abbreviations`; NULL if DuckDB would guess the zone. */
export function withZoneNames(text: string): string {
  // The signs of these names are inverted.
  const nameOf = (hours: number) => (hours === 0 ? 'Etc/UTC' : `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`);
  const named = Object.entries(abbreviations).reduce(
    (so, [name, hours]) => `regexp_replace(${so}, '(?i)\\b${name}\\b', '${nameOf(hours)}')`,
    text,
  );
  return `CASE WHEN NOT regexp_matches(${text}, '(?i)\\b(${guessed.join('|')})\\b') THEN ${named} END`;
}

/** Abbreviations with several meanings, of which DuckDB takes one. */
const guessed = [
  ...['ACT', 'AET', 'AGT', 'ART', 'AST', 'BET', 'BST', 'CNT', 'CST', 'CTT', 'ECT', 'IET', 'IST', 'MIT', 'NET', 'NST'],
  ...['PLT', 'PNT', 'PRT', 'SST', 'VST'],
];

/** One text constant, because DuckDB plans many constants slowly. */
const offsets = `CAST('{${Object.entries(abbreviations)
  .map(([name, hours]) => `${name}=${hours < 0 ? '-' : '+'}${String(Math.abs(hours)).padStart(2, '0')}`)
  .join(', ')}}' AS MAP(VARCHAR, VARCHAR))`;

/** The instant of integer milliseconds since 1970, within the same bounds. */
export function timeOfWholeNumber(number: string): string {
  return `CASE WHEN ${number} BETWEEN 100000000000 AND 99999999999999 THEN make_timestamp(1000 * CAST(${number} AS BIGINT)) END`;
}

/** Limits times to years of four digits; DuckDB also reads `infinity` and the year 290,000. */
export const hasReadableTime =
  "coalesce(utc_time BETWEEN TIMESTAMP '0001-01-01' AND TIMESTAMP '9999-12-31 23:59:59.999999', false)";
