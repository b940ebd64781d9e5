/** A heading of a page. */
export interface Heading {
  readonly level: number;
  readonly id: string;
  /** Markup without links. */
  readonly html: string;
}

/** The headings of a page in order. Only one has the first level, and none skips a level. */
export interface Outline {
  /** Adjusts the headings in the HTML of prose, and gives each an ID. */
  settle(html: string): string;
  /** The level of a title below the latest heading. */
  below(): number;
  readonly headings: readonly Heading[];
}

/** Opens the outline of a page that already has its first-level heading. */
export function openOutline(): Outline {
  const headings: Heading[] = [];
  const taken = new Set<string>();
  let level = 1;
  const settleOne = (asked: number, attributes: string, inner: string): string => {
    const text = inner.replace(/<[^>]*>/g, '').trim();
    if (text === '') return '';
    level = Math.min(Math.max(2, asked), level + 1);
    const [given, own] = / id="([^"]*)"/.exec(attributes) ?? [];
    const id = own ?? freeId(text, taken);
    headings.push({
      level,
      id,
      html: inner
        .replace(/<\/?a\b[^>]*>/g, '')
        .replace(/<sup>[^]*?<\/sup>/g, '')
        .trim(),
    });
    return `<h${level}${given === undefined ? ` id="${id}"` : attributes}>${inner}</h${level}>`;
  };
  return {
    settle: (html) =>
      html.replace(/<h([1-6])([^>]*)>([^]*?)<\/h\1>/g, (_, asked: string, attributes: string, inner: string) =>
        settleOne(Number(asked), attributes, inner),
      ),
    below: () => Math.min(6, level + 1),
    headings,
  };
}

function freeId(text: string, taken: Set<string>): string {
  const plain = text
    .replace(/&\w+;/g, ' ')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');
  const base = `to-${plain || 'section'}`;
  let id = base;
  for (let n = 2; taken.has(id); n += 1) id = `${base}-${n}`;
  taken.add(id);
  return id;
}
