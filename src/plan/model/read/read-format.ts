import { reportWarning, type Findings, type Site } from './site.ts';

/** `percent`, `currency` or a number format. Other kinds of formats are left out with a warning. */
export function readFormat(written: unknown, site: Site, findings: Findings): string | undefined {
  if (written == null) return undefined;
  if (typeof written === 'string') return written;
  reportWarning(
    findings,
    site,
    'not-supported',
    'Only formats of one word, such as `percent`, are supported; this one is left out.',
  );
  return undefined;
}
