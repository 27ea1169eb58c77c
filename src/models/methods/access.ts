// Rights of the caller, as clients ask for them (spec/wire.md section 9).

import { AccessError, InvalidValue } from '../../errors.ts'
import { shown } from '../../kit/text.ts'
import { optional, required, returns } from '../contract/param.ts'
import type { LooseRecords } from '../language/definitions.ts'
import { type Operation, operations } from '../language/rights.ts'
import { fieldNamed } from '../rights/judge.ts'
import { assertRecords } from '../row/access.ts'
import { type GenericMethods, generic } from './bind.ts'

const operation = required<unknown>('any', { doc: 'read, write, create or unlink', annotation: 'str' })
const raises = optional<unknown>('any', true, { annotation: 'bool' })

export const accessMethods: GenericMethods = {
  has_access: generic(
    {
      doc: 'Whether the caller may perform the operation on the model and on the given records.',
      readonly: true,
      params: { operation },
      returns: returns<boolean>('boolean', 'bool'),
    },
    async (records, p) => (await refusal(records, asOperation(p.operation))) === null,
  ),
  check_access_rights: generic(
    {
      doc: 'Older form of has_access, for the model only.',
      level: 'model',
      readonly: true,
      params: { operation, raise_exception: raises },
    },
    async (records, p) => {
      const refused = await refusal(records.browse([]), asOperation(p.operation))
      if (!p.raise_exception) return refused === null
      if (refused) throw refused
      return null
    },
  ),
  check_access_rule: generic(
    { doc: 'Older form of has_access, for records.', readonly: true, params: { operation } },
    async (records, p) => {
      const wanted = asOperation(p.operation)
      // Records that are gone are read as nothing, and never changed (spec/wire.md section 9).
      const missing = wanted === 'write' || wanted === 'unlink' ? 'refuse' : 'skip'
      await assertRecords(records.env, records.def, records.ids, wanted, { last: true, missing })
      return null
    },
  ),
  check_field_access_rights: generic(
    {
      doc: 'Older form: returns the fields of a list that the caller may use; all of them when none are named.',
      level: 'model',
      readonly: true,
      params: {
        operation,
        field_names: optional<unknown>('array', null, { annotation: 'list[str] | None' }),
      },
    },
    ({ env, def }, p) => {
      asOperation(p.operation)
      const names = Array.isArray(p.field_names) && p.field_names.length ? p.field_names : null
      if (names) return names.map((name) => fieldNamed(env, def, name).name)
      return [...def.fields.values()]
        .filter((f) => !f.options.hidden && (env.su || env.unit.rights.mayField(env.user, f)))
        .map((f) => f.name)
    },
  ),
  is_transient: generic(
    {
      doc: 'Whether records of this model are deleted automatically after a while.',
      level: 'model',
      readonly: true,
      params: {},
      returns: returns<boolean>('boolean', 'bool'),
    },
    ({ def }) => def.kind === 'transient',
  ),
}

function asOperation(value: unknown): Operation {
  if (!operations.includes(value as Operation))
    throw new InvalidValue(`Invalid operation ${shown(value)}: read, write, create or unlink`)
  return value as Operation
}

async function refusal(records: LooseRecords, wanted: Operation): Promise<AccessError | null> {
  try {
    await assertRecords(records.env, records.def, records.ids, wanted, { last: true })
    return null
  } catch (error) {
    if (error instanceof AccessError) return error
    throw error
  }
}
