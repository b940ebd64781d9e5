/**
 * Signs of a bot in its agent's name or user agent, in lower case. Browsers of people contain none of these. They cover
 * crawlers, feed readers that fetch for a server, common HTTP libraries and command lines, link previews, and headless
 * browsers.
 */
export const botSigns: readonly string[] = [
  'bot',
  'crawl',
  'spider',
  'slurp',
  'archiver',
  'nutch',
  'ezooms',
  'spinn3r',
  'siteexplorer',
  'feedparser',
  'feed parser',
  'feedfetcher',
  'feed fetcher',
  'feedburner',
  'feedbin',
  'feedly',
  'feed-id=',
  'oldreader',
  'rss/',
  'livejournal.com',
  'curl/',
  'wget/',
  'python-',
  'python/',
  'ruby',
  'libwww',
  'libfetch',
  'go-http-client',
  'java/',
  'httpclient',
  'scrapy',
  'facebookexternalhit',
  'bingpreview',
  'mediapartners-google',
  'headless',
  'phantomjs',
  'lighthouse',
  'pingdom',
];

/** Cubot is a phone maker. */
const notABot = 'cubot';

/**
 * The SQL condition for an event of a bot: its agent's name or user agent contains one of `botSigns`, case-insensitive.
 * Events with neither count as a person's.
 */
export function botCondition(alias: string | undefined): string {
  const owner = alias === undefined ? '' : `${alias}.`;
  const agent = `replace(lower(concat(coalesce(${owner}agent_name, ''), ' ', coalesce(${owner}useragent, ''))), '${notABot}', '')`;
  return `(${botSigns.map((sign) => `${agent} LIKE '%${sign}%'`).join(' OR ')})`;
}
