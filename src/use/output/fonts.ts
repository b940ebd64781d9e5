import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import { SluiceError } from '../../ask/sluice-error.ts';
import { makeTemporaryFolder } from '../../run/file/temporary-folder.ts';
import type { FontFiles, FontName } from '../../show/fonts/fonts.ts';

// The bundler defines this. In a build, the fonts lie beside the code.
declare const SLUICE_VERSION: string | undefined;

const packages: Readonly<Record<FontName, string>> = {
  'noto-sans': 'noto-sans/400Regular/NotoSans_400Regular.ttf',
  'noto-sans-semibold': 'noto-sans/600SemiBold/NotoSans_600SemiBold.ttf',
  'noto-sans-arabic': 'noto-sans-arabic/400Regular/NotoSansArabic_400Regular.ttf',
  'noto-sans-sc': 'noto-sans-sc/400Regular/NotoSansSC_400Regular.ttf',
  'noto-emoji': 'noto-emoji/400Regular/NotoEmoji_400Regular.ttf',
};

/**
 * The font files for pictures: beside the code in the package, and in `node_modules` in the source tree. Large fonts in
 * the package are compressed; accessing one unpacks it into a temporary folder. Throws `SluiceError` `font-not-found`,
 * because without its font a text would be missing in a picture.
 */
export function findFonts(): FontFiles {
  const built = typeof SLUICE_VERSION === 'string';
  const require = createRequire(import.meta.url);
  const files = {};
  for (const name of Object.keys(packages) as FontName[]) {
    const file = checked(built ? builtFile(name) : require.resolve(`@expo-google-fonts/${packages[name]}`));
    Object.defineProperty(files, name, { enumerable: true, get: () => (file.endsWith('.br') ? unpacked(file) : file) });
  }
  return files as FontFiles;
}

/** The code may be in a chunk, one folder below. */
function builtFile(name: FontName): string {
  const places = ['./fonts', '../fonts'].flatMap((folder) => [`${folder}/${name}.ttf`, `${folder}/${name}.ttf.br`]);
  const files = places.map((place) => fileURLToPath(new URL(place, import.meta.url)));
  return files.find((file) => existsSync(file)) ?? (files.at(-2) as string);
}

/** Unpacked files are kept until this process ends. */
const unpackedFiles = new Map<string, string>();

function unpacked(file: string): string {
  const known = unpackedFiles.get(file);
  if (known !== undefined && existsSync(known)) return known;
  const place = path.join(makeTemporaryFolder().path, path.basename(file, '.br'));
  writeFileSync(place, brotliDecompressSync(readFileSync(file)));
  unpackedFiles.set(file, place);
  return place;
}

function checked(file: string): string {
  if (existsSync(file)) return file;
  throw new SluiceError(`The font ${file} is missing.`, { code: 'font-not-found', hint: 'Install sluice again.' });
}
