/** A link of a `Link` header. */
export interface Link {
  /** As it stands there; it may be relative. */
  readonly target: string;
  /** In lower case. */
  readonly relations: readonly string[];
  /** The link is about something else than the response. */
  readonly anchored: boolean;
}

/** A name, and what may follow it: nothing, a token, or a quoted text. Source: RFC 8288, 3, and its parsing in appendix B. */
const parameter = /[ \t]*;[ \t]*(?:([^\s=;,"<>]+)[ \t]*(?:=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?)?/y;
const start = /[ \t,]*<([^>]*)>/y;

/** The links of a `Link` header, or of several joined by commas. What stands behind a fault is left out. */
export function readLinks(header: string): readonly Link[] {
  const links: Link[] = [];
  let at = 0;
  const match = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const found = pattern.exec(header);
    if (found !== null) at = pattern.lastIndex;
    return found;
  };

  for (let found = match(start); found !== null; found = match(start)) {
    let relations: string | undefined;
    let anchored = false;
    for (let pair = match(parameter); pair !== null; pair = match(parameter)) {
      const name = pair[1]?.toLowerCase();
      const value = pair[2]?.replace(/\\(.)/g, '$1') ?? pair[3] ?? '';
      // Only the first one counts (RFC 8288, 3.3).
      if (name === 'rel') relations ??= value;
      if (name === 'anchor') anchored = true;
    }
    links.push({ target: found[1]!.trim(), relations: (relations ?? '').toLowerCase().split(/\s+/).filter((relation) => relation !== ''), anchored });
    if (!/^[ \t]*(?:,|$)/.test(header.slice(at, at + 100))) break;
  }
  return links;
}

/** Where the response says that a relation of it is, such as `next`. */
export function findLink(header: string | undefined, relation: string): string | undefined {
  return readLinks(header ?? '').find(({ relations, anchored }) => !anchored && relations.includes(relation))?.target;
}
