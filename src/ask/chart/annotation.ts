import { z } from 'zod';
import { decodeUtf8 } from '../document/decode-utf8.ts';
import type { Located } from '../document/located.ts';
import { readDocument } from '../document/read-document.ts';
import { quote } from '../text.ts';
import { readWrittenTime } from '../time/read-written-time.ts';

/** A dated mark on a chart: a release, a campaign, an incident. */
export interface Annotation {
  /**
   * A day (`2024-03-08`), a time in the time zone of the chart (`2024-03-08T14:30`), or an instant
   * (`2024-03-08T13:30:00Z`).
   */
  readonly date: string;
  /** The text beside the mark. */
  readonly title: string;
  /** `release`, `campaign`, `incident` or any other word. */
  readonly kind?: string | undefined;
}

const text = z.string().trim().min(1);

const date = text.superRefine((written, context) => {
  const message = written === '' ? undefined : wordWrongDate(written);
  if (message !== undefined) context.addIssue({ code: 'custom', message, params: { code: 'invalid-date' } });
});

/** Describes the error in a date that is neither a day nor a time. The hint follows a line break. */
function wordWrongDate(written: string): string | undefined {
  const time = readWrittenTime(written);
  if (time && !time.ok) return time.issues.map(({ message, hint = '' }) => `${message}\n${hint}`)[0];
  if (time?.ok && (time.value.unit === 'day' || time.value.unit === 'millisecond')) return undefined;
  return `${quote(written)} is neither a day nor a time.\nWrite 2024-03-08, or 2024-03-08T14:30.`;
}

/** A file of annotations: a list of `{date, title, kind?}`. */
export const annotationsSchema: z.ZodType<readonly Annotation[]> = z
  .array(
    z.strictObject({
      date: date.describe(
        'A day (2024-03-08), a time in the time zone of the chart (2024-03-08T14:30), ' +
          'or an instant (2024-03-08T13:30:00Z).',
      ),
      title: text.describe('What happened.'),
      kind: text.optional().describe('The kind of mark: release, campaign, incident, or any other word.'),
    }),
  )
  .meta({ title: 'Annotations', description: 'Dated marks, drawn on charts over time.' });

/**
 * Reads a file of annotations, YAML or JSON: a list of `{date, title, kind?}`. Returns every issue with its place.
 * `invalid-date` marks a date that is neither a day nor a time. Never throws.
 */
export function readAnnotations(bytes: Uint8Array, file: string): Located<readonly Annotation[]> {
  const decoded = decodeUtf8(bytes, { file });
  return decoded.ok ? readDocument(decoded.value, annotationsSchema, { file }) : decoded;
}
