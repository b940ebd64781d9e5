/** Longest gap between neighbouring events of one derived session, inclusive. */
export const longestGapMinutes = 30;

/** Columns that a session takes from its first event. */
export const firstEventColumns = [
  'user_id',
  'user_anonymous_id',
  'agent_name',
  'agent_version',
  'os_family',
  'os_name',
  'os_version',
  'os_version_major',
  'browser_language',
  'document_language',
  'viewport_size',
  'doc_host',
  'doc_path',
  'doc_search',
  'referer',
  'page_title',
  'useragent',
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_term',
  'utm_content',
  'country',
  'device_class',
] as const;

/** Columns that a user takes from their first session. */
export const firstSessionColumns = [
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'doc_search',
  'doc_host',
  'referer',
] as const;
