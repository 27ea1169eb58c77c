// Checks a module's data against the models without a database: models, fields, external ids, groups,
// rules.
import { messageOf } from '../../kit/caught.ts'
import type { FieldDef, ModelDef, Registry } from '../language/definitions.ts'
import { type DataSet, type Module, Ref } from '../language/module.ts'
import { readRule } from '../rules/rule-domain.ts'
import { pathFlaw } from './contradictions.ts'

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
  for (const [id, vals] of Object.entries<Readonly<Record<string, unknown>>>(set.records)) {
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

function* ruleFlaws(
  registry: Registry,
  where: string,
  vals: Readonly<Record<string, unknown>>,
): Iterable<string> {
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
            `${name}: ${model.name}.${field.name}: there is no group ${group}: bring it with the data.`,
        ),
      )
  return [...registry.models.values()].flatMap(of)
}
