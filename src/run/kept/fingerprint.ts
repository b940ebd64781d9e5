/** 16 hexadecimal digits of a text. It finds files and damage; whoever must be sure compares the text itself. */
export function fingerprint(text: string): string {
  let one = 0xdeadbeef;
  let other = 0x41c6ce57;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    one = Math.imul(one ^ unit, 2654435761);
    other = Math.imul(other ^ unit, 1597334677);
  }
  one = Math.imul(one ^ (one >>> 16), 2246822507) ^ Math.imul(other ^ (other >>> 13), 3266489909);
  other = Math.imul(other ^ (other >>> 16), 2246822507) ^ Math.imul(one ^ (one >>> 13), 3266489909);
  return (other >>> 0).toString(16).padStart(8, '0') + (one >>> 0).toString(16).padStart(8, '0');
}
