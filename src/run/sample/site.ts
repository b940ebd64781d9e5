/** The fictitious sites of the sample: journeys of visitors, and names of pages. */

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
    agentName: 'Chrome',
    agentVersion: '128.0',
    osFamily: 'Windows',
    osName: 'Windows 11',
    viewports: ['1920x969', '1536x730', '2560x1305'],
    weight: 34,
    useragent:
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/128.0 Safari/537.36',
  },
  {
    agentName: 'Chrome Mobile',
    agentVersion: '128.0',
    osFamily: 'Android',
    osName: 'Android 14',
    viewports: ['412x780', '360x664'],
    weight: 22,
    useragent:
      'Mozilla/5.0 (Linux; Android 14; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/128.0 Mobile Safari/537.36',
  },
  {
    agentName: 'Mobile Safari',
    agentVersion: '17.5',
    osFamily: 'iOS',
    osName: 'iOS 17',
    viewports: ['390x664', '430x739'],
    weight: 18,
    useragent:
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) ' +
      'Version/17.5 Mobile/15E148 Safari/604.1',
  },
  {
    agentName: 'Firefox',
    agentVersion: '130.0',
    osFamily: 'Linux',
    osName: 'Ubuntu',
    viewports: ['1920x947', '1366x643'],
    weight: 10,
    useragent: 'Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0',
  },
  {
    agentName: 'Safari',
    agentVersion: '17.5',
    osFamily: 'Mac OS X',
    osName: 'macOS 14',
    viewports: ['1440x789', '1728x1000'],
    weight: 12,
    useragent:
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) AppleWebKit/605.1.15 (KHTML, like Gecko) ' +
      'Version/17.5 Safari/605.1.15',
  },
];

/** Crawlers. */
export const robots: readonly Browser[] = [
  {
    agentName: 'ExampleBot',
    agentVersion: '2.1',
    osFamily: 'Other',
    osName: 'Other',
    viewports: ['1024x768'],
    weight: 60,
    useragent: 'Mozilla/5.0 (compatible; ExampleBot/2.1; +https://bot.example.org/)',
  },
  {
    agentName: 'Headless Chrome',
    agentVersion: '128.0',
    osFamily: 'Linux',
    osName: 'Linux',
    viewports: ['800x600'],
    weight: 25,
    useragent:
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/128.0 Safari/537.36',
  },
  {
    agentName: 'Archive Spider',
    agentVersion: '1.0',
    osFamily: 'Other',
    osName: 'Other',
    viewports: ['1024x768'],
    weight: 15,
    useragent: 'ArchiveSpider/1.0 (+https://archive.example.net/spider)',
  },
];

export interface Country {
  readonly language: string;
  /** Minutes from UTC, positive to the west, as in browsers. */
  readonly offset: number;
  /** The title of the front page. */
  readonly welcome: string;
  readonly weight: number;
}

export const places: readonly Country[] = [
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
  { language: 'pt-BR', offset: 180, welcome: 'Bem-vindo à lojinha', weight: 5 },
  { language: 'es-MX', offset: 360, welcome: '¡Hola! Bienvenido al quiosco', weight: 5 },
  { language: 'el-GR', offset: -120, welcome: 'Καλώς ήρθατε στο περίπτερο', weight: 2 },
  { language: 'th-TH', offset: -420, welcome: 'ยินดีต้อนรับสู่ซุ้ม', weight: 2 },
  { language: 'ru-RU', offset: -180, welcome: 'Добро пожаловать в киоск 👩‍👩‍👧‍👦', weight: 2 },
];

/** Pages in the order in which visitors see them. `stay`: the probability of each next page. */
interface Journey {
  readonly pages: readonly string[];
  readonly stay: readonly number[];
  /** The relative frequency among newcomers and guests, and among members. */
  readonly weight: number;
  readonly memberWeight: number;
  /** The page at which some returning visitors continue. */
  readonly resume?: number;
}

export const journeys: readonly Journey[] = [
  {
    pages: ['/', '/pricing', '/signup', '/signup/done'],
    stay: [0.62, 0.45, 0.55],
    weight: 34,
    memberWeight: 0,
    resume: 1,
  },
  {
    pages: ['/', '/products', '/products/kettle', '/cart', '/checkout', '/thanks'],
    stay: [0.7, 0.75, 0.4, 0.6, 0.8],
    weight: 26,
    memberWeight: 34,
    resume: 3,
  },
  {
    pages: ['/docs', '/docs/install', '/docs/query', '/docs/funnels', '/docs/faq'],
    stay: [0.8, 0.7, 0.6, 0.5],
    weight: 24,
    memberWeight: 32,
    resume: 2,
  },
  { pages: ['/account', '/account/orders', '/account/settings'], stay: [0.6, 0.3], weight: 0, memberWeight: 24 },
  { pages: ['/blog/why-we-count', '/'], stay: [0.3], weight: 9, memberWeight: 5 },
  {
    pages: ['/blog/kettle-season', '/products/kettle', '/cart', '/checkout', '/thanks'],
    stay: [0.35, 0.25, 0.5, 0.8],
    weight: 4,
    memberWeight: 3,
  },
  { pages: ['/blog/%E3%81%8A%E8%8C%B6'], stay: [], weight: 2, memberWeight: 1 },
  { pages: ['/search', '/products/kettle'], stay: [0.5], weight: 1, memberWeight: 1 },
];

/** The page on which a guest becomes a member. */
export const signedUp = '/signup/done';

export const titles: Readonly<Record<string, string>> = {
  '/pricing': 'Pricing',
  '/signup': 'Sign up',
  [signedUp]: 'You are in!',
  '/products': 'All products',
  '/products/kettle': 'Kettle, 1.7 l',
  '/cart': 'Your cart',
  '/checkout': 'Checkout',
  '/thanks': 'Thank you ❤️',
  '/docs': 'Documentation',
  '/docs/install': 'Install',
  '/docs/query': 'Ask a question',
  '/docs/funnels': 'Funnels',
  '/docs/faq': 'FAQ',
  '/account': 'Your account',
  '/account/orders': 'Your orders',
  '/account/settings': 'Settings',
  '/blog/why-we-count': 'Why we count',
  '/blog/kettle-season': 'Kettle season – Ω, ½ l and other sizes',
  '/blog/%E3%81%8A%E8%8C%B6': 'お茶の時間',
  '/search': 'Search',
};

/** All pages, each once. */
export const paths: readonly string[] = [...new Set(journeys.flatMap(({ pages }) => pages))];

/** Titles with hostile content, as any visitor could send. */
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

export const referrers: readonly string[] = [
  'https://www.search.example/',
  'https://news.example.org/item?id=1',
  'https://social.example.net/',
  'https://forum.example.org/t/12',
];

export const hosts: readonly string[] = ['www.kiosk.example', 'app.kiosk.example', 'kiosk-labs.example'];

export const linkTargets: readonly string[] = [
  'https://docs.kiosk.example/guide.pdf',
  'https://social.example.net/kiosk',
  'mailto:hello@kiosk.example',
];

export const elements: readonly string[] = ['nav-help', 'footer-social', ''];

export const customEvents: readonly string[] = ['video_played', 'searched', 'feedback_sent'];

/** Relative traffic of the hours of the local day. */
export const hours: readonly number[] = [
  2, 1, 1, 1, 1, 2, 4, 7, 10, 12, 13, 13, 12, 13, 13, 12, 11, 10, 9, 9, 10, 9, 6, 4,
];

/** Relative traffic from Monday to Sunday. */
export const weekdayTraffic: readonly number[] = [1.1, 1.15, 1.12, 1.08, 0.95, 0.6, 0.55];

/** Relative traffic in the middle of each month. */
export const monthTraffic: readonly number[] = [0.95, 0.95, 1, 1, 0.98, 0.92, 0.8, 0.82, 1, 1.06, 1.18, 1.1];

/** Share of the usual traffic on days on which shops are closed. */
export const holidays: Readonly<Record<string, number>> = {
  '01-01': 0.55,
  '12-24': 0.6,
  '12-25': 0.45,
  '12-26': 0.6,
  '12-31': 0.7,
};
