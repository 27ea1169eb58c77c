// Access of a caller to a database's models: the only place where the documents check rights.
import { type Extensions, noExtension } from '../config/index.ts'
import { AccessError, unknownModel } from '../errors.ts'
import type { FieldDef, MethodDef, ModelDef } from '../models/language/definitions.ts'
import type { Environment } from '../models/language/environment.ts'
import type { Operation } from '../models/language/rights.ts'
import { MANUAL } from '../models/manual/custom.ts'
import { assertModel, mayField } from '../models/rights/judge.ts'

const GROUP = 'api_doc.group_allow_doc'
/** The name of the group that people see. */
const GROUP_NAME = 'Dynamic API documentation'

/** Throws AccessError unless the caller is in the documentation group. */
export function assertReader(env: Environment): void {
  if (!env.su && !env.hasGroup(GROUP))
    throw new AccessError(
      `You may not read the documentation: ask an administrator for the group ${GROUP_NAME}.`,
    )
}

/** Whether the caller may do this on a model at all. */
export function mayModel(env: Environment, model: ModelDef, operation: Operation): boolean {
  return model.kind !== 'abstract' && (env.su || env.unit.rights.mayModel(env.user, model, operation))
}

/** The models that the caller may read, by name. */
export function visibleModels(env: Environment): ModelDef[] {
  return [...env.unit.registry.models.values()]
    .filter((model) => mayModel(env, model, 'read'))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** The model. Throws NotFound for an unknown one, AccessError for one that the caller may not read. */
export function visibleModel(env: Environment, name: string): ModelDef {
  const model = env.unit.registry.get(name)
  if (!model) throw unknownModel(name)
  assertModel(env, model, 'read')
  return model
}

/** The fields that the caller may read, in the model's order. */
export function visibleFields(env: Environment, model: ModelDef): FieldDef[] {
  return [...model.fields.values()].filter((field) => !field.options.hidden && mayField(env, field))
}

/** Operation of a generic method on records, where it does more than read. */
const effects: Readonly<Record<string, Operation>> = {
  create: 'create',
  copy: 'create',
  name_create: 'create',
  load: 'create',
  upsert: 'create',
  write: 'write',
  web_save: 'write',
  web_save_multi: 'write',
  web_resequence: 'write',
  web_override_translations: 'write',
  copy_translations: 'write',
  action_archive: 'write',
  action_unarchive: 'write',
  toggle_active: 'write',
  update_field_translations: 'write',
  unlink: 'unlink',
}

/** Public methods by name: those of the documented API, and of what is offered beyond it. */
export function publicMethods(model: ModelDef, extensions: Extensions = noExtension): MethodDef[] {
  return [...model.methods.values()]
    .filter(
      ({ name, ...method }) =>
        !method.private &&
        !name.startsWith('_') &&
        (method.extension === null || extensions.has(method.extension)),
    )
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Public methods, without the generic ones that can only be refused to the caller. */
export function usableMethods(env: Environment, model: ModelDef, extensions: Extensions): MethodDef[] {
  return publicMethods(model, extensions).filter((method) => {
    const effect = Object.hasOwn(effects, method.name) ? effects[method.name] : undefined
    return !effect || mayModel(env, model, effect)
  })
}

/** The module that introduced a field; null for automatic fields and for those made over the API. */
export function moduleOf(field: FieldDef): string | null {
  return field.module === MANUAL ? null : field.module
}
