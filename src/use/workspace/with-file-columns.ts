import { quote } from '../../ask/text.ts';
import { defaultCube } from '../../ask/query/member-name.ts';
import { columnProperty } from '../../ask/query/property-name.ts';
import type { Model } from '../../plan/model/model.ts';
import type { FilledField } from '../../run/backend.ts';

/**
 * Adds the names of columns that presets take for a field, so that questions may use them. A column that is only one
 * source of a field may have other values, so its name is refused with that of the field.
 */
export function withFileColumns(model: Model, filled: readonly FilledField[]): Model {
  const columns = new Map(model.columns);
  const leftOut = new Map(model.leftOut?.map((part) => [part.name, part]));
  for (const [column, all] of Map.groupBy(filled, (one) => one.column.toLowerCase())) {
    const fields = [...new Set(all.map(({ field }) => field))];
    if (columns.has(column)) continue;
    if (fields.length === 1 && all.every(({ isAlone }) => isAlone)) columns.set(column, fields[0]!);
    else
      for (const { column: written } of all) {
        const reason = `${quote(written)} is one of the sources of ${fields.join(' and ')}. Write \`${fields[0]!}\`.`;
        for (const short of [written, columnProperty(written) ?? written])
          leftOut.set(`${defaultCube}.${short}`, { name: `${defaultCube}.${short}`, reason });
      }
  }
  return { ...model, columns, leftOut: [...leftOut.values()] };
}
