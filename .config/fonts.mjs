/**
 * The fonts that the package brings along, by the names of their files in it, and where the package manager has put
 * them.
 */
export const fonts = {
  'noto-sans.ttf': 'noto-sans/400Regular/NotoSans_400Regular.ttf',
  'noto-sans-semibold.ttf': 'noto-sans/600SemiBold/NotoSans_600SemiBold.ttf',
  'noto-sans-arabic.ttf': 'noto-sans-arabic/400Regular/NotoSansArabic_400Regular.ttf',
  'noto-sans-sc.ttf': 'noto-sans-sc/400Regular/NotoSansSC_400Regular.ttf',
  'noto-emoji.ttf': 'noto-emoji/400Regular/NotoEmoji_400Regular.ttf',
};

/** These take most of the room, and few pictures need them: they lie packed, and are unpacked for the first that does. */
export const packed = ['noto-sans-sc.ttf', 'noto-emoji.ttf'];

/** Whoever passes a font on passes its licence on. */
export const licences = Object.fromEntries(
  ['noto-sans', 'noto-sans-arabic', 'noto-sans-sc', 'noto-emoji'].map((name) => [
    `${name}.licence.txt`,
    `${name}/LICENSE_FONT`,
  ]),
);
