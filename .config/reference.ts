import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { errorCodes, errorKinds } from '../src/ask/error-codes.ts';
import type { Docs } from './reference-docs.ts';
import { type Declared, type Exported, openSources } from './reference-read.ts';

const root = new URL('..', import.meta.url).pathname;
const folder = path.join(root, 'docs/reference');

/** The pages of the reference, and the sources of their exports. */
const pages: readonly { readonly file: string; readonly title: string; readonly lead: string; readonly of: RegExp }[] =
  [
    {
      file: 'opening.md',
      title: 'Opening and setting up',
      lead: 'Open a workspace, events in memory, the platform or a Cube server. Generate sample events. Check a setup.',
      of: /^use\/(?:open\.ts|library\/(?:options|standalone|init)\.ts|process|workspace|setup|sample|model)/,
    },
    {
      file: 'sluice.md',
      title: 'Running queries',
      lead: 'The object that `open` returns: queries, reports, exports and the event store of a workspace.',
      of: /^use\/(?:sluice|library\/(?:ask|definitions|drill|serve)|answer\/(?!saved)|server|funnel)|^run\/backend|^plan\/model/,
    },
    {
      file: 'questions.md',
      title: 'Building queries',
      lead: 'Build, read, check and write queries. `sluice/query` exports all of this for browsers, too.',
      of: /^ask\/(?!sluice-error|error-codes|outcome|document|chart)|^use\/(?:answer\/saved|library\/notation)/,
    },
    {
      file: 'results.md',
      title: 'Results',
      lead: 'Read a result, reshape it, and write it as text or to a file.',
      of: /^shape|^plan\/column|^use\/library\/(?:stream|to-text|arrange)|^use\/output|^show\/format-name/,
    },
    {
      file: 'analyses.md',
      title: 'Funnels, retention and other analyses',
      lead: 'Analyses defined in code, their rows, and cohorts of users.',
      of: /^use\/(?:analysis|cohort|library\/analyses)|^plan\/analysis/,
    },
    {
      file: 'charts.md',
      title: 'Charts',
      lead: 'Draw a result. `sluice/chart` exports only this.',
      of: /^show\/(?!format-name)|^use\/chart|^ask\/chart/,
    },
    {
      file: 'reports.md',
      title: 'Reports and usage',
      lead: 'Run, check and schedule reports, and count the billable events of projects.',
      of: /^use\/(?:report|library\/(?:reports|usage))|^tell/,
    },
    {
      file: 'events.md',
      title: 'Stores and exports',
      lead: 'Load events into the local store or into ClickHouse, and export events to files that can be verified.',
      of: /^use\/(?:export|ingest|library\/(?:clickhouse|exports|store))|^run\/(?:clickhouse|store)/,
    },
    {
      file: 'platform.md',
      title: 'The platform’s other resources',
      lead: 'Call any operation of the platform’s API: milestones, tags, commits, webhooks and more.',
      of: /^use\/(?:library\/(?:platform|sync)|platform)|^run\/platform/,
    },
    {
      file: 'errors.md',
      title: 'Errors',
      lead: 'The errors that functions throw, and all error codes with their messages.',
      of: /^ask\/(?:sluice-error|error-codes|outcome|document)|^run\/(?:export|http)/,
    },
  ];

/**
 * Generates the files of `docs/reference/`, by name, and lists the gaps in the documentation. Each gap names its place
 * in the sources.
 */
export function writeReference(): {
  readonly files: ReadonlyMap<string, string>;
  readonly gaps: readonly string[];
  /** Programs in doc comments. */
  readonly examples: readonly string[];
} {
  using sources = openSources();
  const exported = sources.exports().toSorted((one, other) => compareText(one.name, other.name));
  const pageOf = (one: Exported) => pages.filter(({ of }) => of.test(one.file.replace('src/', '')));
  const links = new Map(exported.map((one) => [one.name, `${pageOf(one)[0]?.file}#${one.name.toLowerCase()}`]));
  const files = new Map<string, string>(
    pages.map(({ file, title, lead }) => {
      const own = exported.filter((one) => pageOf(one)[0]?.file === file);
      const parts = [`# ${title}`, lead, ...inOrder(own).map((one) => writeExport(one, links, file))];
      if (file === 'errors.md') parts.push(writeCodes(exported, links, file));
      return [file, `${parts.join('\n\n')}\n`] as const;
    }),
  );
  files.set('README.md', writeIndex(exported, links));
  return {
    files,
    examples: exported.flatMap((one) => [one, ...one.members].flatMap(({ docs }) => examplesOf(docs))),
    gaps: exported.flatMap((one) => [
      ...(pageOf(one).length === 1 ? [] : [`${one.place}: ${one.name} has ${pageOf(one).length} pages.`]),
      ...[one, ...one.members].flatMap((declared) => gapsOf(one, declared)),
    ]),
  };
}

/** Functions and classes first, then the types of their arguments and results. */
function inOrder(exported: readonly Exported[]): readonly Exported[] {
  const rank = ({ kind, name }: Exported) => (name === 'Sluice' ? 0 : ['function', 'class'].includes(kind) ? 1 : 2);
  return exported.toSorted((one, other) => rank(one) - rank(other));
}

function gapsOf(owner: Exported, declared: Declared): readonly string[] {
  const name = owner === declared ? owner.name : `${owner.name}.${declared.name}`;
  return [
    ...(declared.docs.text === '' ? [`${declared.place}: ${name} has no doc comment.`] : []),
    ...(saysWhatItThrows(owner, declared) ? [] : [`${declared.place}: ${name} does not say what it throws.`]),
    ...declared.undocumented.map((part) => `${declared.place}: ${name} does not explain \`${part}\`.`),
  ];
}

/** Whether a function documents its errors, or its interface does for all functions. */
function saysWhatItThrows(owner: Exported, declared: Declared): boolean {
  const isFunction = owner === declared ? owner.kind === 'function' : declared.isFunction;
  // sluice calls these itself.
  const isCallback = owner !== declared && /^on[A-Z]/.test(declared.name);
  const said = /\b(?:throws?|rejects?)\b/i;
  return !isFunction || isCallback || said.test(declared.docs.text) || said.test(owner.docs.text);
}

type Links = ReadonlyMap<string, string>;

function writeExport(one: Exported, everywhere: Links, page: string): string {
  // In the text of a member, a name means another member before an export of the same name.
  const links = new Map([
    ...everywhere,
    ...one.members.map(({ name, isFunction }) => {
      const anchor = isFunction ? `${one.name}${name}` : one.name;
      return [name, `${page}#${anchor.toLowerCase()}`] as const;
    }),
  ]);
  const own = one.members.filter(({ isFunction }) => !isFunction);
  const functions = one.members.filter(({ isFunction }) => isFunction);
  return [
    `## ${one.name}`,
    `From ${one.entries.map((entry) => `\`${entry}\``).join(' and ')}. Source: \`${one.file}\`.`,
    code(one.signatures),
    ...body(one, links, page),
    ...[...one.inner].map(([name, text]) => `\`${name}\`:\n\n${code([text])}`),
    ...(one.includes.length > 0 ? [`It also has the members of ${list(one.includes, links, page)}.`] : []),
    ...(own.length > 0 ? [own.map((member) => writeField(member, links, page)).join('\n')] : []),
    ...functions.map((member) =>
      [`### ${one.name}.${member.name}`, code(member.signatures), ...body(member, links, page)].join('\n\n'),
    ),
  ].join('\n\n');
}

function body({ docs, parameters }: Declared, links: Links, page: string): readonly string[] {
  const told = parameters.filter(({ name }) => docs.params.has(name));
  return [
    linked(docs.text, links, page),
    ...(told.length > 0 ? [told.map(({ name }) => `- \`${name}\`: ${docs.params.get(name)}`).join('\n')] : []),
    ...(docs.returns === '' ? [] : [`Returns ${docs.returns}`]),
    ...docs.throws.map(({ type, text }) => `Throws \`${type}\` ${text}`),
    ...docs.examples.map((example) => code([example])),
  ].filter((part) => part !== '');
}

/** A member that is no function, as a list item. */
function writeField({ name, signatures: [signature = ''], docs }: Declared, links: Links, page: string): string {
  const text = linked(docs.text, links, page).replace(/\n+/g, '\n  ');
  // A type with documented members of its own is only readable line by line.
  if (signature.includes('/**'))
    return `- \`${name}\`  \n  ${text}\n\n${code([signature]).replace(/^(?=.)/gm, '  ')}\n`;
  return `- \`${signature.replace(/\s+/g, ' ')}\`  \n  ${text}`;
}

function code(texts: readonly string[]): string {
  return `\`\`\`ts\n${texts.join('\n')}\n\`\`\``;
}

function list(names: readonly string[], links: Links, page: string): string {
  return names.map((name) => linked(`\`${name}\``, links, page)).join(', ');
}

/** Links names of exports between backticks to their entries. */
function linked(text: string, links: Links, page: string): string {
  return text
    .split(/(```[^]*?```)/)
    .map((part) =>
      part.startsWith('```')
        ? part
        : part.replace(/(?<!\[)`([A-Za-z]+)`/g, (whole, name: string) => {
            const to = links.get(name);
            return to === undefined ? whole : `[${whole}](${to.replace(`${page}#`, '#')})`;
          }),
    )
    .join('');
}

function writeIndex(exported: readonly Exported[], links: Links): string {
  const item = ({ name, docs }: Exported) =>
    `- [\`${name}\`](${links.get(name)}): ${/^[^]*?(?:\.(?=\s|$)|$)/.exec(docs.text.replace(/\s+/g, ' '))?.[0]}`;
  return `${[
    '# API reference',
    'All exports of the package. `npm run docs` generates this folder from the doc comments in `src/`; edit those.',
    pages.map(({ file, title, lead }) => `- [${title}](${file}): ${lead}`).join('\n'),
    '## Functions and classes',
    exported
      .filter(({ kind, name }) => kind === 'function' || kind === 'class' || name === 'Sluice')
      .map(item)
      .join('\n'),
    '## Types',
    exported
      .filter(({ kind, name }) => kind !== 'function' && kind !== 'class' && name !== 'Sluice')
      .map(item)
      .join('\n'),
  ].join('\n\n')}\n`;
}

/** Every code with its kind, its message, and the functions whose documentation names it. */
function writeCodes(exported: readonly Exported[], links: Links, page: string): string {
  const said = messages();
  const throwers = (name: string) =>
    exported.flatMap((one) =>
      [one, ...one.members]
        .filter(({ docs }) => docs.text.includes(`\`${name}\``) || docs.throws.some(({ text }) => text.includes(name)))
        .map((declared) =>
          declared === one ? linked(`\`${one.name}\``, links, page) : `\`${one.name}.${declared.name}\``,
        ),
    );
  const rows = Object.entries(errorCodes)
    .toSorted(
      ([one, kind], [other, otherKind]) =>
        errorKinds.indexOf(kind) - errorKinds.indexOf(otherKind) || compareText(one, other),
    )
    .map(([name, kind]) => `| \`${name}\` | ${kind} | ${cell(said.get(name))} | ${throwers(name).join(', ')} |`);
  return [
    '## Codes',
    'The kind of a code decides the exit code of a command. `…` stands for the variable parts of a message. Messages without fixed text are omitted.',
    ['| code | kind | message | documented by |', '| --- | --- | --- | --- |', ...rows].join('\n'),
  ].join('\n\n');
}

function cell(text = ''): string {
  return text.replace(/\s+/g, ' ').replaceAll('|', '\\|').replaceAll('<', '&lt;');
}

/** The message of each code in the sources, with `…` for its variable parts. */
function messages(): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const piece = String.raw`\x60(?:[^\x60\\]|\\[^])*\x60|'(?:[^'\\]|\\.)*'|"[^"]*"|\((?:[^()]|\([^()]*\))*\)`;
  const thrown = new RegExp(
    String.raw`new \w+Error\(\s*((?:${piece})(?:\s*\+\s*(?:${piece}))*),\s*\{[^{}]*?code: '([\w-]+)'`,
    'g',
  );
  for (const file of readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' }).toSorted(compareText)) {
    if (!/\.tsx?$/.test(file)) continue;
    for (const [, written = '', name = ''] of readFileSync(path.join(root, 'src', file), 'utf8').matchAll(thrown)) {
      const pieces = (written.match(new RegExp(piece, 'g')) ?? []).map((text) =>
        text.startsWith('(') ? '…' : text.slice(1, -1).replace(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, '…'),
      );
      if (!found.has(name)) found.set(name, pieces.join('').replaceAll("\\'", "'"));
    }
  }
  return found;
}

/** The programs of a doc comment: in its tags, and in its text. */
function examplesOf({ text, examples }: Docs): readonly string[] {
  return [...examples, ...[...text.matchAll(/```ts\n([^]*?)\n```/g)].map(([, program = '']) => program)];
}

/** Compares in the same way on every machine. */
function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** The committed files of the reference. */
export function readReference(): ReadonlyMap<string, string> {
  return new Map(readdirSync(folder).map((file) => [file, readFileSync(path.join(folder, file), 'utf8')]));
}

if (import.meta.main) {
  const { files, gaps } = writeReference();
  for (const gap of gaps) console.error(gap);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [file, text] of files) writeFileSync(path.join(folder, file), text);
  process.exitCode = gaps.length > 0 ? 1 : 0;
}
