import type { FoundValue } from '../text/scan-json.ts';

export const folded = (key: string) => key.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

const nexts = new Set(
  (
    'next nextpage nexturl nextlink nexthref nextpageurl nextpagelink nextcursor nexttoken nextpagetoken ' +
    'nextpagecursor nextoffset continuation continuationtoken odatanextlink'
  ).split(' '),
);
export const mores = new Set(
  'hasmore hasnext hasnextpage hasmorepages morepages more truncated istruncated incomplete incompleteresults'.split(
    ' ',
  ),
);
export const totals = new Set(
  (
    'total count totalcount totalresults totalhits totalrecords totalitems totalelements totalrows ' +
    'totalevents odatacount'
  ).split(' '),
);
export const lastPages = new Set('pages totalpages lastpage pagecount numpages'.split(' '));

/** What else stands beside the events of an answer. */
const pages = new Set(
  `page pagenumber pageindex currentpage perpage pagesize pagetoken cursor previous prev previouspage limit offset skip
  size from to took tookms timedout elapsed status statuscode ok success succeeded error errors code message warnings
  self href first last requestid traceid object apiversion schema etag apikey writekey token`.split(/\s+/),
);
const partsOfPages = new Set('meta metadata pagination paging pageinfo page links shards'.split(' '));

/** Whether a value describes the answer of an API that it stands in, such as its page. */
export function describesPage(path: readonly string[]): boolean {
  const keys = path.map(folded);
  const last = keys.at(-1)!;
  return (
    [nexts, mores, totals, lastPages, pages].some((names) => names.has(last)) ||
    keys.slice(0, -1).some((key) => partsOfPages.has(key) || nexts.has(key))
  );
}

/** `next` itself, or what lies in an object of that name, as `links.next.href`. */
export function isNext({ path: keys, value }: FoundValue): boolean {
  const named = keys
    .slice(-2)
    .some(
      (key, index, last) =>
        nexts.has(folded(key)) && (index === last.length - 1 || /^(href|url|cursor|token)$/i.test(keys.at(-1)!)),
    );
  return named && value !== null && value !== '' && value !== false;
}
