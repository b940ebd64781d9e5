/**
 * What gives a robot away in its agent's name or useragent, in lower case. People's browsers hold none of these:
 * crawlers say what they are, feed readers fetch for a server rather than for a reader, and the rest are the
 * usual libraries, command lines, link previews and browsers without a screen.
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

/** Cubot is a maker of phones. */
const notABot = 'cubot';

/**
 * The condition, as SQL, under which an event comes from a robot: its agent's name or useragent holds one of
 * `botSigns`, whatever the letter case. An event that tells neither counts as a person's.
 */
export function botCondition(alias: string | undefined): string {
  const owner = alias === undefined ? '' : `${alias}.`;
  const agent = `replace(lower(concat(coalesce(${owner}agent_name, ''), ' ', coalesce(${owner}useragent, ''))), '${notABot}', '')`;
  return `(${botSigns.map((sign) => `${agent} LIKE '%${sign}%'`).join(' OR ')})`;
}
