import { readLineBlocks } from './line-blocks.ts';

// Escaped backslashes and whole pairs go by; what is left are halves.
const surrogate = /\\\\|\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|(\\u[dD][89a-fA-F][\da-fA-F]{2})/g;

/** The lines of a file of rows, with U+FFFD for what is no character: halves of pairs, and bytes that are no UTF-8. */
export async function* mendRows(file: string): AsyncGenerator<string> {
  for await (const block of readLineBlocks(file)) yield block.replace(surrogate, (whole, half: string | undefined) => (half === undefined ? whole : '\\ufffd'));
}
