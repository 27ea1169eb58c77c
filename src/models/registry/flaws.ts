// Flaws that types do not find: unknown options in the contracts and modules of a database (JavaScript
// modules, and TypeScript modules that Node.js runs without a compiler, are not type-checked, so a
// misspelled option would be ignored), and data of a module that contradict the models: models, fields,
// external ids, groups, rules.

import { messageOf } from '../../kit/caught.ts'
import { type NamesOf, unknownOptions } from '../behaviour/body-options.ts'
import { optionNames } from '../contract/field.ts'
import type { Contract, ModelOptions } from '../contract/model.ts'
import type { MethodSpec, Param } from '../contract/param.ts'
import type { FieldDef, LooseVals, ModelDef, Registry } from '../language/definitions.ts'
import { type DataSet, type Migration, type Module, Ref } from '../language/module.ts'
import { readRule } from '../rules/rule-domain.ts'
import { pathFlaw } from './contradictions.ts'

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

function kindsWith(option: string): string {
  const kinds = Object.entries(optionNames).flatMap(([kind, names]) =>
    names.some((name) => name === option) ? kind : [],
  )
  return kinds.length ? `it is an option of ${kinds.join(', ')} fields; remove it, or change the kind.` : ''
}

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

const setsOf = ({ data = [], demo = [] }: Module): readonly (DataSet | object)[] => [...data, ...demo]
const isPlain = (set: DataSet | object): set is DataSet => typeof set !== 'function'

/** External ids that are known without a database. */
class KnownIds {
  readonly #ids = new Set<string>()
  /** Modules that generate some of their records at installation. */
  readonly #open = new Set<string>()

  constructor(registry: Registry) {
    for (const module of registry.declared) {
      for (const set of setsOf(module)) {
        if (!isPlain(set)) this.#open.add(module.name)
        else for (const name of Object.keys(set.records)) this.#ids.add(idIn(module.name, name))
      }
    }
    for (const model of registry.models.values()) {
      const table = model.name.replaceAll('.', '_')
      const modules = new Set([
        model.module,
        ...[...model.fields.values()].flatMap(({ module }) => module ?? []),
      ])
      for (const module of modules) {
        this.#ids.add(`${module}.model_${table}`)
        for (const field of model.fields.keys()) this.#ids.add(`${module}.field_${table}__${field}`)
      }
    }
    for (const module of registry.modules) this.#ids.add(`base.module_${module}`)
  }

  lacks(xmlid: string): boolean {
    return !this.#ids.has(xmlid) && !this.#open.has(xmlid.split('.')[0] ?? '')
  }
}

const idIn = (module: string, name: string): string => (name.includes('.') ? name : `${module}.${name}`)

/** All errors in the data and groups of a module of the registry, one per line. */
export function dataFlaws(registry: Registry, name: string): string[] {
  const module = registry.declared.find((one) => one.name === name)
  if (!module) return [`Module ${name} not found.`]
  const knownIds = new KnownIds(registry)
  const sets = setsOf(module).filter(isPlain)
  return [
    ...sets.flatMap((set) => [...setFlaws(registry, module, set, knownIds)]),
    ...groupFlaws(registry, module, knownIds),
  ]
}

function* setFlaws(registry: Registry, { name }: Module, set: DataSet, knownIds: KnownIds): Iterable<string> {
  const model = registry.get(set.model)
  if (!model) {
    yield `${name}: data for ${set.model}, which no module declares: declare it, or name the module that does in depends.`
    return
  }
  for (const [id, vals] of Object.entries<LooseVals>(set.records)) {
    const where = `${name}: ${set.model} ${id}`
    for (const [field, value] of Object.entries(vals)) {
      const flaw = pathFlaw(model, [field])
      if (flaw) yield `${where}: ${flaw}.`
      for (const xmlid of refsIn(value)) {
        if (knownIds.lacks(idIn(name, xmlid)))
          yield `${where}: ${field} refers to ${xmlid}, which is not there: bring the record before.`
      }
    }
    if (set.model === 'ir.rule') yield* ruleFlaws(registry, where, vals)
  }
}

function* refsIn(value: unknown): Iterable<string> {
  if (value instanceof Ref) yield value.xmlid
  else if (Array.isArray(value)) for (const item of value) yield* refsIn(item)
}

/**
 * A condition in a rule's text. Three texts in a row may also be a list of values: the second must be an
 * operator.
 */
const CONDITION =
  /[([]\s*['"]([\w.]+)['"]\s*,\s*['"](?:[=<>!?]+|(?:not )?(?:in|any|=?i?like)|child_of|parent_of)['"]\s*,/g

function* ruleFlaws(registry: Registry, where: string, vals: LooseVals): Iterable<string> {
  const { domain_force: text, model_id: target } = vals
  const table = target instanceof Ref ? (target.xmlid.split('.').at(-1) ?? '').replace(/^model_/, '') : null
  const model = [...registry.models.values()].find(({ name }) => name.replaceAll('.', '_') === table)
  if (typeof text !== 'string' || !model) return
  try {
    readRule(text)
  } catch (error) {
    yield `${where}: its domain is refused: ${messageOf(error)}`
    return
  }
  for (const [, path = ''] of text.matchAll(CONDITION)) {
    const flaw = pathFlaw(model, path.split('.'))
    if (flaw) yield `${where}: its domain asks for ${path}: ${flaw}.`
  }
}

function groupFlaws(registry: Registry, { name }: Module, knownIds: KnownIds): string[] {
  const lacking = (field: FieldDef) => field.groups.filter((group) => knownIds.lacks(group))
  const of = (model: ModelDef) =>
    [...model.fields.values()]
      .filter((field) => field.module === name && !field.inherited)
      .flatMap((field) =>
        lacking(field).map(
          (group) =>
            `${name}: ${model.name}.${field.name}: group ${group} does not exist: add it to the data of the module.`,
        ),
      )
  return [...registry.models.values()].flatMap(of)
}
