/** The fonts of the package, by file name, and their paths in `node_modules`. */
export const fonts = {
  'noto-sans.ttf': 'noto-sans/400Regular/NotoSans_400Regular.ttf',
  'noto-sans-semibold.ttf': 'noto-sans/600SemiBold/NotoSans_600SemiBold.ttf',
  'noto-sans-arabic.ttf': 'noto-sans-arabic/400Regular/NotoSansArabic_400Regular.ttf',
  'noto-sans-sc.ttf': 'noto-sans-sc/400Regular/NotoSansSC_400Regular.ttf',
  'noto-emoji.ttf': 'noto-emoji/400Regular/NotoEmoji_400Regular.ttf',
};

/** Large fonts that few pictures need. They ship compressed, and are unpacked on first use. */
export const packed = ['noto-sans-sc.ttf', 'noto-emoji.ttf'];

/** The licences must be distributed with the fonts. */
export const licences = Object.fromEntries(
  ['noto-sans', 'noto-sans-arabic', 'noto-sans-sc', 'noto-emoji'].map((name) => [
    `${name}.licence.txt`,
    `${name}/LICENSE_FONT`,
  ]),
);
