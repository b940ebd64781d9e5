import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { SluiceError } from '../../ask/sluice-error.ts';
import type { FontFiles, FontName } from '../../show/fonts/fonts.ts';

// The bundler writes this in: whether the fonts lie beside the code, where the build has put them.
declare const SLUICE_VERSION: string | undefined;

const packages: Readonly<Record<FontName, string>> = {
  'noto-sans': 'noto-sans/400Regular/NotoSans_400Regular.ttf',
  'noto-sans-semibold': 'noto-sans/600SemiBold/NotoSans_600SemiBold.ttf',
  'noto-sans-arabic': 'noto-sans-arabic/400Regular/NotoSansArabic_400Regular.ttf',
  'noto-sans-sc': 'noto-sans-sc/400Regular/NotoSansSC_400Regular.ttf',
  'noto-emoji': 'noto-emoji/400Regular/NotoEmoji_400Regular.ttf',
};

/**
 * The files of the fonts for pictures: in the package beside its code, in the source tree where the package manager has
 * put them. Throws `SluiceError` `font-not-found`: without its font a text would be left out of a picture.
 */
export function findFonts(): FontFiles {
  const built = typeof SLUICE_VERSION === 'string';
  const require = createRequire(import.meta.url);
  const names = Object.keys(packages) as FontName[];
  return Object.fromEntries(
    names.map((name) => [
      name,
      checked(built ? builtFile(name) : require.resolve(`@expo-google-fonts/${packages[name]}`)),
    ]),
  ) as FontFiles;
}

/** The code may lie in a chunk, a folder below. */
function builtFile(name: FontName): string {
  const beside = fileURLToPath(new URL(`./fonts/${name}.ttf`, import.meta.url));
  return existsSync(beside) ? beside : fileURLToPath(new URL(`../fonts/${name}.ttf`, import.meta.url));
}

function checked(file: string): string {
  if (existsSync(file)) return file;
  throw new SluiceError(`The font ${file} is missing.`, { code: 'font-not-found', hint: 'Install sluice again.' });
}
