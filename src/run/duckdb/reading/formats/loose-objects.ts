import { readRecord } from '../../../../ask/document/json-record.ts';
import type { Compression } from '../../../file/read-bytes.ts';
import { endOfObject } from '../text/split-objects.ts';

/** A file of JSON objects, one after another, of which each has several lines, or a line has several. */
export interface LooseObjects {
  readonly path: string;
  readonly format: 'json-objects';
  readonly compression: Compression;
  readonly encoding?: string | undefined;
}

/** Whether the text begins with such an object. */
export function areLooseObjects(text: string): boolean {
  const end = endOfObject(text);
  // Its end may lie beyond the head of a file.
  if (end === undefined) return /^\{[ \t]*\r?\n/.test(text);
  const isSpread = text.slice(0, end).includes('\n');
  const isFollowed = /^(?:[ \t]*|\s*,\s*)\{/.test(text.slice(end, end + 100));
  // A line that is cut would go on in the next one.
  return (isSpread || isFollowed) && readRecord(text.slice(0, end)) !== undefined;
}
