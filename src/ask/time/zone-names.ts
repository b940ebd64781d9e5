import { nearest } from '../nearest.ts';

/**
 * Names that Intl (CLDR) still gives although the IANA database has renamed them.
 * Mapping them here makes a zone's name the same on every runtime. Source: `backward` of the IANA time zone database.
 */
const renamed: ReadonlyMap<string, string> = new Map([
  ['Africa/Asmera', 'Africa/Asmara'],
  ['America/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
  ['America/Catamarca', 'America/Argentina/Catamarca'],
  ['America/Coral_Harbour', 'America/Atikokan'],
  ['America/Cordoba', 'America/Argentina/Cordoba'],
  ['America/Godthab', 'America/Nuuk'],
  ['America/Indianapolis', 'America/Indiana/Indianapolis'],
  ['America/Jujuy', 'America/Argentina/Jujuy'],
  ['America/Louisville', 'America/Kentucky/Louisville'],
  ['America/Mendoza', 'America/Argentina/Mendoza'],
  ['Asia/Calcutta', 'Asia/Kolkata'],
  ['Asia/Katmandu', 'Asia/Kathmandu'],
  ['Asia/Rangoon', 'Asia/Yangon'],
  ['Asia/Saigon', 'Asia/Ho_Chi_Minh'],
  ['Atlantic/Faeroe', 'Atlantic/Faroe'],
  ['Europe/Kiev', 'Europe/Kyiv'],
  ['Pacific/Enderbury', 'Pacific/Kanton'],
  ['Pacific/Ponape', 'Pacific/Pohnpei'],
  ['Pacific/Truk', 'Pacific/Chuuk'],
]);

/** Names without a region that the IANA database has. Intl knows more, but takes `BST` for Dhaka and `IST` for Kolkata. */
const plainNames = new Set([
  'cet', 'cst6cdt', 'cuba', 'eet', 'egypt', 'eire', 'est', 'est5edt', 'gb', 'gb-eire', 'gmt', 'gmt+0', 'gmt-0', 'gmt0', 'greenwich',
  'hongkong', 'hst', 'iceland', 'iran', 'israel', 'jamaica', 'japan', 'kwajalein', 'libya', 'met', 'mst', 'mst7mdt', 'navajo', 'nz',
  'nz-chat', 'poland', 'portugal', 'prc', 'pst8pdt', 'roc', 'rok', 'singapore', 'turkey', 'uct', 'universal', 'utc', 'w-su', 'wet', 'zulu',
]);

/** The canonical IANA name of a zone in any spelling or alias that the database has, or undefined where it has none. */
export function canonicalZone(name: string): string | undefined {
  // Intl takes a while to start, and most questions are in UTC.
  if (/^(?:z|utc)$/i.test(name)) return 'UTC';
  if (!name.includes('/') && !plainNames.has(name.toLowerCase())) return undefined;
  try {
    const canonical = new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone;
    return /^(?:Etc\/)?(?:UTC|GMT|UCT)$/.test(canonical) ? 'UTC' : (renamed.get(canonical) ?? canonical);
  } catch {
    return undefined;
  }
}

/** The zone that a wrong name most likely means: one of that city, else the nearest spelling. */
export function nearestZone(name: string): string | undefined {
  const wanted = name.replaceAll(/\s+/g, '_').toLowerCase();
  const zones = ['UTC', ...Intl.supportedValuesOf('timeZone').map((zone) => renamed.get(zone) ?? zone)];
  const city = wanted.slice(wanted.lastIndexOf('/') + 1);
  return zones.find((zone) => zone.toLowerCase().endsWith(`/${city}`)) ?? nearest(wanted, zones);
}
