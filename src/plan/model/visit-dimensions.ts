import type { DimensionDefinition } from './define-cube.ts';

/** The fields of a campaign, with the URL parameters that contain the same values. */
const campaignFields = [
  { name: 'utmSource', parameter: 'utm_source', label: 'Campaign source', example: 'newsletter' },
  { name: 'utmMedium', parameter: 'utm_medium', label: 'Campaign medium', example: 'email' },
  { name: 'utmCampaign', parameter: 'utm_campaign', label: 'Campaign', example: 'spring-sale' },
  { name: 'utmTerm', parameter: 'utm_term', label: 'Campaign term', example: 'kettles' },
  { name: 'utmContent', parameter: 'utm_content', label: 'Campaign content', example: 'header-link' },
] as const;

const trafficSource = 'traffic_source({CUBE}.utm_source, {CUBE}.doc_search, {CUBE}.referer, {CUBE}.doc_host)';

const channel = 'channel_of({CUBE}.utm_source, {CUBE}.utm_medium, {CUBE}.doc_search, {CUBE}.referer, {CUBE}.doc_host)';

function campaignSql(parameter: string): string {
  return `campaign_field({CUBE}.${parameter}, {CUBE}.doc_search, '${parameter}')`;
}

/**
 * The source and campaign of a visit, per event; a session takes them from its first event. Macros of
 * `plan/sql/visit-macros.ts` compute them, so that files and stores agree.
 */
export const visitDimensions: Readonly<Record<string, DimensionDefinition>> = {
  ...Object.fromEntries(
    campaignFields.map(({ name, parameter, label, example }): [string, DimensionDefinition] => [
      name,
      {
        label,
        description: `${label}, from a column or ${parameter} in the page's address: ${example}.`,
        sql: campaignSql(parameter),
        local: true,
      },
    ]),
  ),
  referrerHost: {
    label: 'Referrer host',
    description: 'Host of the page that led here: news.example.com.',
    sql: 'host_of({CUBE}.referer)',
    local: true,
  },
  trafficSource: {
    label: 'Traffic source',
    description: 'Campaign source, or else the referrer host if it is another site. Empty for direct visits.',
    sql: trafficSource,
    local: true,
  },
  country: {
    label: 'Country',
    description: 'Country of the user, as the events have it.',
    sql: '{CUBE}.country',
    local: true,
  },
  deviceClass: {
    label: 'Device class',
    description: 'desktop, mobile, tablet, tv or bot, from a column or the user agent.',
    sql: 'device_class_of({CUBE}.device_class, {CUBE}.agent_name, {CUBE}.useragent)',
    local: true,
  },
};

/** How a session came, and its first and last page. */
export const sessionDimensions: Readonly<Record<string, DimensionDefinition>> = {
  channel: {
    label: 'Channel',
    description: 'How the visit came, from campaign and referrer: Organic search, Email, Referral, Direct.',
    sql: channel,
    local: true,
  },
  landingPage: {
    label: 'Landing page',
    description: "Path of the session's first page view that has one.",
    sql: '{CUBE}.landing_page',
    local: true,
  },
  exitPage: {
    label: 'Exit page',
    description: "Path of the session's last page view that has one.",
    sql: '{CUBE}.exit_page',
    local: true,
  },
};

/** The source of a user's first session. */
export const firstTouchDimensions: Readonly<Record<string, DimensionDefinition>> = {
  firstTouchSource: {
    label: 'First-touch source',
    description: "Traffic source of the user's first session. Empty if that one was a direct visit.",
    sql: trafficSource,
    local: true,
  },
  firstTouchChannel: {
    label: 'First-touch channel',
    description: "Channel of the user's first session.",
    sql: channel,
    local: true,
  },
  firstTouchMedium: {
    label: 'First-touch medium',
    description: "Campaign medium of the user's first session.",
    sql: campaignSql('utm_medium'),
    local: true,
  },
  firstTouchCampaign: {
    label: 'First-touch campaign',
    description: "Campaign of the user's first session.",
    sql: campaignSql('utm_campaign'),
    local: true,
  },
};
