import { type EventField, eventFields, exportingCubes, spellingsOf } from '../model/event-fields.ts';

/** What a field is called in mappings and messages: `utcTime`, `userAnonymousId`, `userId`. */
export function nameOfField({ called, documented, newer, column }: EventField): string {
  return called ?? documented ?? newer ?? column;
}

/** The names of all fields. */
export const fieldNames: readonly string[] = eventFields.map(nameOfField);

const isPrefixed = (spelling: string) => exportingCubes.some((cube) => spelling.startsWith(`${cube}.`));

const fieldsByName = new Map(
  eventFields.flatMap((field) =>
    spellingsOf(field)
      .filter((spelling) => !isPrefixed(spelling))
      .map((spelling) => [spelling.toLowerCase(), field] as const),
  ),
);

/** The field that a bare name means, letter case ignored. */
export function fieldCalled(name: string): EventField | undefined {
  return fieldsByName.get(name.toLowerCase());
}
