// Writes the types of models as a TypeScript file for `createClient<Models>` of comptoir/client. The same
// facts give the same text.

import { fieldTypes } from '../../models/kinds/index.ts'
import type { FieldFacts, MethodFacts, ModelFacts } from './model-facts.ts'
import { quoted, typeOf } from './typescript.ts'

/** Kinds that never read as unset, whatever is required. */
const zeroed = new Set([
  'integer',
  'float',
  'monetary',
  'boolean',
  'many2one_reference',
  'one2many',
  'many2many',
])

/** The text of the file. `origin` says in words what it describes. */
export function typesText(models: readonly ModelFacts[], origin: string): string {
  const sorted = [...models].sort((a, b) => (a.name < b.name ? -1 : 1))
  const core = coreMethods(sorted)
  const lines = [
    `// Types of the models of ${oneLine(origin)}, written by \`comptoir types\`. Do not edit: run it again when models change.`,
    '// Use: createClient<Models>({ url, database, key }) of comptoir/client.',
    "import type { DomainOf, Field, Method, Model, ValuesOf } from 'comptoir/client'",
    '',
    '/** The models by name. */',
    'export interface Models {',
    ...sorted.flatMap((model) => modelLines(model, core)),
    '}',
    '',
    '/** Methods of every model. */',
    'interface Core<N extends keyof Models> {',
    ...[...core.values()].flat(),
    '}',
    '',
    '/** Domains to search a model with, and values to write its records with. */',
    'export type Domain<N extends keyof Models> = DomainOf<Models, N>',
    'export type Values<N extends keyof Models> = ValuesOf<Models, N>',
  ]
  return `${lines.join('\n')}\n`
}

function modelLines(model: ModelFacts, core: ReadonlyMap<string, readonly string[]>): string[] {
  const modelMethods = sortedEntries(model.methods).filter(([name]) => !core.has(name))
  return [
    ...comment(model.label, '  '),
    `  ${key(model.name)}: Model<`,
    '    {',
    ...sortedEntries(model.fields).flatMap(([name, field]) => [
      ...comment(field.label, '      '),
      `      ${key(name)}: ${fieldType(name, field)}`,
    ]),
    '    },',
    modelMethods.length > 0 ? `    Core<${quoted(model.name)}> & {` : `    Core<${quoted(model.name)}>`,
    ...modelMethods.flatMap(([name, method]) => methodLines(name, method, quoted(model.name), '      ')),
    ...(modelMethods.length > 0 ? ['    }'] : []),
    '  >',
  ]
}

function fieldType(name: string, { type, required, needed, relation, keys }: FieldFacts): string {
  const kind = name === 'id' ? 'id' : Object.hasOwn(fieldTypes, type) ? type : 'any'
  // Every record has a name to be shown by.
  const always = kind === 'id' || name === 'display_name' || (required && !zeroed.has(kind))
  const of = kind === 'selection' ? union(keys) : relation === null ? 'unknown' : quoted(relation)
  const more = needed ? [of, String(always), 'true'] : always ? [of, 'true'] : of === 'unknown' ? [] : [of]
  return `Field<${[quoted(kind), ...more].join(', ')}>`
}

const union = (keys: readonly string[]): string =>
  keys.length === 0 ? 'string' : keys.map(quoted).join(' | ')

/** Lines of the methods that every model has in the same words, by name. */
function coreMethods(models: readonly ModelFacts[]): Map<string, string[]> {
  const [first, ...others] = models
  const shared = new Map<string, string[]>()
  for (const [name, method] of sortedEntries(first?.methods ?? {})) {
    const lines = methodLines(name, method, 'N', '  ')
    const same = others.every((model) => {
      const theirs = Object.hasOwn(model.methods, name) ? model.methods[name] : undefined
      return theirs?.core && methodLines(name, theirs, 'N', '  ').join() === lines.join()
    })
    if (method.core && same) shared.set(name, lines)
  }
  return shared
}

/** `model`: the type of the model's name. */
function methodLines(name: string, method: MethodFacts, model: string, indent: string): string[] {
  const names = { domain: `Domain<${model}>`, values: `Values<${model}>` }
  const parameters = Object.entries(method.parameters).map(
    ([parameter, { annotation, optional, gathers }]) =>
      gathers
        ? '[name: string]: unknown'
        : `${key(parameter)}${optional ? '?' : ''}: ${typeOf(annotation, 'given', names)}`,
  )
  // Two parameters may gather names: any further ones go, once.
  const parameterType =
    parameters.length > 0 ? `{ ${[...new Set(parameters)].join('; ')} }` : 'Record<never, never>'
  return [
    ...comment(method.doc ?? '', indent),
    `${indent}${key(name)}: Method<${parameterType}, ${typeOf(method.returns, 'got', names)}>`,
  ]
}

const sortedEntries = <V>(held: Readonly<Record<string, V>>): [string, V][] =>
  Object.entries(held).sort(([a], [b]) => (a < b ? -1 : 1))

/** A name as a member of a type. */
const key = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name))

/** A comment of one line, or none; it cannot end before its end. */
function comment(text: string, indent: string): string[] {
  const line = oneLine(text).replaceAll('*/', '* /')
  return line === '' ? [] : [`${indent}/** ${line} */`]
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()
