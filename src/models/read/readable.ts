// Which fields a call may read.
import { InvalidValue } from '../../errors.ts'
import { isNoObject } from '../../kit/nothing.ts'
import { shown } from '../../kit/text.ts'
import { assertWithin } from '../../limits.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { fieldNamed, mayField } from '../rights/judge.ts'

/** Fields by names from outside, each once, `id` left out; none named: every field the user may read. */
export function readableFields(env: Environment, model: ModelDef, names: unknown): FieldDef[] {
  if (isNoObject(names)) {
    return [...model.fields.values()].filter((f) => f.name !== 'id' && !f.options.hidden && mayField(env, f))
  }
  if (!Array.isArray(names))
    throw new InvalidValue(`fields must be a list of field names, not ${shown(names)}`)
  assertWithin('fields', names.length)
  const fields = new Set<FieldDef>()
  for (const name of names) fields.add(fieldNamed(env, model, name))
  return [...fields].filter((field) => field.name !== 'id')
}
