import fs from 'node:fs';
import path from 'node:path';

/**
 * Collects the packages that a bundle contains and writes their notices beside it:
 * `THIRD-PARTY-LICENSES` with the full texts, and `bom.cdx.json`, a CycloneDX bill of materials.
 * An audit of the installed dependencies does not see these packages, because they are bundled.
 */
export function collectNotices() {
  const folders = new Set();
  return {
    plugin: {
      name: 'collect-notices',
      generateBundle(_options, bundle) {
        for (const { moduleIds = [] } of Object.values(bundle)) {
          for (const id of moduleIds) {
            const folder = packageFolder(id);
            if (folder !== undefined) folders.add(folder);
          }
        }
      },
    },
    write(directory) {
      const packages = [...folders].map(readPackage).sort((a, b) => (a.purl < b.purl ? -1 : 1));
      fs.writeFileSync(path.join(directory, 'THIRD-PARTY-LICENSES'), packages.map(notice).join(''));
      fs.writeFileSync(path.join(directory, 'bom.cdx.json'), `${JSON.stringify(billOfMaterials(packages), null, 2)}\n`);
    },
  };
}

/** The folder of the package that a module belongs to; undefined for the project's own modules. */
function packageFolder(id) {
  const file = id.replace(/^\0/, '').replace(/\?.*$/, '');
  const match = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file);
  return match === null ? undefined : match[0];
}

function readPackage(folder) {
  const { name, version, license, homepage, author } = JSON.parse(
    fs.readFileSync(path.join(folder, 'package.json'), 'utf8'),
  );
  const texts = fs
    .readdirSync(folder)
    .filter(
      (file) => /^(?:licen[cs]e|notice|copying)(?:[.-]|$)/i.test(file) && fs.statSync(path.join(folder, file)).isFile(),
    )
    .sort()
    .map((file) => fs.readFileSync(path.join(folder, file), 'utf8').trim());
  if (typeof license !== 'string')
    throw new Error(`${name} declares no license in its package.json, so it cannot be bundled.`);
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  const holder = typeof author === 'string' ? author : (author?.name ?? 'the authors');
  if (texts.length === 0)
    texts.push(`The package contains no license file. It declares the license ${license}. Copyright: ${holder}.`);
  return { name, version, license, homepage, texts, purl };
}

function notice({ name, version, license, homepage, texts }) {
  const rule = '='.repeat(80);
  return `${rule}\n${name} ${version} (${license})${homepage === undefined ? '' : `\n${homepage}`}\n${rule}\n\n${texts.join('\n\n')}\n\n`;
}

function billOfMaterials(packages) {
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    components: packages.map(({ name, version, license, purl }) => ({
      type: 'library',
      'bom-ref': purl,
      name,
      version,
      purl,
      licenses: [/[ ()]/.test(license) ? { expression: license } : { license: { id: license } }],
    })),
  };
}
