import { type EventField, eventFields, exportingCubes, spellingsOf } from '../model/event-fields.ts';

/** The name of a field in mappings and messages: `utcTime`, `userAnonymousId`, `userId`. */
export function nameOfField({ called, documented, newer, column }: EventField): string {
  return called ?? documented ?? newer ?? column;
}

export const fieldNames: readonly string[] = eventFields.map(nameOfField);

const isPrefixed = (spelling: string) => exportingCubes.some((cube) => spelling.startsWith(`${cube}.`));

const fieldsByName = new Map(
  eventFields.flatMap((field) =>
    spellingsOf(field)
      .filter((spelling) => !isPrefixed(spelling))
      .map((spelling) => [spelling.toLowerCase(), field] as const),
  ),
);

/** The field with this bare name, case-insensitive. */
export function fieldCalled(name: string): EventField | undefined {
  return fieldsByName.get(name.toLowerCase());
}
