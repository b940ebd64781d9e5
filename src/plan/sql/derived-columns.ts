/** Longest time between two neighbouring events of one derived session, ends included. */
export const longestGapMinutes = 30;

/** The first event's own columns that a session carries on. */
export const firstEventColumns = [
  'user_id',
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

/** The first session's own columns that a user carries on. */
export const firstSessionColumns = [
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'doc_search',
  'doc_host',
  'referer',
] as const;
