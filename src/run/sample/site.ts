/** The made-up sites that sample events come from: what people do there, and what the pages are called. */

export interface Browser {
  readonly agentName: string;
  readonly agentVersion: string;
  readonly osFamily: string;
  readonly osName: string;
  readonly useragent: string;
  readonly viewports: readonly string[];
  readonly weight: number;
}

export const browsers: readonly Browser[] = [
  {
    agentName: 'Chrome', agentVersion: '128.0', osFamily: 'Windows', osName: 'Windows 11', viewports: ['1920x969', '1536x730', '2560x1305'], weight: 34,
    useragent: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/128.0 Safari/537.36',
  },
  {
    agentName: 'Chrome Mobile', agentVersion: '128.0', osFamily: 'Android', osName: 'Android 14', viewports: ['412x780', '360x664'], weight: 22,
    useragent: 'Mozilla/5.0 (Linux; Android 14; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/128.0 Mobile Safari/537.36',
  },
  {
    agentName: 'Mobile Safari', agentVersion: '17.5', osFamily: 'iOS', osName: 'iOS 17', viewports: ['390x664', '430x739'], weight: 18,
    useragent: 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
  },
  {
    agentName: 'Firefox', agentVersion: '130.0', osFamily: 'Linux', osName: 'Ubuntu', viewports: ['1920x947', '1366x643'], weight: 10,
    useragent: 'Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0',
  },
  {
    agentName: 'Safari', agentVersion: '17.5', osFamily: 'Mac OS X', osName: 'macOS 14', viewports: ['1440x789', '1728x1000'], weight: 12,
    useragent: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15',
  },
  {
    agentName: 'bot', agentVersion: '2.1', osFamily: 'Other', osName: 'Other', viewports: ['1024x768'], weight: 4,
    useragent: 'Mozilla/5.0 (compatible; ExampleBot/2.1; +https://bot.example.org/)',
  },
];

export interface Place {
  readonly language: string;
  /** Minutes from UTC, positive to the west, as browsers count them. */
  readonly offset: number;
  /** What the front page is called. */
  readonly welcome: string;
  readonly weight: number;
}

export const places: readonly Place[] = [
  { language: 'en-US', offset: 300, welcome: 'Welcome to Kiosk', weight: 30 },
  { language: 'en-GB', offset: 0, welcome: 'Welcome to Kiosk', weight: 16 },
  { language: 'de-DE', offset: -60, welcome: 'Willkommen im Kiosk – schön, dass Sie da sind', weight: 16 },
  { language: 'fr-FR', offset: -60, welcome: 'Bienvenue à la boutique', weight: 9 },
  { language: 'ja-JP', offset: -540, welcome: 'キオスクへようこそ', weight: 8 },
  { language: 'zh-CN', offset: -480, welcome: '欢迎光临 Kiosk 🛍️', weight: 7 },
  { language: 'ko-KR', offset: -540, welcome: '키오스크에 오신 것을 환영합니다', weight: 3 },
  { language: 'ar-EG', offset: -120, welcome: 'مرحبًا بكم في الكشك', weight: 4 },
  { language: 'he-IL', offset: -120, welcome: 'ברוכים הבאים לקיוסק', weight: 2 },
  { language: 'hi-IN', offset: -330, welcome: 'कियोस्क में आपका स्वागत है', weight: 3 },
  { language: 'ru-RU', offset: -180, welcome: 'Добро пожаловать в киоск 👩‍👩‍👧‍👦', weight: 2 },
];

/** Pages in the order in which people who stay visit them; `stay`: how likely each next page is. */
export interface Journey {
  readonly pages: readonly string[];
  readonly stay: readonly number[];
  readonly weight: number;
}

export const journeys: readonly Journey[] = [
  { pages: ['/', '/pricing', '/signup', '/signup/done'], stay: [0.62, 0.45, 0.55], weight: 34 },
  { pages: ['/', '/products', '/products/kettle', '/cart', '/checkout', '/thanks'], stay: [0.7, 0.75, 0.4, 0.6, 0.8], weight: 26 },
  { pages: ['/docs', '/docs/install', '/docs/query', '/docs/funnels', '/docs/faq'], stay: [0.8, 0.7, 0.6, 0.5], weight: 26 },
  { pages: ['/blog/why-we-count', '/'], stay: [0.3], weight: 14 },
];

export const titles: Readonly<Record<string, string>> = {
  '/pricing': 'Pricing', '/signup': 'Sign up', '/signup/done': 'You are in!', '/products': 'All products',
  '/products/kettle': 'Kettle, 1.7 l', '/cart': 'Your cart', '/checkout': 'Checkout', '/thanks': 'Thank you ❤️',
  '/docs': 'Documentation', '/docs/install': 'Install', '/docs/query': 'Ask a question', '/docs/funnels': 'Funnels', '/docs/faq': 'FAQ',
  '/blog/why-we-count': 'Why we count',
};

/** What arrives when people can send anything. */
export const hostileTitles: readonly string[] = [
  '\u001B[31mred\u001B[0m \u001B]0;another window title\u0007',
  '=1+1',
  '@SUM(A1:A9)',
  '<script>alert(1)</script><img src=x onerror=alert(2)>',
  "Robert'); DROP TABLE events;--",
  '" OR ""="',
  'a|b\\|c `code` [link](javascript:alert(1))',
  'line one\nline two\r\nline three\ttab',
  '\u202Eright to left\u202C \u0000 zero \uFEFF mark',
  `very long ${'title '.repeat(200)}end`,
  '{{ 7 * 7 }} ${7*7} %d %s',
  '',
];

export const campaigns: readonly string[] = [
  '?utm_source=newsletter&utm_medium=email&utm_campaign=spring-sale',
  '?utm_source=search&utm_medium=cpc&utm_campaign=kettles',
  '?utm_source=social&utm_medium=post&utm_campaign=launch%20day',
  '?ref=friends',
];

export const referrers: readonly string[] = ['https://www.search.example/', 'https://news.example.org/item?id=1', 'https://social.example.net/', 'https://forum.example.org/t/12'];

export const hosts: readonly string[] = ['www.kiosk.example', 'app.kiosk.example', 'kiosk-labs.example'];

/** Relative traffic of the hours of the local day. */
export const hours: readonly number[] = [2, 1, 1, 1, 1, 2, 4, 7, 10, 12, 13, 13, 12, 13, 13, 12, 11, 10, 9, 9, 10, 9, 6, 4];

/** Relative traffic from Monday to Sunday. */
export const weekdayTraffic: readonly number[] = [1.1, 1.15, 1.12, 1.08, 0.95, 0.6, 0.55];
