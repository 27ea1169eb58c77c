// Guards keys, users, groups, rules, modules and the like from the agents' tools for records, unless the key
// lists the method.
import { type Caller, scopeMissing } from '../../access/index.ts'
import type { FieldDef } from '../../models/language/definitions.ts'
import type { Unit } from '../../models/language/unit.ts'
import type { Found } from '../batch/request.ts'

/** Models about the server, its people and what leaves it; files of records are no part of that. */
const isGuarded = (model: string): boolean =>
  /^(?:ir|comptoir|base|mail)\./.test(model)
    ? model !== 'ir.attachment'
    : /^res\.(?:users|groups)\b/.test(model)

/** Methods that the tools for records stand for. */
const ofTools = new Set(['create', 'write', 'unlink', 'upsert'])

/**
 * Throws AccessError for a call that needs to be listed in the scope of the caller's key and is not: what
 * changes records in another way than the tools for records do, and anything about guarded models. `all`:
 * every call has to be listed.
 */
export function assertOpen({ scope }: Caller, calls: readonly Found[], all: boolean): void {
  // Where methods are listed, others were refused already.
  if (scope?.methods.length) return
  for (const { model, method } of calls) {
    const isPlain = method.readonly || (ofTools.has(method.name) && !isGuarded(model.name))
    if (all || !isPlain) throw scopeMissing(`method:${model.name}/${method.name}`)
  }
}

/** As `assertOpen`, of what the calls did through the fields of other models. */
export function assertKeptOff({ scope }: Caller, { changes, registry }: Unit): void {
  if (scope?.methods.length) return
  for (const { model: name, op, fields } of changes?.rows() ?? []) {
    const model = registry.get(name)
    const settable = fields.flatMap((field) => model?.fields.get(field) ?? []).filter(isGiven)
    if (isGuarded(name) && (op !== 'u' || settable.length > 0)) throw scopeMissing(`method:${name}/write`)
    const link = settable.find(
      ({ kind, comodel }) => kind === 'many2many' && comodel && isGuarded(comodel.name),
    )
    if (link?.comodel) throw scopeMissing(`method:${link.comodel.name}/write`)
  }
}

/** Whether users set its value, as opposed to a computed one. */
const isGiven = ({ compute, related }: FieldDef): boolean => !compute && !related
