/** Bundled fonts for pictures, in lookup order. */
const fontNames = ['noto-sans', 'noto-sans-semibold', 'noto-sans-arabic', 'noto-sans-sc', 'noto-emoji'] as const;

export type FontName = (typeof fontNames)[number];

/** Paths of the font files. */
export type FontFiles = Readonly<Record<FontName, string>>;

/** The family used to measure texts. */
export const measuredFamily = 'Noto Sans';

/**
 * Font families of a picture. Without the first, a viewer uses one that is hardly wider, so measured texts still fit.
 */
export const fontFamilies = `${measuredFamily}, Segoe UI, Helvetica Neue, Arial, sans-serif`;

/** The weight of titles, and the least weight that counts as heavy. */
export const heavyWeight = 600;
