// Invariants of every composed model, custom ones included: computed fields have a function, relations
// have their comodel and inverse.
import { DeclarationError } from '../../errors.ts'
import type { ModelDef } from '../language/definitions.ts'

/** Throws DeclarationError for the first violated invariant. */
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
