import { createHash } from 'node:crypto';
import { toPng } from '../../../src/show/picture/to-png.ts';
import { toSvg } from '../../../src/show/picture/to-svg.ts';
import { findFonts } from '../../../src/use/output/fonts.ts';
import { foreignSpecs, toSpecimenSpec } from './pictures.ts';

const hash = (data: string | Uint8Array) => createHash('sha256').update(data).digest('hex').slice(0, 16);

/** The bytes of the pictures, one line each, for processes with different environments. */
export async function digestPictures(names: readonly string[], drawn: readonly string[]): Promise<readonly string[]> {
  const lines: string[] = [];
  const fonts = findFonts();
  for (const name of [...names, ...Object.keys(foreignSpecs)]) {
    const svg = await toSvg(foreignSpecs[name] ?? toSpecimenSpec(name));
    lines.push(`${name} svg ${hash(svg)}`);
    if (drawn.includes(name)) lines.push(`${name} png ${hash(await toPng(svg, { fonts }))}`);
  }
  return lines;
}

if (process.argv[2] !== undefined) {
  const [names = '', drawn = ''] = process.argv.slice(2);
  console.log((await digestPictures(names.split(','), drawn.split(','))).join('\n'));
}
