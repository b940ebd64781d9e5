/** Answers hold few different texts many times; beyond this many a column is better written without looking them up. */
const capacity = 4096;
/** Long texts are seldom the same twice and cost memory. */
const longest = 256;

/** The same function from text to text, which remembers its first answers. */
export function remember(convert: (text: string) => string): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    if (text.length > longest) return convert(text);
    const before = known.get(text);
    if (before !== undefined) return before;
    const converted = convert(text);
    if (known.size < capacity) known.set(text, converted);
    return converted;
  };
}
