// Values of callers that privileged code stores, such as orders of tills: their lists may link records
// and add parts. Existing records are changed with the caller's own rights only.
import { InvalidValue } from '../../errors.ts'
import type { ModelDef } from '../language/definitions.ts'
import { leadsToMany } from '../language/relations.ts'
import { parseCommands } from './commands/parse.ts'

/**
 * Throws InvalidValue for commands in values of a new record that change, delete or take over other
 * records.
 */
export function assertAddsOnly(model: ModelDef, vals: Readonly<Record<string, unknown>>): void {
  for (const name in vals) {
    const field = model.fields.get(name)
    if (!field || !leadsToMany(field)) continue
    const isList = field.kind === 'one2many'
    const isPart = isList && field.comodel.authority?.partOf?.name === field.inverse
    for (const command of parseCommands(field, vals[name])) {
      if (command.code === 5 || (command.code === 6 && command.ids.length === 0)) continue
      if (isPart && command.code === 0) assertAddsOnly(field.comodel, command.vals)
      else if (isList || command.code < 3)
        throw new InvalidValue(
          `"${field.label}" (${name}) of ${model.label} ${isPart ? 'takes new records alone: send [[0, 0, {…}]]' : isList ? 'is set by the server: leave it out' : 'links records and changes none: send [[6, 0, ids]]'}.`,
        )
    }
  }
}
