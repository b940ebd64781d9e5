/**
 * The channel by which a visit came, from the source and medium of its campaign and the host of an external referrer,
 * all in lower case and without `www.`. The first rule that matches counts. The channels and media are those of the
 * default channel group of Google Analytics, without its divisions by shopping and video, and with AI assistants.
 */

const paid = '.*cp.*|ppc|retargeting|paid.*';

/** A domain at any depth, with a country or other ending: `google.co.uk`, `de.search.yahoo.com`. */
const domain = (names: string) => `(?:.+\\.)?(?:${names})(?:\\.[a-z]{2,3}){1,2}`;
const hosts = (names: string) => `(?:.+\\.)?(?:${names})`;

const search = [
  'google|bing|duckduckgo|yahoo|yandex|baidu|ecosia|qwant|startpage|brave|kagi|naver|seznam|sogou',
  '(?:(?:images|encrypted|cse|m|lens)\\.)?google(?:\\.[a-z]{2,3}){1,2}',
  domain('bing|duckduckgo|yandex|baidu|ecosia|qwant|startpage|kagi|naver|seznam|sogou|swisscows|mojeek|presearch'),
  hosts('search\\.(?:yahoo|brave|aol|naver|seznam)(?:\\.[a-z]{2,3}){1,2}|yahoo\\.(?:com|co\\.jp)'),
  'com\\.google\\.android\\.googlequicksearchbox',
].join('|');

const social = [
  'facebook|fb|instagram|ig|twitter|linkedin|reddit|pinterest|tiktok|youtube|snapchat|threads|bluesky|mastodon',
  'whatsapp|telegram|discord|quora|xing|hackernews',
  domain(
    'facebook|instagram|twitter|linkedin|reddit|pinterest|tiktok|youtube|snapchat|tumblr|whatsapp|quora|xing|weibo',
  ),
  hosts(
    'fb\\.(?:com|me)|x\\.com|lnkd\\.in|redd\\.it|pin\\.it|youtu\\.be|threads\\.(?:net|com)|bsky\\.app|vk\\.com|ok\\.ru',
  ),
  hosts('mastodon\\.social|wa\\.me|telegram\\.org|discord\\.com|news\\.ycombinator\\.com|lobste\\.rs'),
  't\\.co|t\\.me|com\\.(?:facebook|instagram|twitter|linkedin|reddit|pinterest)\\..+',
].join('|');

const assistants = [
  'chatgpt|openai|perplexity|claude|gemini|copilot',
  hosts('chatgpt\\.com|openai\\.com|perplexity\\.ai|claude\\.ai|deepseek\\.com|poe\\.com|phind\\.com|you\\.com'),
  hosts('copilot\\.microsoft\\.com|(?:gemini|bard)\\.google\\.com|mistral\\.ai|grok\\.com|meta\\.ai'),
].join('|');

const mailWords = 'e[-_ ]?mail|newsletters?|mail';
const mail = [
  mailWords,
  'webmail\\..+|mail\\.(?:google|yahoo|yandex|aol|ru|proton|qq|naver)(?:\\..+)?|com\\.google\\.android\\.gm',
  'outlook\\.(?:live|office|office365)\\.com|(?:.+\\.)?mail\\.(?:yahoo|proton)\\..+',
].join('|');

/** A whole value of these; `source` is that of the campaign, `place` the same or else the host of the referrer. */
type Part = 'source' | 'medium' | 'host' | 'place';

interface Words {
  /** Whether the whole value matches a regular expression (RE2). */
  readonly matches: (part: Part, pattern: string) => string;
  readonly isThere: (part: Part) => string;
}

/** A CASE expression for the channel. */
export function channelCase({ matches, isThere }: Words): string {
  const rules: readonly (readonly [channel: string, condition: string])[] = [
    ['Paid search', `${matches('medium', paid)} AND ${matches('place', search)}`],
    ['Paid social', `${matches('medium', paid)} AND ${matches('place', social)}`],
    ['Display', matches('medium', 'display|banner|expandable|interstitial|cpm')],
    ['Paid other', matches('medium', paid)],
    ['AI assistants', matches('place', assistants)],
    ['Organic social', `${matches('medium', 'social(?:[-_ ](?:network|media))?|sm')} OR ${matches('place', social)}`],
    ['Email', `${matches('medium', mailWords)} OR ${matches('place', mail)}`],
    ['Affiliates', matches('medium', 'affiliates?')],
    ['Organic search', `${matches('medium', 'organic')} OR ${matches('place', search)}`],
    ['Referral', `${matches('medium', 'referral|app|link')} OR NOT ${isThere('source')} AND ${isThere('host')}`],
    ['Other campaign', `${isThere('source')} OR ${isThere('medium')}`],
  ];
  return `CASE ${rules.map(([channel, condition]) => `WHEN ${condition} THEN '${channel}'`).join('\n    ')} ELSE 'Direct' END`;
}
