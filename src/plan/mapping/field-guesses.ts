import type { ShapeColumn } from './preset.ts';
import { fieldCalled, nameOfField } from './field-name.ts';
import { looksLikeSerial, looksLikeTime } from './to-shape.ts';

/** How to recognise a field among the columns of a file with unknown columns. */
interface Guess {
  readonly field: string;
  /** The likeliest name first. Matching ignores case, punctuation and accents. */
  readonly names: readonly string[];
  /** True if the values confirm the guess. Not set if values cannot confirm it. */
  readonly fits?: (column: ShapeColumn) => boolean;
}

export const most = (texts: readonly string[], holds: (text: string) => boolean) =>
  texts.length > 0 && texts.filter(holds).length >= texts.length * 0.9;
const areUrls = ({ examples }: ShapeColumn) => most(examples, (text) => /^https?:\/\//i.test(text));
/** `www.example.org/pricing`: addresses as some trackers store them. */
export const areBareUrls = ({ examples }: ShapeColumn) =>
  most(examples, (text) => /^(?:[a-z\d-]+\.)+[a-z]{2,}(?::\d+)?\//i.test(text));
const arePaths = ({ examples }: ShapeColumn) => most(examples, (text) => text.startsWith('/'));
const areObjects = ({ examples }: ShapeColumn) => most(examples, (text) => text.startsWith('{'));

/** Values such as `20240308` are dates if the column's name suggests a date; otherwise they can be any number. */
const compactDate = /^(19|20)\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])$/;

/** Whole days are certain only under the name of a date: they can also be the seconds of a day. */
const areSerials = ({ name, examples }: ShapeColumn) =>
  examples.length > 0 &&
  examples.every(looksLikeSerial) &&
  (examples.some((text) => !/^\d+$/.test(text)) || /date|day|datum|fecha|日|날짜/.test(folded(name)));

/** The field for columns with objects. */
export const ofObjects = 'customEventProps';

const words = (text: string) => text.trim().split(/\s+/).map(folded);

/** `ts_ms` and `time_utc` are names of times like `ts` and `time`. */
function withUnits(text: string): readonly string[] {
  const names = words(text);
  const units = ['', 'utc', 's', 'sec', 'seconds', 'ms', 'millis', 'us', 'micros', 'ns', 'nanos', 'unix', 'epoch'];
  return units.flatMap((unit) => names.map((name) => name + unit));
}

export const guesses: readonly Guess[] = [
  {
    field: 'utcTime',
    names: withUnits(`timestamp eventtime eventtimestamp utctime ts time datetime occurredat createdat createdon created
      loggedat
      servertime servertimestamp clienttimestamp browsertime receivedat sentat startedat starttime realtimetimestamp
      eventdate date when day dt timeunixnano
      zeitpunkt zeitstempel zeit datum erstelltam horodatage dateheure fechahora fecha datahora dataora tijdstip tijd
      orderedat orderdate orderdatetime placedat purchasedat purchasedate paidat invoicedate openedat openedon
      signedupat signedup signupat signupdate registeredat registrationdate joinedat bestelldatum rechnungsdatum
      日時 発生日時 作成日時 タイムスタンプ 時刻 日付 时间 事件时间 时间戳 日期 時間 시간 일시 날짜 epoch unixtime
      unixtimestamp eventts createdts createdutc`),
    fits: (column) =>
      most(column.examples, (text) => looksLikeTime(text) || compactDate.test(text)) || areSerials(column),
  },
  {
    field: 'userAnonymousId',
    names: words(`anonymousid anonid distinctid visitorid visitor deviceid clientid userpseudoid pseudoid cookieid
      fingerprint installid installationid appinstanceid appsflyerid adid idvisitor besucher besucherid visiteur visitante bezoeker 訪問者id 访客id 방문자id`),
  },
  {
    field: 'userId',
    names: words(`userid user uid actorid actor customerid customer memberid playerid username useremail
      customeremail billingemail emailbilling customeruserid email emailaddress person requesteremail requesterid requester reporter enduserid
      who whoid benutzer benutzerid nutzer nutzerid kunde kundenid kundennummer kundennr utilisateur idutilisateur
      usuario idusuario utente idutente cliente idcliente gebruiker gebruikersid klant klantid
      ユーザーid ユーザid ユーザー ユーザ 会員id 顧客id 用户id 用户 用戶id 使用者id 사용자id 사용자 회원id accountid account`),
  },
  {
    field: 'sessionId',
    names: words(`sessionid session visitid gasessionid contextsessionid sess sid usersession usersessionid sessionuuid
      sessionkey visit idvisit sitzung sitzungsid sesion idsesion sessione sessao sessie セッションid セッション 会话id 会话 세션id`),
  },
  {
    field: 'eventType',
    names: words(`eventname eventtype eventtext event action type kind activity kindofevent what name ev evt
      ereignis ereignistyp ereignisname aktion evenement nomevenement evento nombreevento gebeurtenis accion azione acao
      actie msg イベント イベント名 イベントタイプ アクション 事件 事件名称 事件类型 이벤트 이벤트명`),
  },
  {
    field: 'url',
    names: words(`url pageurl currenturl pagelocation location href uri page contextpageurl eventurl postpageurl loc
      seitenurl ページurl 页面url`),
    fits: (column) => areUrls(column) || areBareUrls(column),
  },
  {
    field: 'docPath',
    names:
      words(`pagepath urlpath path pathname requestpath page screen uri url pageurl currenturl eventurl href location
      route contextpagepath csuristem seite seitenpfad pfad pagina ruta chemin
      ページ ページパス パス 页面 页面路径 頁面 페이지`),
    fits: arePaths,
  },
  { field: 'docHost', names: words('hostname host domain') },
  {
    field: 'referer',
    names: words(`referrer referer pagereferrer documentreferrer referringurl httpreferer httpreferrer referrerurl
      contextpagereferrer csreferer リファラー リファラ 参照元`),
  },
  {
    field: 'referer',
    names: words('source from camefrom herkunft quelle ref verweis origen 来源'),
    fits: areUrls,
  },
  { field: 'pageTitle', names: words('pagetitle title seitentitel ページタイトル') },
  { field: 'useragent', names: words('useragent ua httpuseragent csuseragent') },
  // The store keeps one event per ID, so a column whose values often repeat cannot be the ID. Few are events sent
  // twice.
  {
    field: 'eventId',
    names: words('eventid messageid insertid eventuuid'),
    fits: ({ filled, repeated }) => filled > 0 && repeated <= 0.05,
  },
  { field: 'osName', names: words('osname os') },
  ...['Source', 'Medium', 'Campaign', 'Term', 'Content'].map((part) => ({
    field: `utm${part}`,
    names: [
      `utm${part}`,
      `mkt${part}`,
      ...(part === 'Campaign' ? ['campaign', 'campaignname'] : [`campaign${part}`]),
    ].map(folded),
  })),
  { field: 'country', names: words('country countrycode geocountry mpcountrycode land pays pais paese 国 国家 국가') },
  { field: 'deviceClass', names: words('deviceclass devicetype devicecategory device') },
  { field: 'browserLanguage', names: words('browserlanguage language locale lang') },
  {
    field: ofObjects,
    names: words('properties props eventproperties eventprops eventparams params payload attributes attrs'),
    fits: areObjects,
  },
];

/** Columns with the names of an app's screens, or of pages: `Home`, not `/home`. The likeliest first. */
const screens = words(`screenname screen screentitle currentscreen firebasescreen screenid screenclass viewname pagename
  page bildschirm pantalla ecran tela schermo scherm seite pagina 画面 画面名 屏幕 屏幕名称 화면 화면명`);

/**
 * The rank of a column as the name of a screen. -1 if its name or its values are no such names: `390x844` is a size.
 */
export function rankOfScreen(source: string, { type, examples }: ShapeColumn): number {
  const areNames =
    type === 'text' && most(examples, (text) => /^(?!\d+ *[x×*] *\d+$|\w+:\/\/|[[{]).*\p{L}/u.test(text));
  return areNames ? rankIn(screens, source) : -1;
}

/** A name without letter case, punctuation and accents, for comparison. */
export function folded(name: string): string {
  return name
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/**
 * The position of a name's last part or last two parts in a list of names: for `$.user.id` or `user.id`, that of `id`
 * or `userid`, whichever comes first. -1 if neither is in the list.
 */
export function rankIn(names: readonly string[], source: string): number {
  const steps = source.replace(/"$/, '').split('.');
  const ranks = [steps.slice(-1), steps.slice(-2)].map((some) => names.indexOf(folded(some.join(''))));
  const found = ranks.filter((rank) => rank >= 0);
  return found.length > 0 ? Math.min(...found) : -1;
}

/** Fields of an event itself, unlike those of its user or session. */
const fieldsOfOneEvent = new Set(['utcTime', 'eventId', 'eventType', 'url', 'docPath', 'pageTitle']);

/** Whether keys lead to what each event has of its own: its time, type, ID or page, but not the name of its user. */
export function namesOneEvent(keys: readonly string[]): boolean {
  const name = keys.slice(-2).join('');
  const known = fieldCalled(name);
  return (
    /^_?(?:uu|gu)?id$/i.test(name) ||
    (known !== undefined && fieldsOfOneEvent.has(nameOfField(known))) ||
    guesses.some(
      ({ field, names }) =>
        (fieldsOfOneEvent.has(field) && names.includes(folded(name))) ||
        (field === 'utcTime' && rankIn(names, keys.join('.')) >= 0),
    )
  );
}

/**
 * Patterns of names that trackers give to page views. Screens of an app count as pages, as in the presets of trackers.
 */
const pageViews = [
  '(?:app[ _-]?)?screen(?:[ _-]?view(?:ed)?)?|view(?:ed)?[ _-]?screen',
  'page[ _-]?(?:view|visit|load)(?:s|ed)?|(?:view|load|visit)(?:ed)?[ _-]?(?:a[ _-])?page|page|pv|view(?:ed)?',
  // Some trackers use a separate name for each page.
  'viewed .+ page',
  'seiten(?:aufruf|ansicht)|vue de page|page vue|visita de p[aá]gina|visualizza(?:zione)? (?:di )?pagina|paginaweergave',
  'ページ(?:ビュー|表示|閲覧)|页面(?:浏览|访问|查看)|頁面瀏覽|페이지 ?(?:뷰|조회)',
].join('|');

const pageView = new RegExp(`^(?:\\$|\\[amplitude\\] |\\$?mp_(?:web_)?)?(?:${pageViews})$`, 'i');

/** True if an event type's name means a page view. */
export function isPageView(type: string): boolean {
  return pageView.test(type);
}

/** True if a value means a page view in any column, because it can hardly mean anything else. */
export function saysPageView(value: string): boolean {
  return isPageView(value) && !/^(?:page|pv|view(?:ed)?|screen)$/i.test(value);
}
