/**
 * The instant that a text names, as naive UTC TIMESTAMP; NULL if it names none. Accepts ISO 8601 as DuckDB reads it,
 * with `Z` or an offset, otherwise in UTC; or integer milliseconds since 1970 with twelve to fourteen digits (1973 to
 * 5138). The cast goes through TIMESTAMPTZ because DuckDB's cast to TIMESTAMP drops an offset. The form of raw exports
 * has a fast path.
 */
export function timeOfText(text: string): string {
  return `CASE WHEN ${text} LIKE '____-__-__T__:__:__.___' THEN TRY_CAST(${text} AS TIMESTAMP)
    ELSE coalesce(make_timestamp(epoch_us(TRY_CAST(${text} AS TIMESTAMPTZ))),
      CASE WHEN regexp_full_match(${text}, '[0-9]{12,14}') THEN make_timestamp(1000 * CAST(${text} AS BIGINT)) END) END`;
}

/** The instant of integer milliseconds since 1970, within the same bounds. */
export function timeOfWholeNumber(number: string): string {
  return `CASE WHEN ${number} BETWEEN 100000000000 AND 99999999999999 THEN make_timestamp(1000 * CAST(${number} AS BIGINT)) END`;
}

/** Limits times to years of four digits; DuckDB also reads `infinity` and the year 290,000. */
export const hasReadableTime =
  "coalesce(utc_time BETWEEN TIMESTAMP '0001-01-01' AND TIMESTAMP '9999-12-31 23:59:59.999999', false)";
