import { API, NodeBuilderFlags, type Project, type Symbol as Name, SymbolFlags } from 'typescript/unstable/sync';
import {
  isClassDeclaration,
  isFunctionDeclaration,
  isFunctionTypeNode,
  isIdentifier,
  isInterfaceDeclaration,
  isLiteralTypeNode,
  isMethodDeclaration,
  isMethodSignatureDeclaration,
  isPropertyAssignment,
  isPropertyDeclaration,
  isPropertySignatureDeclaration,
  isTypeAliasDeclaration,
  isTypeReferenceNode,
  isVariableDeclaration,
  type Node,
} from 'typescript/unstable/ast';
import { type Docs, readDocs } from './reference-docs.ts';

/** A declared function, member or type. */
export interface Declared {
  readonly name: string;
  /** `src/…/file.ts:12`. */
  readonly place: string;
  /** TypeScript text, one for each overload. */
  readonly signatures: readonly string[];
  readonly docs: Docs;
  readonly isFunction: boolean;
  /** Names and types of the parameters of a function. */
  readonly parameters: readonly { readonly name: string; readonly type: string }[];
  /** Parts of its type without a doc comment that its own comment does not name between backticks. */
  readonly undocumented: readonly string[];
}

/** An export of an entry point. */
export interface Exported extends Declared {
  readonly kind: 'class' | 'constant' | 'function' | 'interface' | 'type';
  /** Path from the root of the repository. */
  readonly file: string;
  /** `sluice`, `sluice/query`, … */
  readonly entries: readonly string[];
  readonly members: readonly Declared[];
  /** Exported types from which it inherits members. */
  readonly includes: readonly string[];
  /** Source of the types that it names and no entry point exports, by name. */
  readonly inner: ReadonlyMap<string, string>;
}

const root = new URL('..', import.meta.url).pathname;
const entryFiles = { sluice: 'index', 'sluice/query': 'query', 'sluice/chart': 'chart' };

/**
 * Opens the sources with the compiler of the lock file. Packages that generate references from TypeScript need an older
 * compiler. This compiler's own interface (`typescript/unstable/sync`) takes two or three seconds.
 */
export function openSources() {
  const virtual = new Map<string, string>();
  const api = new API({
    cwd: root,
    fs: {
      readFile: (file) => virtual.get(file),
      fileExists: (file) => (virtual.has(file) ? true : undefined),
    },
  });
  const open = (config: string) => {
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    if (project === undefined) throw new Error(`${config} cannot be read.`);
    return project;
  };
  return {
    /** The exports of the entry points. */
    exports: () => readExports(open(`${root}.config/tsconfig.types.json`)),
    /** The compiler's errors for a program, given as text, that imports the package by its name. */
    mistakes(program: string): readonly string[] {
      const [file, config] = [`${root}.config/virtual.ts`, `${root}.config/tsconfig.virtual.json`];
      virtual.set(file, program);
      virtual.set(
        config,
        JSON.stringify({
          extends: '../tsconfig.json',
          compilerOptions: { noUnusedLocals: false },
          files: [file],
          include: [],
        }),
      );
      const lines = program.split('\n');
      return open(config)
        .program.getSemanticDiagnostics(file)
        .map(({ text, pos }) => `${text} In: ${lines[program.slice(0, pos).split('\n').length - 1]?.trim()}`);
    },
    [Symbol.dispose]: () => api.close(),
  };
}

function readExports(project: Project): readonly Exported[] {
  const { program, checker } = project;
  const found = new Map<Name, { name: string; entries: string[]; nodes: readonly Node[] }>();
  const nodesOf = (symbol: Name) =>
    symbol.declarations.map((at) => at.resolve(project)).filter((node) => node !== undefined);
  for (const [entry, file] of Object.entries(entryFiles)) {
    const source = program.getSourceFile(`${root}src/use/${file}.ts`);
    const module = source && checker.getSymbolAtLocation(source);
    if (module === undefined) throw new Error(`src/use/${file}.ts cannot be read.`);
    for (const symbol of checker.getExportsOfModule(module)) {
      const target = symbol.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      const known = found.get(target);
      if (known) known.entries.push(entry);
      else found.set(target, { name: symbol.name, entries: [entry], nodes: nodesOf(target) });
    }
  }
  /** Shows a union that is made from a list of words as these words. */
  const wordsOf = (name: string, symbol: Name) => {
    const type = checker.getDeclaredTypeOfSymbol(symbol);
    return `type ${name} = ${checker.typeToString(type, undefined, NodeBuilderFlags.NoTruncation)}`;
  };
  /** Records and unions that the text of a declaration names, except generic ones. */
  const innerOf = (nodes: readonly Node[]) => {
    const inner = new Map<string, string>();
    const visit = (node: Node): void => {
      if (isTypeReferenceNode(node) && isIdentifier(node.typeName)) {
        const named = checker.getSymbolAtLocation(node.typeName);
        const target = named && named.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(named) : named;
        const [declaration] = target && !found.has(target) ? nodesOf(target) : [];
        if (target && declaration && isShape(declaration))
          inner.set(
            node.typeName.text,
            isListed(declaration) ? wordsOf(node.typeName.text, target) : dedent(sourceOf(declaration)),
          );
      }
      node.forEachChild(visit);
    };
    for (const node of nodes) if (!isFunctionDeclaration(node)) visit(node);
    return inner;
  };
  const exported = [...found.values()].flatMap(({ name, nodes }) => nodes.map((node) => ({ name, node })));

  return [...found].map(([symbol, { name, entries, nodes }]) => {
    const [first] = nodes;
    if (first === undefined) throw new Error(`${name} has no declaration.`);
    const members: (Declared & { readonly nodes: readonly Node[] })[] = [];
    const includes = new Set<string>();
    const isRecord = isInterfaceDeclaration(first) || isClassDeclaration(first);
    // Members of base types that no entry point exports are shown as the type's own.
    for (const member of isRecord ? checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol)) : []) {
      const declarations = nodesOf(member);
      const [declaration] = declarations;
      if (declaration === undefined || !fileOf(declaration).startsWith('src/')) continue;
      const owner = exported.find(({ node }) => holds(node, declaration))?.name ?? name;
      const declared = toDeclared(member.name, declarations);
      // A part of a schema: its type is the type that the schema accepts, its text the schema's description.
      const type = () => checker.typeToString(checker.getTypeOfSymbolAtLocation(member, declaration));
      const own = isPropertyAssignment(declaration)
        ? { ...declared, signatures: [`${member.name}?: ${type()}`], undocumented: [] }
        : declared;
      if (owner === name) members.push({ ...own, nodes: declarations });
      else includes.add(owner);
    }
    const declared = toDeclared(name, nodes);
    return {
      ...declared,
      signatures: isListed(first) ? [wordsOf(name, symbol)] : declared.signatures,
      kind: kindOf(first),
      file: fileOf(first),
      entries,
      members,
      includes: [...includes],
      inner: innerOf([...nodes, ...members.flatMap(({ nodes }) => nodes)]),
    };
  });
}

function fileOf(node: Node): string {
  const { fileName } = node.getSourceFile();
  return fileName.startsWith(root) ? fileName.slice(root.length) : fileName;
}

function holds(outer: Node, inner: Node): boolean {
  return outer.pos <= inner.pos && inner.end <= outer.end && fileOf(outer) === fileOf(inner);
}

/** Whether a declaration of the sources is a type that can be shown as written. */
function isShape(node: Node): boolean {
  if (!fileOf(node).startsWith('src/')) return false;
  return (isInterfaceDeclaration(node) || isTypeAliasDeclaration(node)) && node.typeParameters === undefined;
}

/** `type Order = (typeof orders)[number]`. */
function isListed(node: Node): boolean {
  return isTypeAliasDeclaration(node) && /\(typeof \w+\)\[number\];?$/.test(node.getText());
}

/** The text of a declaration with its doc comment. */
function sourceOf(node: Node): string {
  const comment = commentOf(node);
  return `${comment.trim()}\n${node.getText().replace(/^export /, '')}`.trim();
}

function kindOf(node: Node): Exported['kind'] {
  if (isClassDeclaration(node)) return 'class';
  if (isFunctionDeclaration(node)) return 'function';
  if (isInterfaceDeclaration(node)) return 'interface';
  return isTypeAliasDeclaration(node) ? 'type' : 'constant';
}

function toDeclared(name: string, nodes: readonly Node[]): Declared {
  const comment = nodes.map(commentOf).find((given) => given !== '') ?? '';
  const functions = nodes.map(functionOf).filter((node) => node !== undefined);
  const parameters = functions
    .flatMap(({ parameters }) => parameters)
    .map((given) => ({
      // A destructured parameter has no name.
      name: /^\w+$/.test(given.name.getText()) ? given.name.getText() : 'options',
      type: given.type?.getText() ?? '',
    }));
  return {
    name,
    place: placeOf(nodes[0]!),
    signatures: nodes.map(signatureOf),
    docs: readDocs(comment),
    isFunction: functions.length > 0,
    parameters: [...new Map(parameters.map((parameter) => [parameter.name, parameter])).values()],
    undocumented: nodes
      .filter((node) => !isClassDeclaration(node) && !isInterfaceDeclaration(node))
      .flatMap(bareParts)
      .filter((part) => !comment.includes(`\`${part}\``)),
  };
}

function placeOf(node: Node): string {
  const { text } = node.getSourceFile();
  return `${fileOf(node)}:${text.slice(0, node.getStart()).split('\n').length}`;
}

/** Names of a type's parts, at any depth, without a doc comment. A part with a single possible word needs none. */
function bareParts(node: Node): readonly string[] {
  const bare: string[] = [];
  const visit = (child: Node): void => {
    if (
      isPropertySignatureDeclaration(child) &&
      commentOf(child) === '' &&
      !(child.type && isLiteralTypeNode(child.type))
    )
      bare.push(child.name.getText().replaceAll("'", ''));
    child.forEachChild(visit);
  };
  // The type of a function's result has its own documentation.
  const parameters = functionOf(node)?.parameters;
  if (parameters) for (const { type } of parameters) type?.forEachChild(visit);
  else node.forEachChild(visit);
  return bare;
}

interface Parameterised {
  readonly parameters: readonly { readonly name: Node; readonly type?: Node | undefined }[];
}

/** The node with the parameters of a function, a method, or a property that is a function. */
function functionOf(node: Node): Parameterised | undefined {
  if (isFunctionDeclaration(node) || isMethodDeclaration(node) || isMethodSignatureDeclaration(node)) return node;
  return isPropertySignatureDeclaration(node) && node.type && isFunctionTypeNode(node.type) ? node.type : undefined;
}

/** The doc comment directly before a declaration, or an empty text. */
function commentOf(node: Node): string {
  const described = isPropertyAssignment(node) && /\.describe\(\s*'([^']+)'/.exec(node.getText())?.[1];
  if (described) return `/** ${described} */`;
  const whole = isVariableDeclaration(node) ? node.parent.parent : node;
  const before = whole.getSourceFile().text.slice(whole.getFullStart(), whole.getStart());
  return /\/\*\*(?:(?!\*\/)[^])*\*\/\s*$/.exec(before)?.[0] ?? '';
}

/** The text of a declaration without its body, its members and its modifiers. */
function signatureOf(node: Node): string {
  const { text } = node.getSourceFile();
  const until = (end: Node | undefined) => text.slice(node.getStart(), end ? end.getFullStart() : node.end);
  const short = (given: string) =>
    given.replace(/\s*[;={]\s*$/, '').replace(/^(?:(?:export|declare|async|readonly|override) )+/, '');
  if (isVariableDeclaration(node)) return `const ${short(node.type ? until(node.initializer) : node.name.getText())}`;
  if (isFunctionDeclaration(node) || isMethodDeclaration(node)) return short(until(node.body));
  if (isPropertyDeclaration(node)) return short(until(node.initializer));
  if (isInterfaceDeclaration(node) || isClassDeclaration(node))
    return short(text.slice(node.getStart(), node.members.pos));
  return dedent(short(node.getText()));
}

/** Removes the indent of the last line from all lines. */
function dedent(text: string): string {
  const indent = /\n( +)\S[^\n]*$/.exec(text)?.[1] ?? '';
  return text.replaceAll(`\n${indent}`, '\n');
}
