// Reads the SQL statements of modules from their sources with the TypeScript compiler: their place,
// their declarations, and their SQL as far as it is known without running them.
import { dirname, relative } from 'node:path'
import type { CallExpression, Expression, Node } from 'typescript/unstable/ast'
import {
  isArrayLiteralExpression,
  isArrowFunction,
  isAsExpression,
  isCallExpression,
  isConditionalExpression,
  isIdentifier,
  isNoSubstitutionTemplateLiteral,
  isObjectLiteralExpression,
  isParenthesizedExpression,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isSpreadElement,
  isStringLiteral,
  isTaggedTemplateExpression,
  isVariableDeclaration,
} from 'typescript/unstable/ast/is'
import { API, type Checker, type Project, SymbolFlags } from 'typescript/unstable/sync'

const root = dirname(import.meta.dirname)

export interface WrittenStatement {
  /** `src/…:12` */
  readonly at: string
  readonly way: 'rows' | 'execute'
  readonly reads: readonly string[]
  readonly row: readonly string[]
  /** Tables that it, or what it is put together of, names, as far as that can be followed. */
  readonly tables: readonly string[]
  /** The ways in which it may read; none where that hangs on what only a run knows. */
  readonly texts: readonly string[]
}

/** All of them. */
export function statements(): WrittenStatement[] {
  const api = new API({ cwd: root })
  try {
    const [project] = api
      .updateSnapshot({ openProjects: [`${root}/scripts/tsconfig.sources.json`] })
      .getProjects()
    if (!project) throw new Error('There is no project.')
    const statements: WrittenStatement[] = []
    for (const name of project.program.getSourceFileNames()) {
      const path = relative(root, name)
      const file = project.program.getSourceFile(name)
      if (!path.startsWith('src/modules/') || path.endsWith('.test.ts') || !file) continue
      const visit = (node: Node): void => {
        if (isCallExpression(node) && isPropertyAccessExpression(node.expression)) {
          const way = node.expression.name.text
          if (way === 'rows' || way === 'execute') {
            const line = file.text.slice(0, node.getStart(file)).split('\n').length
            const read = statementOf(project, node, way)
            if (read) statements.push({ at: `${path}:${line}`, ...read })
          }
        }
        node.forEachChild(visit)
      }
      visit(file)
    }
    return statements
  } finally {
    api.close()
  }
}

function statementOf(
  project: Project,
  { arguments: [statement, said] }: CallExpression,
  way: 'rows' | 'execute',
): Omit<WrittenStatement, 'at'> | null {
  const { checker } = project
  if (!statement || !isSql(checker, statement)) return null
  const lists = new Map<string, readonly string[]>()
  if (said && isObjectLiteralExpression(said))
    for (const property of said.properties)
      if (isPropertyAssignment(property))
        lists.set(property.name.getText(), namesIn(project, property.initializer))
  // Conditional expressions are tried with both values.
  const written = [0, 1].map((choice) => new Writing(project, choice).text(statement))
  const texts = [...new Set(written.filter((text) => text !== null))]
  const tables = [...tablesIn(project, statement)]
  return { way, tables, reads: lists.get('reads') ?? [], row: lists.get('row') ?? [], texts }
}

function isSql(checker: Checker, expression: Expression): boolean {
  const type = checker.getTypeAtLocation(expression)
  return type !== undefined && checker.typeToString(type) === 'Sql'
}

/** Names in a list as it is written, or as a constant gives it; '' for one that only a run knows. */
function namesIn(project: Project, list: Node): readonly string[] {
  if (isAsExpression(list) || isParenthesizedExpression(list)) return namesIn(project, list.expression)
  if (isArrayLiteralExpression(list))
    return list.elements.flatMap((element) =>
      isSpreadElement(element)
        ? namesIn(project, element.expression)
        : [isStringLiteral(element) ? element.text : ''],
    )
  const declared = isIdentifier(list) && declarationOf(project, list)
  return declared && isVariableDeclaration(declared) && declared.initializer
    ? namesIn(project, declared.initializer)
    : ['']
}

/** Where a statement names a table that it reads or changes rows of (models/unit/reads.ts). */
const NAMED = /\b(?:FROM|JOIN|UPDATE|USING)\s+(?:ONLY\s+)?"?(\w+)"?/g

/** Tables that a fragment names, and the fragments that it is made of: constants and functions, whatever they choose. */
function tablesIn(project: Project, fragment: Node, seen = new Set<Node>()): Set<string> {
  const tables = new Set<string>()
  if (seen.has(fragment)) return tables
  seen.add(fragment)
  const visit = (node: Node): void => {
    if (isTaggedTemplateExpression(node) || isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node))
      for (const [, table = ''] of node.getText().matchAll(NAMED)) tables.add(table)
    if (isIdentifier(node)) {
      const type = project.checker.getTypeAtLocation(node)
      const typeName = type && project.checker.typeToString(type)
      if (typeName === 'Sql' || typeName?.endsWith('=> Sql')) {
        const declared = declarationOf(project, node)
        if (declared?.getSourceFile().fileName.includes('/src/modules/'))
          for (const table of tablesIn(project, declared, seen)) tables.add(table)
      }
    }
    node.forEachChild(visit)
  }
  visit(fragment)
  return tables
}

/** Where what a name means, here or in another file, is declared. */
function declarationOf({ checker }: Project, name: Node): Node | undefined {
  const symbol = checker.getSymbolAtLocation(name)
  const meant = symbol && symbol.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
  return meant?.valueDeclaration?.resolve()
}

/** Writes one statement, its parameters numbered. */
class Writing {
  readonly #project: Project
  readonly #choice: number
  #parameters = 0

  constructor(project: Project, choice: number) {
    this.#project = project
    this.#choice = choice
  }

  /** Null for what only a run knows. */
  text(node: Expression): string | null {
    if (isParenthesizedExpression(node)) return this.text(node.expression)
    if (isTaggedTemplateExpression(node)) return this.#template(node.template)
    if (isConditionalExpression(node)) return this.text(this.#choice ? node.whenFalse : node.whenTrue)
    if (isIdentifier(node)) return this.#named(node)
    if (isCallExpression(node)) return this.#call(node)
    return null
  }

  #template(template: Node): string | null {
    if (isNoSubstitutionTemplateLiteral(template)) return template.text
    let out: string | null = null
    let gap = false
    template.forEachChild((part) => {
      // The head, then spans of an expression and the text after it.
      if (out === null && !gap) out = (part as unknown as { text: string }).text
      else {
        const [expression, literal] = childrenOf(part)
        const piece = this.#piece(expression as Expression)
        if (piece === null) gap = true
        out = `${out}${piece ?? ''}${(literal as unknown as { text: string }).text}`
      }
    })
    return gap ? null : out
  }

  #piece(expression: Expression): string | null {
    return isSql(this.#project.checker, expression) ? this.text(expression) : `$${++this.#parameters}`
  }

  #named(node: Node): string | null {
    const initializer = this.#declared(node)
    return initializer && this.text(initializer)
  }

  #call({ expression, arguments: [first] }: CallExpression): string | null {
    if (!isIdentifier(expression)) return null
    switch (expression.text) {
      case 'idList':
        return `(SELECT $${++this.#parameters}::int[])::int[]`
      case 'decisive':
      case 'ofFew':
        return `$${++this.#parameters}`
      case 'limited':
        return ' LIMIT 1'
      case 'raw':
        return first && (isStringLiteral(first) || isNoSubstitutionTemplateLiteral(first)) ? first.text : null
      case 'id':
        return first && isStringLiteral(first) ? `"${first.text}"` : null
      case 'settled':
        return first ? this.text(first) : null
    }
    const initializer = this.#declared(expression)
    return initializer && isArrowFunction(initializer) && !isBlock(initializer.body)
      ? this.text(initializer.body as Expression)
      : null
  }

  /** The value of a constant, in this file or another. */
  #declared(name: Node): Expression | null {
    const declared = declarationOf(this.#project, name)
    return declared && isVariableDeclaration(declared) ? (declared.initializer ?? null) : null
  }
}

const isBlock = (node: Node): boolean => node.getText().startsWith('{')

function childrenOf(node: Node): Node[] {
  const children: Node[] = []
  node.forEachChild((child) => {
    children.push(child)
  })
  return children
}
