/**
 * The columns of Snowplow's enriched events in the order of files without a header (docs.snowplow.io, "Enriched stream
 * TSV file format"). Earlier releases wrote the first 108 (up to R62) or 125 (up to R70); later releases only appended
 * columns. Tables of events lack the three JSON columns.
 */
export const snowplowColumns: readonly string[] = `
app_id platform etl_tstamp collector_tstamp dvce_created_tstamp event event_id txn_id name_tracker v_tracker v_collector v_etl
user_id user_ipaddress user_fingerprint domain_userid domain_sessionidx network_userid geo_country geo_region geo_city geo_zipcode
geo_latitude geo_longitude geo_region_name ip_isp ip_organization ip_domain ip_netspeed page_url page_title page_referrer
page_urlscheme page_urlhost page_urlport page_urlpath page_urlquery page_urlfragment refr_urlscheme refr_urlhost refr_urlport
refr_urlpath refr_urlquery refr_urlfragment refr_medium refr_source refr_term mkt_medium mkt_source mkt_term mkt_content mkt_campaign
contexts se_category se_action se_label se_property se_value unstruct_event tr_orderid tr_affiliation tr_total tr_tax tr_shipping
tr_city tr_state tr_country ti_orderid ti_sku ti_name ti_category ti_price ti_quantity pp_xoffset_min pp_xoffset_max pp_yoffset_min
pp_yoffset_max useragent br_name br_family br_version br_type br_renderengine br_lang br_features_pdf br_features_flash
br_features_java br_features_director br_features_quicktime br_features_realplayer br_features_windowsmedia br_features_gears
br_features_silverlight br_cookies br_colordepth br_viewwidth br_viewheight os_name os_family os_manufacturer os_timezone dvce_type
dvce_ismobile dvce_screenwidth dvce_screenheight doc_charset doc_width doc_height tr_currency tr_total_base tr_tax_base
tr_shipping_base ti_currency ti_price_base base_currency geo_timezone mkt_clickid mkt_network etl_tags dvce_sent_tstamp
refr_domain_userid refr_device_tstamp derived_contexts domain_sessionid derived_tstamp event_vendor event_name event_format
event_version event_fingerprint true_tstamp`
  .trim()
  .split(/\s+/);

const columnsOfJson = new Set(['contexts', 'unstruct_event', 'derived_contexts']);

const fewest = 108;

/**
 * The columns of a row by its number of fields; undefined if no release wrote so few. Unknown columns at the end are
 * named by position.
 */
export function snowplowColumnsOf(fields: number): readonly string[] | undefined {
  if (fields < fewest) return undefined;
  if (fields === snowplowColumns.length - columnsOfJson.size)
    return snowplowColumns.filter((column) => !columnsOfJson.has(column));
  return Array.from({ length: fields }, (_, index) => snowplowColumns[index] ?? `column ${index + 1}`);
}

const isTime = (field: string) => /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d/.test(field);

/** Whether a row looks like an enriched event: enough fields, with a platform and times in their places. */
export function looksLikeSnowplow(line: string): boolean {
  const [, platform, processed, collected, created, ...rest] = line.split('\t');
  return (
    rest.length + 5 >= fewest &&
    /^[a-z]*$/.test(platform!) &&
    isTime(collected!) &&
    [processed!, created!].every((field) => field === '' || isTime(field))
  );
}

/** Releases up to R70 wrote no event name and rarely a derived time. */
export function isOldSnowplow(header: readonly string[]): boolean {
  return !header.includes('event_name');
}

interface SnowplowRow {
  readonly columns: readonly string[];
  readonly fields: readonly string[];
}

/**
 * Fills gaps of such a release: the event class replaces the missing name, and the collector time a missing derived
 * time.
 */
export function withStandIns({ columns, fields }: SnowplowRow): SnowplowRow {
  const value = (column: string) => fields[columns.indexOf(column)] ?? '';
  const name = value('event') === 'unstruct' ? '' : value('event');
  const derived = columns.indexOf('derived_tstamp');
  const time = value('derived_tstamp') || value('collector_tstamp');
  return {
    columns: [...columns, ...(derived < 0 ? ['derived_tstamp'] : []), 'event_name'],
    fields: [...fields.map((field, index) => (index === derived ? time : field)), ...(derived < 0 ? [time] : []), name],
  };
}
