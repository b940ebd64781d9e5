import { hour, minute, second } from '../../ask/time/granularity.ts';

const units: Readonly<Record<string, number>> = { s: second, m: minute, h: hour };

/**
 * A time to wait, such as `90s`, `10m` or `1h`, in milliseconds; undefined where the text is none, or more than a
 * thousand hours.
 */
export function readWait(text: string): number | undefined {
  const found = /^(\d{1,7}) ?([smh])$/i.exec(text.trim());
  const wait = Number(found?.[1]) * (units[found?.[2]?.toLowerCase() ?? ''] ?? Number.NaN);
  return wait >= second && wait <= 1000 * hour ? wait : undefined;
}

/** Whether a text is an amount of memory as DuckDB reads it, such as `512MB` or `4 GiB`, and not zero. */
export function isMemory(text: string): boolean {
  const found = /^(\d{1,9}(?:\.\d{1,3})?) ?(?:[KMGT]i?B)$/i.exec(text.trim());
  return Number(found?.[1]) > 0;
}

/** Bytes of a size such as `4GB`, which `isMemory` takes; units are powers of 1000, those with an `i` of 1024. */
export function readMemory(text: string): number | undefined {
  const [, amount, letter = '', binary] = /^\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(i?)b?\s*$/i.exec(text) ?? [];
  if (amount === undefined) return undefined;
  return Math.floor(Number(amount) * (binary ? 1024 : 1000) ** ' kmgt'.indexOf(letter.toLowerCase() || ' '));
}
