import type { Random } from '../../src/run/sample/random.ts';

/** Text that readers treat specially, spliced into inputs. */
const tokens = [
  '"',
  "'",
  '`',
  '\\',
  '{',
  '}',
  '[',
  ']',
  '(',
  ')',
  '<',
  '>',
  ',',
  ';',
  ':',
  '|',
  '&a ',
  '*a',
  '<<: ',
  '- ',
  '> ',
  '#',
  '---\n',
  '```query\n',
  '```\n',
  '{{ ',
  ' }}',
  '\n',
  '\r\n',
  '\r',
  '\t',
  '\0',
  '\u001b[2J',
  '\u009b',
  '\u202e',
  '\ufeff',
  '\ufffd',
  '\ud800',
  'é',
  '🎈',
  'ﷺ',
  '=1+1',
  '<script>',
  '${',
  '%',
  '%2F',
  '..',
  '/',
  '//',
  'null',
  'true',
  'NaN',
  'Infinity',
  '-0',
  '1e999',
  '0x10',
  '99999999999999999999',
  '1.10',
  '2024-02-30',
  'last 7 days',
  'from now to',
  'compare ',
  ' with ',
  ' by ',
  ' where ',
  ' or ',
  ' and ',
  'top ',
  '__proto__',
  'constructor',
  'toString',
  'TrackedEvents.count',
  'Sessions.count',
  'docPath',
] as const;

/** A text with up to `changes` random edits. */
export function mutateText(text: string, random: Random, changes: number): string {
  let changed = text;
  for (let left = 1 + random.whole(changes); left > 0; left -= 1) {
    const at = random.whole(changed.length + 1);
    const to = Math.min(changed.length, at + random.whole(30));
    const token = tokens[random.whole(tokens.length)] as string;
    const inserted = [
      token,
      token.repeat(1 + random.whole(50)),
      changed.slice(at, to),
      '',
      changed.slice(at, to).toUpperCase(),
      String.fromCodePoint(random.whole(0xd7ff)),
    ][random.whole(6)] as string;
    changed = changed.slice(0, at) + inserted + changed.slice(random.chance(0.5) ? to : at);
  }
  return changed;
}

/** Bytes with up to `changes` random edits: bits, numbers, cuts, and doubled or missing ranges. */
export function mutateBytes(bytes: Uint8Array, random: Random, changes: number): Uint8Array {
  let changed = Buffer.from(bytes);
  for (let left = 1 + random.whole(changes); left > 0; left -= 1) {
    const at = random.whole(Math.max(1, changed.length));
    const to = Math.min(changed.length, at + 1 + random.whole(64));
    switch (random.whole(6)) {
      case 0:
        if (changed.length > 0) changed[at] = (changed[at] as number) ^ (1 << random.whole(8));
        break;
      case 1:
        changed.fill([0, 0xff, 0x7f, 0x80][random.whole(4)] as number, at, Math.min(to, at + 8));
        break;
      case 2:
        if (at + 4 <= changed.length)
          changed.writeInt32LE([2 ** 31 - 1, -1, -(2 ** 31), 2 ** 24][random.whole(4)] as number, at);
        break;
      case 3:
        changed = changed.subarray(0, at);
        break;
      case 4:
        changed = Buffer.concat([changed.subarray(0, to), changed.subarray(at)]);
        break;
      default:
        changed = Buffer.concat([changed.subarray(0, at), changed.subarray(to)]);
    }
  }
  return changed;
}

/** A text of about `length` characters that repeats one short piece, which is slow in a quadratic reader. */
export function repeatStretch(text: string, random: Random, length: number): string {
  const token = tokens[random.whole(tokens.length)] as string;
  const at = random.whole(text.length + 1);
  const stretch = random.chance(0.5) ? token : text.slice(at, at + 1 + random.whole(24)) || token;
  const head = random.chance(0.7) ? text.slice(0, at) : '';
  const tail = random.chance(0.5) ? text.slice(at) : '';
  return head + stretch.repeat(Math.ceil(length / stretch.length)) + tail;
}
