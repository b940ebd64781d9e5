import type { Value } from '../../../plan/column.ts';
import { formatValue } from '../../../shape/format/format.ts';
import type { Overlay } from './state.ts';

type Frequencies = Pick<Overlay & { readonly kind: 'frequencies' }, 'counted' | 'line'>;

/** The rows of a frequency table whose value holds what is typed, in any case of letters. */
export function frequencyRows({ counted, line }: Frequencies): readonly number[] {
  if (!counted) return [];
  const wanted = line.text.trim().toLowerCase();
  const rows = Array.from({ length: counted.rowCount }, (_, row) => row);
  return wanted === '' ? rows : rows.filter((row) => textOfRow({ counted, line }, row).toLowerCase().includes(wanted));
}

export function valueOfRow({ counted }: Frequencies, row: number): Value {
  const column = counted?.columns[0];
  return column ? (counted?.values(column.key)[row] ?? null) : null;
}

/** The value as people read it. */
export function textOfRow(frequencies: Frequencies, row: number): string {
  const column = frequencies.counted?.columns[0];
  return column ? formatValue(valueOfRow(frequencies, row), column) : '';
}
