const tail = /\.\d*%?$|%$/;

/** What follows the last whole digit of a formatted number, such as `.25%`, so that columns align there. */
export function numberTail(text: string): string {
  return tail.exec(text)?.[0] ?? '';
}
