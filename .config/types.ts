import { readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { API, NodeBuilderFlags } from 'typescript/unstable/sync';
import {
  isComputedPropertyName,
  isExportDeclaration,
  isExpressionWithTypeArguments,
  isIdentifier,
  isImportDeclaration,
  isImportTypeNode,
  isLiteralTypeNode,
  isNamedExports,
  isNamespaceImport,
  isPropertyAccessExpression,
  isQualifiedName,
  isStringLiteral,
  isTypeAliasDeclaration,
  isTypeQueryNode,
  isTypeReferenceNode,
  isVariableStatement,
  type Node,
  type Statement,
  type TypeAliasDeclaration,
} from 'typescript/unstable/ast';

// The compiler writes declarations of all sources, and describes types of schemas only as inferred from the schema. The
// package ships less: only declarations that the entry points need, with the resulting type in place of `z.infer<…>`.
// The types of the schemas themselves come from zod, and older compilers would spend most of their time on them.

const root = new URL('..', import.meta.url).pathname;
const types = `${root}dist/types/`;
const entries = ['index', 'query', 'chart'].map((name) => `${types}use/${name}.d.ts`);

/** A name in a file of declarations or in a package. */
interface Named {
  readonly from: string;
  readonly name: string;
  /** For an export: whether it is only a type, without a value at run time. */
  readonly isType?: boolean;
}

/** A file of declarations. */
interface Module {
  /** Statements by name; several for overloads. */
  readonly declared: ReadonlyMap<string, readonly Statement[]>;
  /** Imported names by their local names. */
  readonly imported: ReadonlyMap<string, Named>;
  readonly exported: ReadonlyMap<string, Named>;
}

/** The text to write for a statement. */
interface Part {
  readonly text: string;
  readonly uses: readonly Named[];
}

const project = openDeclarations();
const modules = new Map<string, Module>();
const parts = new Map<Statement, Part>();
/** Names to keep, by file. */
const kept = new Map<string, Set<string>>();
for (const entry of entries) for (const name of moduleOf(entry).exported.keys()) keep({ from: entry, name });
for (const name of await readdir(types, { recursive: true })) {
  const file = types + name;
  if (kept.has(file)) await writeFile(file, textOf(file));
  else if (name.endsWith('.d.ts')) await rm(file);
}
project.close();

function openDeclarations() {
  const config = `${types}tsconfig.json`;
  const text = JSON.stringify({ extends: '../../tsconfig.json', files: entries, include: [] });
  const api = new API({
    cwd: root,
    fs: {
      readFile: (file) => (file === config ? text : undefined),
      fileExists: (file) => (file === config ? true : undefined),
    },
  });
  const opened = api.updateSnapshot({ openProjects: [config] }).getProject(config);
  if (opened === undefined) throw new Error('The declarations cannot be read.');
  const { checker, program, emitter } = opened;
  return {
    statementsOf(file: string): readonly Statement[] {
      const source = program.getSourceFile(file);
      if (source === undefined) throw new Error(`There is no ${file}.`);
      return source.statements;
    },
    /** The type of an alias, written with the names of its file. */
    standsFor(alias: TypeAliasDeclaration): Node {
      const type = checker.getDeclaredTypeOfSymbol(checker.getSymbolAtLocation(alias.name)!);
      return checker.typeToTypeNode(type, alias, NodeBuilderFlags.NoTruncation | NodeBuilderFlags.InTypeAlias)!;
    },
    print: (node: Node) => emitter.printNode(node),
    close: () => api.close(),
  };
}

function moduleOf(file: string): Module {
  const known = modules.get(file);
  if (known) return known;
  const declared = new Map<string, Statement[]>();
  const imported = new Map<string, Named>();
  const exported = new Map<string, Named>();
  for (const statement of project.statementsOf(file)) {
    if (isImportDeclaration(statement)) {
      const from = placeOf(file, statement.moduleSpecifier);
      const bindings = statement.importClause?.namedBindings;
      if (bindings && isNamespaceImport(bindings)) imported.set(bindings.name.text, { from, name: '*' });
      else
        for (const { name, propertyName } of bindings?.elements ?? [])
          imported.set(name.text, { from, name: (propertyName ?? name).text });
    } else if (isExportDeclaration(statement)) {
      const { exportClause, moduleSpecifier } = statement;
      if (!exportClause || !isNamedExports(exportClause)) throw new Error(`${file}: name what is exported.`);
      for (const { name, propertyName, isTypeOnly } of exportClause.elements)
        exported.set(name.text, {
          from: moduleSpecifier ? placeOf(file, moduleSpecifier) : file,
          name: (propertyName ?? name).text,
          isType: statement.isTypeOnly || isTypeOnly,
        });
    } else for (const name of namesOf(statement)) declared.set(name, [...(declared.get(name) ?? []), statement]);
  }
  const module = { declared, imported, exported };
  modules.set(file, module);
  return module;
}

function namesOf(statement: Statement): readonly string[] {
  const declarations = isVariableStatement(statement) ? statement.declarationList.declarations : [statement];
  return declarations.map((declaration) => {
    const { name } = declaration as { readonly name?: Node };
    if (!name || !isIdentifier(name)) throw new Error(`A statement without a name: ${statement.getText()}`);
    return name.text;
  });
}

/** Keeps the declarations of a name, and all that they use. `way` is the path to it, for errors. */
function keep(asked: Named, way: readonly string[] = []): void {
  const here = [...way, `${asked.name} of ${asked.from.replace(types, '')}`];
  if (!isOwn(asked)) throw new Error(`The declarations speak of a package:\n${here.join('\n')}`);
  const names = kept.get(asked.from) ?? new Set();
  kept.set(asked.from, names);
  if (names.has(asked.name)) return;
  names.add(asked.name);
  for (const part of partsOf(asked)) for (const use of 'uses' in part ? part.uses : [part]) keep(use, here);
}

function isOwn({ from }: Named): boolean {
  return from.startsWith(types);
}

/** The statements of a name, or the name that its file imports. */
function partsOf({ from, name }: Named): readonly (Part | Named)[] {
  const { declared, imported, exported } = moduleOf(from);
  const statements = declared.get(name);
  if (statements) return statements.map((statement) => partOf(from, statement));
  const elsewhere = imported.get(name) ?? exported.get(name);
  if (elsewhere === undefined) throw new Error(`${from} has no ${name}.`);
  return [elsewhere];
}

/** A statement as written. An alias that depends on schemas is replaced by its type. */
function partOf(file: string, statement: Statement): Part {
  const known = parts.get(statement);
  if (known) return known;
  const raw = { text: statement.getFullText(), uses: usesOf(file, statement) };
  parts.set(statement, raw);
  if (!isTypeAliasDeclaration(statement) || statement.typeParameters || !raw.uses.some((use) => leadsAway(use)))
    return raw;
  const type = project.standsFor(statement);
  const before = raw.text.slice(0, statement.type.getFullStart() - statement.getFullStart());
  const resolved = { text: `${before} ${project.print(type)};`, uses: usesOf(file, type) };
  parts.set(statement, resolved);
  return resolved;
}

/** Whether a name depends on a package. */
function leadsAway(asked: Named, seen = new Set<string>()): boolean {
  if (!isOwn(asked)) return true;
  const key = `${asked.from} ${asked.name}`;
  if (seen.has(key)) return false;
  seen.add(key);
  return partsOf(asked).some((part) => ('uses' in part ? part.uses : [part]).some((use) => leadsAway(use, seen)));
}

/** The names that a declaration uses, from its file or from others by `import('…')`. */
function usesOf(file: string, declaration: Node): readonly Named[] {
  const { declared, imported } = moduleOf(file);
  const uses: Named[] = [];
  const visit = (node: Node): void => {
    if (isImportTypeNode(node)) uses.push({ from: placeOf(file, node.argument), name: firstOf(node.qualifier) });
    const name = firstOf(
      isTypeReferenceNode(node)
        ? node.typeName
        : isTypeQueryNode(node)
          ? node.exprName
          : isExpressionWithTypeArguments(node) || isComputedPropertyName(node)
            ? node.expression
            : undefined,
    );
    if (declared.has(name) || imported.has(name)) uses.push({ from: file, name });
    node.forEachChild(visit);
  };
  visit(declaration);
  return uses;
}

/** `Config` of `Config.name`; an empty text if it is no name. */
function firstOf(name: Node | undefined): string {
  if (name && isQualifiedName(name)) return firstOf(name.left);
  if (name && isPropertyAccessExpression(name)) return firstOf(name.expression);
  return name && isIdentifier(name) ? name.text : '';
}

/** The file or package of a specifier. */
function placeOf(file: string, specifier: Node): string {
  const literal = isLiteralTypeNode(specifier) ? specifier.literal : specifier;
  if (!isStringLiteral(literal)) throw new Error(`${file} imports what cannot be read.`);
  return literal.text.startsWith('.')
    ? path.resolve(path.dirname(file), literal.text.replace(/\.tsx?$/, '.d.ts'))
    : literal.text;
}

function textOf(file: string): string {
  const { declared, imported, exported } = moduleOf(file);
  const lists = new Map<string, string[]>();
  const texts = new Set<string>();
  for (const name of kept.get(file)!) {
    const elsewhere = declared.has(name) ? undefined : (imported.get(name) ?? exported.get(name)!);
    if (elsewhere === undefined) for (const statement of declared.get(name)!) texts.add(partOf(file, statement).text);
    else {
      const verb = imported.has(name) ? 'import type' : elsewhere.isType ? 'export type' : 'export';
      const from = path.relative(path.dirname(file), elsewhere.from).replace(/^(?!\.)/, './');
      const key = `${verb} {} from '${from.replace(/\.d\.ts$/, '.ts')}';`;
      lists.set(key, [...(lists.get(key) ?? []), elsewhere.name === name ? name : `${elsewhere.name} as ${name}`]);
    }
  }
  const lines = [...lists].map(([line, names]) => line.replace('{}', `{ ${names.join(', ')} }`));
  return `${[...lines, ...texts].join('\n').trim()}\n`;
}
