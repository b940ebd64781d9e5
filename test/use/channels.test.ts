import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { open } from '../../src/use/index.ts';
import { runs } from '../runs.ts';
import { folderOf, now } from './run-in-folder.ts';

interface Visit {
  readonly source: string | null;
  readonly medium: string | null;
  readonly referer: string | null;
}

const searchHosts = ['www.google.de', 'google.co.uk', 'images.google.com', 'www.bing.com', 'de.search.yahoo.com'];
const socialHosts = ['m.facebook.com', 'l.instagram.com', 'x.com', 't.co', 'www.linkedin.com', 'old.reddit.com'];
const assistantHosts = ['chatgpt.com', 'www.perplexity.ai', 'gemini.google.com', 'copilot.microsoft.com'];
const mailHosts = ['mail.google.com', 'outlook.live.com', 'mail.yahoo.com', 'webmail.firm.example'];
const otherHosts = [
  'news.example',
  'ask.firm.example',
  'google.firm.example',
  'notfacebook.com',
  'x.community',
  'docs.google.com',
];
const ownHosts = ['shop.example', 'www.shop.example'];
const names = {
  search: ['google', 'bing', 'duckduckgo', 'Google'],
  social: ['facebook', 'instagram', 'x.com', 'Reddit'],
  assistant: ['chatgpt.com', 'perplexity'],
  mail: ['newsletter', 'email', 'E-Mail'],
  other: ['partner', 'spring', 'googler'],
};
const paidMedia = ['cpc', 'CPC', 'ppc', 'paid_social', 'cpm', 'retargeting'];

/** The rules in words of their own, over sets. */
function channelOf({ source, medium, referer }: Visit): string {
  const host = referer === null ? undefined : new URL(referer).hostname;
  const outside = host === undefined || ownHosts.includes(host) ? undefined : host;
  const kindOf = (place: string) =>
    (Object.entries(names).find(([, list]) => list.includes(place))?.[0] as keyof typeof names | undefined) ??
    (searchHosts.includes(place) ? 'search' : undefined) ??
    (socialHosts.includes(place) ? 'social' : undefined) ??
    (assistantHosts.includes(place) ? 'assistant' : undefined) ??
    (mailHosts.includes(place) ? 'mail' : 'other');
  const place = source ?? outside;
  const kind = place === undefined ? undefined : kindOf(place);
  const isPaid = medium !== null && paidMedia.includes(medium);
  if (isPaid && kind === 'search') return 'Paid search';
  if (isPaid && kind === 'social') return 'Paid social';
  if (medium === 'display' || medium === 'cpm') return 'Display';
  if (isPaid) return 'Paid other';
  if (kind === 'assistant') return 'AI assistants';
  if (medium === 'social' || kind === 'social') return 'Organic social';
  if (medium === 'email' || medium === 'Newsletter' || kind === 'mail') return 'Email';
  if (medium === 'affiliate') return 'Affiliates';
  if (medium === 'organic' || kind === 'search') return 'Organic search';
  if (medium === 'referral' || (source === null && outside !== undefined)) return 'Referral';
  return source !== null || medium !== null ? 'Other campaign' : 'Direct';
}

const visit = fc.record({
  source: fc.constantFrom(null, null, ...Object.values(names).flat()),
  medium: fc.constantFrom(
    null,
    null,
    ...paidMedia,
    'display',
    'social',
    'email',
    'Newsletter',
    'affiliate',
    'organic',
    'referral',
    'print',
  ),
  referer: fc.constantFrom(
    null,
    ...[...searchHosts, ...socialHosts, ...assistantHosts, ...mailHosts, ...otherHosts, ...ownHosts].map(
      (host) => `https://${host}/a`,
    ),
  ),
});

const eventOf = ({ source, medium, referer }: Visit, index: number, asParameters: boolean) => {
  const campaign = Object.entries({ utm_source: source, utm_medium: medium }).filter((entry) => entry[1] !== null);
  const query = new URLSearchParams(campaign as [string, string][]);
  return {
    utcTime: new Date(Date.UTC(2024, 2, 1, 10, index)).toISOString(),
    eventType: 'pageview',
    userAnonymousId: `u${index}`,
    url: `https://shop.example/${asParameters ? `?${query.toString()}` : ''}`,
    referer,
    ...(asParameters ? {} : Object.fromEntries(campaign)),
  };
};

const lines = (events: readonly object[]) => events.map((event) => `${JSON.stringify(event)}\n`).join('');

describe('the channel of a session', () => {
  it('follows from campaign and referrer as its rules say, in columns or in the address', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(visit, { minLength: 20, maxLength: 40 }),
        fc.boolean(),
        async (visits, asParameters) => {
          const folder = folderOf({ 'a.ndjson': lines(visits.map((one, index) => eventOf(one, index, asParameters))) });
          await using sluice = await open({ workspace: folder.root, env: {}, now: () => now, events: 'a.ndjson' });
          const found = await sluice.query('Sessions.count by channel, startAt.minute');
          const rows = found.rows() as readonly Readonly<Record<string, unknown>>[];
          const byTime = rows
            .map((row) => [String(row['Sessions.startAt.minute']), row['Sessions.channel']])
            .toSorted();
          expect(byTime.map(([, channel], index) => [visits[index], channel])).toEqual(
            visits.map((one) => [one, channelOf(one)]),
          );
        },
      ),
      { numRuns: runs(8) },
    );
  });

  it('is that of the first session for a user, and Direct if nothing is known, as a note says', async () => {
    const [mail, ad] = [
      { source: 'newsletter', medium: 'email', referer: null },
      { source: 'google', medium: 'cpc', referer: null },
    ];
    const events = [
      { ...eventOf(mail, 0, true), userAnonymousId: 'ann' },
      { ...eventOf(ad, 300, true), userAnonymousId: 'ann' },
    ];
    const folder = folderOf({
      'a.ndjson': lines(events),
      'plain.ndjson': lines([eventOf({ source: null, medium: null, referer: null }, 0, true)]),
    });
    const ask = async (line: string, file: string) =>
      (await folder.sluice(['query', line, '--events', file])).stdout.replaceAll(/\s+/g, ' ');
    expect(await ask('ReturningUsers.count by firstTouchChannel', 'a.ndjson')).toContain('Email 1');
    expect(await ask('sessions by channel', 'a.ndjson')).toMatch(/Email 1 Paid search 1|Paid search 1 Email 1/);
    const plain = await ask('sessions by channel', 'plain.ndjson');
    expect(plain).toContain('Direct 1');
    expect(plain).toContain('The events have no traffic source: every session is Direct.');
  });
});
