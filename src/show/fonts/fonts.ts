/** The fonts that sluice brings along for pictures, in the order in which a character is looked for in them. */
const fontNames = ['noto-sans', 'noto-sans-semibold', 'noto-sans-arabic', 'noto-sans-sc', 'noto-emoji'] as const;

export type FontName = (typeof fontNames)[number];

/** Where the files of the fonts lie. */
export type FontFiles = Readonly<Record<FontName, string>>;

/** The family that texts are measured in. */
export const measuredFamily = 'Noto Sans';

/**
 * The families of a picture's texts. Where the first is missing, a viewer takes one that is hardly wider; so what was
 * measured still has room.
 */
export const fontFamilies = `${measuredFamily}, Segoe UI, Helvetica Neue, Arial, sans-serif`;

/** The weight of titles, and from where on a text counts as heavy. */
export const heavyWeight = 600;
