// Contradictions in declarations: unknown names, values that their own field refuses. One function per
// rule; all of them are reported together.
import { DeclarationError } from '../../errors.ts'
import { messageOf } from '../../kit/caught.ts'
import type { Behaviour } from '../language/behaviour.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import { digitsOf, modelFieldOf } from '../language/field-options.ts'
import { MANUAL } from '../manual/custom.ts'
import { RecordsetBase } from '../read/recordset.ts'
import { parseOrder } from '../row/order.ts'

/** Descriptions of what is wrong and how to fix it, without the name of the declaration. */
type Flaws = Iterable<string>

/**
 * Names of the recordset's own interface, which a field of this name would hide. `name` is excepted:
 * nearly every model has it as a field.
 */
const reserved: ReadonlySet<string> = new Set([
  ...Object.getOwnPropertyNames(RecordsetBase.prototype).filter((name) => name !== 'name'),
  ...['env', 'def', 'ids', 'then', 'constructor', '__proto__'],
])

function unknownName(model: ModelDef, name: string): string {
  const near = [...model.fields.keys()]
    .filter((field) => field[0] === name[0] && Math.abs(field.length - name.length) < 3)
    .slice(0, 4)
  return `${model.name} has no field ${name}${near.length ? `; it has ${near.join(', ')}` : ''}`
}

/** Follows a dotted path over relations. Returns the field at its end, or what is wrong with the path. */
function walk(model: ModelDef, path: readonly string[]): FieldDef | string {
  let target: ModelDef | undefined = model
  let field: FieldDef | undefined
  for (const name of path) {
    if (!target)
      return `${field?.model.name}.${field?.name} is not a relational field, so it has no field ${name}`
    field = target.fields.get(name)
    if (!field) return unknownName(target, name)
    target = field.comodel
  }
  return field ?? 'it is empty'
}

export function pathFlaw(model: ModelDef, path: readonly string[]): string | null {
  const end = walk(model, path)
  return typeof end === 'string' ? end : null
}

function* lost(model: ModelDef, paths: Iterable<string>, what: string): Flaws {
  for (const path of paths) {
    const end = walk(model, path.split('.'))
    if (typeof end === 'string') yield `${what} "${path}": ${end}.`
  }
}

const modelRules: readonly ((model: ModelDef) => Flaws)[] = [
  function* order(model) {
    let terms: ReturnType<typeof parseOrder>
    try {
      terms = parseOrder(model.order)
    } catch {
      yield `order "${model.order}" is not a list of fields, each with asc or desc.`
      return
    }
    for (const { path } of terms) {
      const end = walk(model, path)
      if (typeof end === 'string') yield `order "${model.order}": ${end}.`
      else if (end.type.relation === 'many')
        yield `order "${model.order}": records cannot be ordered by the list ${end.name}.`
    }
  },
  function* naming(model) {
    const { recName, recNamesSearch = [] } = model.options
    if (recName !== undefined && !model.fields.has(recName)) yield `recName: ${unknownName(model, recName)}.`
    yield* lost(model, recNamesSearch, 'recNamesSearch')
  },
  function* tree(model) {
    const { parent } = model
    if (model.parentStore && parent === null)
      yield 'parentStore needs the many2one to the parent record: name it in parent.'
    if (model.parentStore && !model.fields.has('parent_path'))
      yield 'parentStore needs the field parent_path: declare it as a char with an index.'
    if (parent === null) return
    const field = model.fields.get(parent)
    if (field?.kind !== 'many2one' || field.comodel !== model)
      yield `parent: ${parent} is not a many2one to ${model.name} itself.`
  },
  function* rules(model) {
    for (const [name, rule] of model.rules) {
      const columns =
        'unique' in rule ? rule.unique : 'index' in rule ? [...rule.index, ...(rule.include ?? [])] : []
      for (const term of columns) {
        const column = term.replace(/ (asc|desc)$/, '')
        const field = model.fields.get(column)
        if (!field) yield `rule ${name}: ${unknownName(model, column)}.`
        else if (!field.column && model.hasRows)
          yield `rule ${name}: ${column} is not stored: name stored fields of the model itself.`
      }
    }
  },
  function* checks(model) {
    for (const { message, rule } of model.hooks.checks)
      yield* lost(model, rule.depends, `the check "${message}" depends on`)
  },
  function* onchanges(model) {
    for (const { fields } of model.hooks.onchanges) yield* lost(model, fields, 'onchange')
  },
]

const fieldRules: readonly ((field: FieldDef) => Flaws)[] = [
  function* name(field) {
    if (reserved.has(field.name) && !field.automatic)
      yield `${field.name} is a member of every recordset: choose another name.`
    if (field.model.methods.has(field.name))
      yield `${field.name} is a method of the model too: choose another name.`
  },
  function* depends(field) {
    if (!field.compute || field.related) return
    yield* lost(field.model, field.compute.depends, 'it depends on')
    yield* lost(field.model, field.compute.options.asks ?? [], 'it asks for')
  },
  function* related(field) {
    if (!field.related || field.inherited) return
    const end = walk(field.model, field.related)
    if (typeof end === 'string') yield `related "${field.related.join('.')}": ${end}.`
    else if (end.kind !== field.kind || end.comodel !== field.comodel)
      yield `related "${field.related.join('.')}" is a ${kindOf(end)}, but the field is a ${kindOf(field)}: declare it with the type of its target.`
  },
  function* currency(field) {
    if (field.kind !== 'monetary' || !field.model.fields.size) return
    const name = field.options.currency ?? 'currency_id'
    const currency = field.model.fields.get(name)
    if (currency?.kind !== 'many2one' || currency.comodel?.name !== 'res.currency')
      yield `its currency ${name} is not a many2one to res.currency: name the field by currency.`
  },
  function* groups(field) {
    for (const group of field.groups)
      if (!/^\w+\.\w+$/.test(group)) yield `groups: "${group}" is not an external id such as base.group_user.`
  },
  function* standing(field) {
    const value = field.options.default
    if (
      value === undefined ||
      value === null ||
      field.type.relation === 'many' ||
      field.options.companyDependent
    )
      return
    try {
      field.type.toColumn(field, value)
    } catch (error) {
      yield `its default ${JSON.stringify(value)} is refused: ${messageOf(error)}`
    }
  },
  function* options(field) {
    if (field.kind !== 'selection' && field.kind !== 'reference') return
    const { selection } = field.options
    if (
      field.kind === 'selection' &&
      typeof selection === 'object' &&
      !field.related &&
      Object.keys(selection).length === 0
    )
      yield 'it has no options to select from.'
    for (const [key, label] of Object.entries(typeof selection === 'object' ? selection : {}))
      if (!label?.trim()) yield `its option ${key} has no label.`
  },
  function* wayBack(field) {
    if (field.kind !== 'one2many' || field.compute || field.related || field.inherited) return
    const back = field.comodel?.fields.get(field.inverse ?? '')
    // The registry reports a missing field.
    if (back && back.kind !== 'many2one' && back.kind !== 'many2one_reference')
      yield `its way back ${back.model.name}.${back.name} is a ${kindOf(back)}: it must be a many2one to ${field.model.name}.`
    else if (back?.kind === 'many2one' && !leadsBack(back, field.model))
      yield `its way back ${back.model.name}.${back.name} leads to ${back.comodel?.name}: it must be a many2one to ${field.model.name}.`
  },
  function* domain(field) {
    if (!field.comodel) return
    const { comodel } = field
    for (const condition of field.options.domain ?? []) {
      if (!Array.isArray(condition) || typeof condition[0] !== 'string') continue
      const [head] = condition[0].split('.')
      if (head !== undefined && !comodel.fields.has(head))
        yield `its domain asks for ${condition[0]}: ${unknownName(comodel, head)}.`
    }
  },
  function* model(field) {
    const modelField = modelFieldOf(field)
    if (field.related || modelField === undefined) return
    if (!field.model.fields.has(modelField)) yield `modelField: ${unknownName(field.model, modelField)}.`
  },
  function* removal(field) {
    if (
      field.kind === 'many2one' &&
      field.required &&
      field.options.ondelete === 'set null' &&
      !field.inherited
    )
      yield "it is required and would be unset with its target: say ondelete 'restrict' or 'cascade'."
  },
  function* index(field) {
    if (field.options.index === 'trigram' && !field.type.isText)
      yield `index 'trigram' is for texts, and it is a ${field.kind}.`
    if (field.options.index && !field.column && !field.inherited)
      yield 'index: it has no column; declare it stored.'
  },
  function* precompute(field) {
    if (field.options.precompute && !field.inherited && !(field.stored && field.compute))
      yield 'precompute is for stored computed fields.'
  },
  function* digits(field) {
    const digits = digitsOf(field)
    if (digits && digits[1] > digits[0])
      yield `digits [${digits.join(', ')}]: more decimals than digits; the first number counts all of them.`
  },
]

const kindOf = (field: FieldDef): string =>
  field.comodel ? `${field.kind} to ${field.comodel.name}` : field.kind

/** Whether a many2one refers to a model, or to one that it delegates to. */
const leadsBack = (back: FieldDef, model: ModelDef): boolean =>
  back.comodel === model ||
  model.inherits.has(back.comodel?.name ?? '') ||
  (back.comodel?.inherits.has(model.name) ?? false)

/** All contradictions in models that modules declare. Custom models are checked when they are created. */
export function contradictionsIn(models: Iterable<ModelDef>): string[] {
  const flaws: string[] = []
  for (const model of models) {
    if (model.module === MANUAL) continue
    for (const rule of modelRules)
      for (const flaw of rule(model)) flaws.push(`${model.module}: ${model.name}: ${flaw}`)
    for (const field of model.fields.values()) {
      if (field.module === MANUAL || field.automatic) continue
      for (const rule of fieldRules) {
        for (const flaw of rule(field))
          flaws.push(`${field.module ?? model.module}: ${model.name}.${field.name}: ${flaw}`)
      }
    }
  }
  return flaws
}

/** Defaults, computed values and searches for fields that the model does not have. */
export function* unknownEntriesOf(model: ModelDef, { computed, defaults, searches }: Behaviour): Flaws {
  for (const [what, names] of Object.entries({ computed, defaults, searches }))
    for (const name of Object.keys(names))
      if (!model.fields.has(name)) yield `${what}: ${unknownName(model, name)}.`
}

// Invariants of every composed model, custom ones included: computed fields have a function, relations
// have their comodel and inverse.

export function assertSound(model: ModelDef): void {
  for (const field of model.fields.values()) {
    const where = `${model.name}.${field.name}`
    if (field.options.computed && !field.compute && !field.inherited)
      throw new DeclarationError(`${where} is declared computed and nothing computes it.`)
    if (field.compute && !field.options.computed && !field.related && field !== model.displayName) {
      throw new DeclarationError(`${where} is computed and its contract does not say so.`)
    }
    if (field.type.relation && !field.comodel) {
      throw new DeclarationError(`${where} leads to a model that no module declares.`)
    }
    if (
      field.kind === 'one2many' &&
      !field.compute &&
      !field.related &&
      !field.comodel?.fields.has(field.inverse ?? '')
    ) {
      throw new DeclarationError(
        `${where} has no way back: ${field.comodel?.name}.${field.inverse} is not there.`,
      )
    }
  }
}
