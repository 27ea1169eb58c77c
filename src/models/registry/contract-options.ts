// Reports unknown options in the contracts and modules of a database. JavaScript modules, and TypeScript
// modules that Node.js runs without a compiler, are not type-checked: a misspelled option would be
// ignored.

import { type NamesOf, unknownOptions } from '../behaviour/body-options.ts'
import { optionNames } from '../contract/field.ts'
import type { Contract, ModelOptions } from '../contract/model.ts'
import type { MethodSpec, Param } from '../contract/param.ts'
import type { DataSet, Migration, Module } from '../language/module.ts'

const modelOptions = Object.keys({
  label: true,
  mixins: true,
  inherits: true,
  readsDelegates: true,
  makesDelegates: true,
  order: true,
  recName: true,
  recNamesSearch: true,
  parent: true,
  parentStore: true,
  logAccess: true,
  table: true,
  auto: true,
  query: true,
  formsBySaving: true,
  changes: true,
  events: true,
  dictionary: true,
  rules: true,
} satisfies NamesOf<ModelOptions>)

const methodOptions = Object.keys({
  doc: true,
  level: true,
  readonly: true,
  secret: true,
  lasting: true,
  checksItself: true,
  tellsValues: true,
  pages: true,
  extension: true,
  lenient: true,
  private: true,
  params: true,
  returns: true,
} satisfies NamesOf<MethodSpec>)

const paramOptions = Object.keys({
  type: true,
  doc: true,
  hasDefault: true,
  default: true,
  annotation: true,
  gathered: true,
} satisfies NamesOf<Omit<Param, '__value'>>)

const moduleOptions = Object.keys({
  name: true,
  version: true,
  summary: true,
  title: true,
  author: true,
  category: true,
  application: true,
  depends: true,
  models: true,
  data: true,
  ready: true,
  migrations: true,
  terms: true,
  demo: true,
  neutralize: true,
} satisfies NamesOf<Module>)

const dataSetOptions = Object.keys({
  model: true,
  noupdate: true,
  records: true,
} satisfies NamesOf<DataSet>)
const migrationOptions = Object.keys({ name: true, model: true, run: true } satisfies NamesOf<Migration>)
const eventOptions = ['doc', 'fields']
const ruleOptions = ['unique', 'uniqueExpression', 'check', 'index', 'include', 'where', 'message']

/** Lists the field types that have an option, for the message about a field of another type. */
function kindsWith(option: string): string {
  const kinds = Object.entries(optionNames).flatMap(([kind, names]) =>
    names.some((name) => name === option) ? kind : [],
  )
  return kinds.length ? `it is an option of ${kinds.join(', ')} fields; remove it, or change the kind.` : ''
}

/** A message for every unknown option in a module. */
export function* optionFlaws(module: Module): Iterable<string> {
  const { name } = module
  for (const flaw of unknownOptions('modules', module, moduleOptions)) yield `${name}: ${flaw}`
  for (const { contract } of module.models) {
    for (const flaw of contractFlaws(contract)) yield `${name}: ${contract.name}${flaw}`
  }
  for (const set of [...(module.data ?? []), ...(module.demo ?? [])]) {
    if (typeof set === 'function') continue
    for (const flaw of unknownOptions('data sets', set, dataSetOptions))
      yield `${name}: ${set.model}: ${flaw}`
  }
  for (const migration of module.migrations ?? []) {
    for (const flaw of unknownOptions('migrations', migration, migrationOptions))
      yield `${name}: migration ${migration.name}: ${flaw}`
  }
}

function* contractFlaws({ options, fields, methods }: Contract): Iterable<string> {
  for (const flaw of unknownOptions('models', options, modelOptions)) yield `: ${flaw}`
  for (const [rule, terms] of Object.entries(options.rules ?? {}))
    for (const flaw of unknownOptions('table rules', terms, ruleOptions)) yield `: rule ${rule}: ${flaw}`
  for (const [event, terms] of Object.entries(options.events ?? {}))
    for (const flaw of unknownOptions('events', terms, eventOptions)) yield `: event ${event}: ${flaw}`
  for (const [field, declared] of Object.entries(fields)) {
    const names = optionNames[declared.kind]
    const subject = `${declared.kind} fields`
    for (const flaw of unknownOptions(subject, declared.options, names, kindsWith)) yield `.${field}: ${flaw}`
  }
  for (const [method, spec] of Object.entries(methods)) {
    for (const flaw of unknownOptions('methods', spec, methodOptions)) yield `.${method}: ${flaw}`
    for (const [param, described] of Object.entries({ ...spec.params, returns: spec.returns ?? {} }))
      for (const flaw of unknownOptions('parameters', described, paramOptions))
        yield `.${method}: ${param}: ${flaw}`
  }
}
