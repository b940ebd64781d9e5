import { hour, minute, second } from '../../ask/time/granularity.ts';

const units: Readonly<Record<string, number>> = { s: second, m: minute, h: hour };

/** Reads a duration such as `90s`, `10m` or `1h` as milliseconds; undefined if it is not valid or over 1,000 hours. */
export function readWait(text: string): number | undefined {
  const found = /^(\d{1,7}) ?([smh])$/i.exec(text.trim());
  const wait = Number(found?.[1]) * (units[found?.[2]?.toLowerCase() ?? ''] ?? Number.NaN);
  return wait >= second && wait <= 1000 * hour ? wait : undefined;
}

/** Whether a text is a positive memory size in DuckDB's format, such as `512MB` or `4 GiB`. */
export function isMemory(text: string): boolean {
  const found = /^(\d{1,9}(?:\.\d{1,3})?) ?(?:[KMGT]i?B)$/i.exec(text.trim());
  return Number(found?.[1]) > 0;
}

/** Reads a memory size such as `4GB` as bytes. Units are powers of 1000, with an `i` powers of 1024. */
export function readMemory(text: string): number | undefined {
  const [, amount, letter = '', binary] = /^\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(i?)b?\s*$/i.exec(text) ?? [];
  if (amount === undefined) return undefined;
  return Math.floor(Number(amount) * (binary ? 1024 : 1000) ** ' kmgt'.indexOf(letter.toLowerCase() || ' '));
}
