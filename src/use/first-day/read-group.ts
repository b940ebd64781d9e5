import { bad, errorIssue, good, type Outcome } from '../../ask/outcome.ts';
import { quote } from '../../ask/quote.ts';
import { toProject } from '../config/read-environment.ts';
import type { UsageGroup } from './answers.ts';

/** A group of projects as it is typed: `acme=42,shops/web`. Issue: `invalid-group`. */
export function readGroup(text: string): Outcome<UsageGroup> {
  const at = text.indexOf('=');
  const name = text.slice(0, Math.max(at, 0)).trim();
  const projects = text.slice(at + 1).split(',').map((project) => project.trim()).filter((project) => project !== '');
  if (name !== '' && projects.length > 0) return good({ name, projects: projects.map(toProject) });
  return bad([errorIssue('invalid-group', `${quote(text)} is no group of projects.`, { hint: 'Write its name and its projects, by number or path: acme=42,7' })]);
}
