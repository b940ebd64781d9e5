import type { WholeCube } from './extend-cubes.ts';
import type { CubeText } from './read-file.ts';
import { below, reportError, type Findings, type Site, type Sited } from './site.ts';
import { identifier } from '../identifier.ts';

/** Cubes share one space of names over all files. */
export function checkCubeNames(cubes: readonly CubeText[], files: readonly { readonly file: string }[], findings: Findings): void {
  const owners = new Map<string, number>();
  for (const { value: { name }, site } of cubes) {
    checkName(name, 'cube', below(site, 'name'), findings);
    const owner = owners.get(name);
    if (owner !== undefined) {
      const where = owner === site.file ? '' : `, here and in ${files[owner]?.file}`;
      reportError(findings, below(site, 'name'), 'duplicate-name', `Two cubes are named "${name}"${where}.`);
    }
    owners.set(name, owner ?? site.file);
  }
}

/** Measures, dimensions and segments of a cube share one space of names. */
export function checkMemberNames(cube: WholeCube, findings: Findings): void {
  const kinds = new Map<string, string>();
  const check = (kind: string, members: readonly Sited<{ readonly name: string }>[]) => {
    for (const { value: { name }, site } of members) {
      checkName(name, kind, below(site, 'name'), findings);
      const other = kinds.get(name);
      if (other !== undefined) {
        const what = other === kind ? `two ${kind}s` : `a ${other} and a ${kind}`;
        reportError(findings, below(site, 'name'), 'duplicate-name', `The cube "${cube.name}" has ${what} named "${name}".`);
      }
      kinds.set(name, kind);
    }
  };
  check('measure', cube.measures);
  check('dimension', cube.dimensions);
  check('segment', cube.segments);
  checkJoinNames(cube, findings);
}

function checkJoinNames(cube: WholeCube, findings: Findings): void {
  const seen = new Set<string>();
  for (const { value: { name }, site } of cube.joins) {
    if (seen.has(name)) reportError(findings, below(site, 'name'), 'duplicate-name', `The cube "${cube.name}" joins "${name}" twice.`);
    seen.add(name);
  }
}

function checkName(name: string, what: string, site: Site, findings: Findings): void {
  if (!identifier.test(name)) {
    const hint = 'Names are made of letters, digits and underscores, and do not start with a digit.';
    reportError(findings, site, 'bad-name', `"${name}" cannot be the name of a ${what}.`, hint);
  } else if (name === 'CUBE' || name === 'TABLE') {
    reportError(findings, site, 'bad-name', `"${name}" cannot be the name of a ${what}: it means the cube itself.`);
  }
}
