import { parseAst } from 'rolldown/parseAst';

/** One way in which a file refers to another by name, in any form. */
export interface Import {
  readonly specifier: string;
  readonly kind: 'static' | 'type' | 'dynamic';
}

/** The facts about one source file that the rules use. */
export interface SourceFacts {
  readonly imports: readonly Import[];
  /**
   * Globals for time, randomness, environment, console and network that it uses: `process`, `Date.now`, `new Date()`,
   * `fetch` …
   */
  readonly ambient: readonly string[];
  readonly exportsDefault: boolean;
  readonly saysAny: boolean;
}

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** Parses a source, so that comments and strings are not mistaken for code. */
export function readSource(path: string, source: string): SourceFacts {
  const imports: Import[] = [];
  const used = new Set<string>();
  const declared = new Set<string>();
  let exportsDefault = false;
  let saysAny = false;

  function visit(node: Node, key: string, parent: Node | undefined): void {
    const found = importOf(node);
    if (found !== undefined) imports.push(found);
    if (
      node.type === 'ExportDefaultDeclaration' ||
      (node.type === 'ExportSpecifier' && nameOf(node.exported) === 'default')
    )
      exportsDefault = true;
    if (node.type === 'TSAnyKeyword') saysAny = true;
    const ambient = ambientOf(node, key, parent);
    if (ambient !== undefined) used.add(ambient);
    for (const name of declaredBy(node)) declared.add(name);
    for (const [childKey, child] of Object.entries(node)) {
      for (const one of Array.isArray(child) ? child : [child]) if (isNode(one)) visit(one, childKey, node);
    }
  }

  visit(parseAst(source, { lang: 'ts' }, path) as unknown as Node, '', undefined);
  return { imports, ambient: [...used].filter((name) => !declared.has(name)), exportsDefault, saysAny };
}

const importTypes: Readonly<Record<string, Import['kind']>> = {
  ImportDeclaration: 'static',
  ExportAllDeclaration: 'static',
  ExportNamedDeclaration: 'static',
  TSImportType: 'type',
  ImportExpression: 'dynamic',
};

function importOf(node: Node): Import | undefined {
  const kind = importTypes[node.type];
  if (kind === undefined || !isNode(node.source)) return undefined;
  const { value } = node.source;
  const onlyTypes = node.importKind === 'type' || node.exportKind === 'type';
  return { specifier: typeof value === 'string' ? value : '(computed)', kind: onlyTypes ? 'type' : kind };
}

const ambientNames = new Set(['console', 'process', 'performance', 'fetch', 'WebSocket']);
/** A map, because sources also use names of `Object` methods for variables. */
const ambientMembers: ReadonlyMap<string, readonly string[]> = new Map([
  ['Date', ['now']],
  ['Math', ['random']],
  ['crypto', ['randomUUID', 'getRandomValues']],
  ['globalThis', [...ambientNames]],
]);
const randomImports = new Set(['randomUUID', 'randomBytes', 'randomInt', 'getRandomValues']);

function ambientOf(node: Node, key: string, parent: Node | undefined): string | undefined {
  const callee = nameOf(node.callee);
  if (callee === 'Date' && node.type === 'NewExpression' && (node.arguments as unknown[]).length === 0)
    return 'new Date()';
  if (callee === 'Date' && node.type === 'CallExpression') return 'Date()';
  if (node.type === 'MemberExpression') {
    const object = nameOf(node.object) ?? '';
    const property = nameOf(node.property) ?? String((node.property as Node).value);
    if (ambientMembers.get(object)?.includes(property)) return `${object}.${property}`;
  }
  if (node.type === 'ImportSpecifier' && randomImports.has(nameOf(node.imported) ?? ''))
    return `crypto.${nameOf(node.imported)}`;
  const name = nameOf(node);
  return name !== undefined && ambientNames.has(name) && !isOnlyAName(key, parent) ? name : undefined;
}

/** The identifier names a property, not a variable in scope. */
function isOnlyAName(key: string, parent: Node | undefined): boolean {
  if (parent === undefined) return false;
  if (key === 'property') return parent.computed !== true;
  if (key === 'key') return parent.computed !== true;
  return (
    ['imported', 'exported', 'right', 'label'].includes(key) &&
    /^(?:Import|Export|TSQualified|Labeled)/.test(parent.type)
  );
}

/** Names that a node brings into scope: imports, variables, functions, classes, parameters. */
function declaredBy(node: Node): readonly string[] {
  if (/^Import.*Specifier$/.test(node.type)) return boundBy(node.local);
  const names = /^(?:Variable|Function|Class)/.test(node.type) ? boundBy(node.id) : [];
  const { params, param } = node;
  return [...names, ...(Array.isArray(params) ? params.flatMap(boundBy) : []), ...boundBy(param)];
}

function boundBy(pattern: unknown): readonly string[] {
  if (!isNode(pattern)) return [];
  const name = nameOf(pattern);
  if (name !== undefined) return [name];
  const { properties, elements, value, left, argument } = pattern;
  if (Array.isArray(properties)) return properties.flatMap(boundBy);
  if (Array.isArray(elements)) return elements.flatMap(boundBy);
  return boundBy(value ?? left ?? argument);
}

function nameOf(node: unknown): string | undefined {
  return isNode(node) && node.type === 'Identifier' ? (node.name as string) : undefined;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
}
