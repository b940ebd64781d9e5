import { eachValue, factorsOf, type PropertyMember, readPropertyMember } from '../../ask/query/property-name.ts';
import { shortNameOf } from '../../ask/query/member-name.ts';
import type { Cube } from '../model/model.ts';
import { folded } from './field-guesses.ts';

/** Words for money at the end of a name, the likeliest for the figure of a business first. */
const words = [
  ...['revenue', 'amount', 'total', 'value', 'sales', 'mrr', 'price', 'umsatz', 'betrag', 'summe', 'montant'],
  ...[
    'payment',
    'spend',
    'income',
    'profit',
    'paid',
    'cost',
    'arr',
    'gmv',
    'discount',
    'refund',
    'shipping',
    'tax',
    'fee',
    'balance',
  ],
];

/**
 * The rank of a name among those of amounts of money, the likeliest first: `Amount`, `Order Value`, `netRevenue`. -1
 * for other names. Short words count only as words of their own: `tax`, not `syntax`.
 */
export function amountRank(name: string): number {
  const [last = ''] = name.match(/\p{Lu}*[^\p{Lu}\s_.-]+[\s_.-]*$|\p{Lu}+[\s_.-]*$/u) ?? [];
  const [all, own] = [folded(name), folded(last)];
  return words.findIndex((word) =>
    [word, `${word}s`].some((each) => each === own || (word.length > 4 && all.endsWith(each))),
  );
}

/** An amount of money that a measure adds up, averages or compares. */
export interface Amount {
  /** As people write it. */
  readonly name: string;
  /** The keys of the property; undefined for a measure of a model. */
  readonly path: readonly string[] | undefined;
}

/** The amount of money that a measure is of, as its name tells. */
export function amountOf(measure: string): Amount | undefined {
  // Without the words of a change: `sum(props.amount) rolling 28 days`.
  const [short = ''] = /^\S*/.exec(shortNameOf(measure)) ?? [];
  const member = readPropertyMember(short);
  if (!member) return amountRank(short) < 0 ? undefined : { name: short, path: undefined };
  const path = amountPath(member);
  return path && { name: path.at(-1)!, path };
}

/** The path of the amount of money that a measure over properties is of. */
export function amountPath(member: PropertyMember): PropertyMember['path'] | undefined {
  return member.compute === undefined || member.compute === 'distinct' ? undefined : amountIn(member);
}

/** The path of an amount of money among the properties that a member reads. */
export function amountIn(member: PropertyMember): PropertyMember['path'] | undefined {
  return factorsOf(member).find((keys) => amountRank(keys.at(-1) ?? '') >= 0);
}

/**
 * Where events may have the currency of an amount: beside it, else at the event, under the usual names in the spelling
 * of the amount. They are few, because each is looked up in all events.
 */
export function likelyCurrencies(amount: readonly string[]): readonly (readonly string[])[] {
  const key = amount.at(-1);
  if (key === undefined) return [];
  const parent = amount.slice(0, -1);
  const names = /^\p{Lu}{2}/u.test(key)
    ? ['CURRENCY', 'CURRENCY_CODE']
    : /^\p{Lu}/u.test(key)
      ? ['Currency', 'Currency Code']
      : ['currency', 'currency_code', 'currencyCode'];
  if (parent.length > 0) return [...names.map((name) => [...parent, name]), [names[0]!]];
  const own = `${key}${/ /.test(key) ? ' Currency' : /_|^\P{Lu}+$/u.test(key) ? '_currency' : 'Currency'}`;
  return [...names, own].map((name) => [name]);
}

/** The short name of a cube's dimension with the currency of an amount: beside it, else of the cube. */
export function currencyBeside(cube: Cube | undefined, amount: Amount['path']): string | undefined {
  const parent = amount?.slice(0, -1).join('\0');
  const [best] = (cube?.dimensions ?? [])
    .flatMap(({ name, type }) => {
      if (type !== 'string') return [];
      const path = readPropertyMember(name)?.path ?? [name];
      const isBeside = path.slice(0, -1).join('\0') === parent;
      const isCurrency = /currency(?:code)?$/.test(folded(path.at(-1) ?? ''));
      return isCurrency && (isBeside || !path.includes(eachValue)) ? [{ name, isBeside, length: name.length }] : [];
    })
    .sort((one, other) => Number(other.isBeside) - Number(one.isBeside) || one.length - other.length);
  return best?.name;
}
