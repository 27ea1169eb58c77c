// Creating, writing, removing, copying, archiving, as clients call them (spec/models-api.md section 5).

import { InvalidValue, UserError } from '../../errors.ts'
import { inPortions } from '../../kit/portions.ts'
import { present } from '../../kit/present.ts'
import { optional, required, returns } from '../contract/param.ts'
import type { Ids, LooseRecords } from '../language/definitions.ts'
import { loadPaths } from '../load/load.ts'
import { missingRecordsError } from '../rights/judge.ts'
import { assertRecords } from '../row/access.ts'
import { authorizeCopies, authorizeValues } from '../write/authorize.ts'
import { parseCommands } from '../write/commands/index.ts'
import { createByCaller } from '../write/commands/worker.ts'
import { copyTranslations, copyValues } from '../write/copy.ts'
import { createRecords } from '../write/create.ts'
import { defaultValues } from '../write/defaults.ts'
import { writeTogether } from '../write/entry.ts'
import { unlinkRecords } from '../write/removal.ts'
import { type GenericMethods, generic } from './bind.ts'

/** Records whose copies are made at once: all values of more would be held together. */
const COPIED = 1000

export const changeMethods: GenericMethods = {
  create: generic({
    doc: 'Creates records from a list of values, or one record from one object. Returns their ids.',
    level: 'model',
    params: {
      vals_list: required<Record<string, unknown>[]>('valsList', { annotation: 'list[ValuesType]' }),
    },
    returns: returns<LooseRecords>('records', 'list[int]'),
    run: async (records, p) => records.browse(await createRecords(records.env, records.def, p.vals_list)),
  }),
  write: generic({
    doc: 'Writes the same values on all records.',
    params: { vals: required<Record<string, unknown>>('vals', { annotation: 'ValuesType' }) },
    returns: returns<boolean>('boolean', 'bool'),
    run: async (records, p) => {
      await writeTogether(records.env, records.def, [{ ids: [...new Set(records.ids)], vals: p.vals }])
      return true
    },
  }),
  unlink: generic({
    doc: 'Removes the records.',
    params: {},
    returns: returns<boolean>('boolean', 'bool'),
    run: async (records) => {
      await unlinkRecords(records.env, records.def, records.ids)
      return true
    },
  }),
  copy: generic({
    doc: 'Copies records; values in `default` replace copied ones.',
    params: { default: optional<unknown>('object', null, { annotation: 'ValuesType | None' }) },
    returns: returns<LooseRecords>('records', 'list[int]'),
    run: async (records, p) => {
      await authorizeValues(records.env, records.def, p.default)
      records.env.unit.quota.reserve('records', records.length)
      const copiedIds: number[] = []
      for await (const ids of inPortions(records.ids, COPIED)) {
        const originals = records.browse(ids)
        const vals = (await originals.invoke('copy_data', { default: p.default })) as Record<
          string,
          unknown
        >[]
        await authorizeCopies(records.env, records.def, vals)
        const copies = await records.browse([]).create(vals)
        const pairs = new Map(ids.map((from, i) => [from, present(copies.ids[i])]))
        await copyTranslations(records.env, records.def, pairs, Object.keys(p.default ?? {}))
        copiedIds.push(...copies.ids)
      }
      return records.browse(copiedIds)
    },
  }),
  copy_data: generic({
    doc: 'Returns the values that copies would be created with.',
    readonly: true,
    params: { default: optional<unknown>('object', null, { annotation: 'ValuesType | None' }) },
    returns: returns<object[]>('array', 'list[ValuesType]'),
    run: (records, p) => copyValues(records.env, records.def, records.ids, p.default),
  }),
  name_create: generic({
    doc: 'Creates a record from a name. Returns id and display name.',
    level: 'model',
    params: { name: required<unknown>('any', { annotation: 'str' }) },
    returns: returns<[number, string]>('array', 'tuple[int, str]'),
    run: async (records, p) => {
      const name = records.def.recName
      if (!name)
        throw new UserError(
          `Records of ${records.def.label} (${records.def.name}) cannot be created by their name.`,
        )
      const ids = await createByCaller(records.env, records.def, [{ [name]: p.name }])
      const [record] = await loadPaths(records.env.sudo(), records.def, ids, ['display_name'])
      return [record?.id, record?.display_name ?? false]
    },
  }),
  default_get: generic({
    doc: 'Returns the default values of the named fields that have one.',
    level: 'model',
    readonly: true,
    params: { fields: required<unknown[]>('strings', { annotation: 'list[str]' }) },
    returns: returns<object>('object', 'ValuesType'),
    run: async ({ env, def }, p) => {
      const names = p.fields.map((name) => {
        if (typeof name !== 'string') throw new InvalidValue(`Invalid field name ${JSON.stringify(name)}`)
        return name
      })
      const values = await defaultValues(env, def, names)
      for (const name of names) {
        const field = def.fields.get(name)
        if (field?.kind !== 'many2many' && field?.kind !== 'one2many') continue
        if (values[name] !== undefined) values[name] = normalised(parseCommands(field, values[name]))
      }
      return values
    },
  }),
  action_archive: generic({
    doc: 'Archives the records.',
    params: {},
    run: async (records) => {
      await setActive(records, (await byActivity(records)).active, false)
      return null
    },
  }),
  action_unarchive: generic({
    doc: 'Restores archived records.',
    params: {},
    run: async (records) => {
      await setActive(records, (await byActivity(records)).archived, true)
      return null
    },
  }),
  toggle_active: generic({
    doc: 'Archives active records and restores archived ones.',
    params: {},
    run: async (records) => {
      const { active, archived } = await byActivity(records)
      await setActive(records, active, false)
      await setActive(records, archived, true)
      return null
    },
  }),
}

function activeField(records: LooseRecords): string {
  if (!records.def.active)
    throw new UserError(`Records of ${records.def.label} (${records.def.name}) cannot be archived.`)
  return records.def.active.name
}

interface ByActivity {
  readonly active: Ids
  readonly archived: Ids
}

/** Which are active and which archived. Throws MissingError or AccessError for one of them. */
async function byActivity(records: LooseRecords): Promise<ByActivity> {
  const { env, def, ids } = records
  const name = activeField(records)
  if (ids.length === 0) return { active: [], archived: [] }
  await assertRecords(env, def, ids, 'read', { missing: 'refuse' })
  const rows = await records.load([name])
  if (rows.length < new Set(ids).size)
    throw missingRecordsError(
      def,
      ids,
      rows.map((row) => row.id as number),
    )
  const where = (wanted: boolean) =>
    rows.filter((row) => Boolean(row[name]) === wanted).map((row) => row.id as number)
  return { active: where(true), archived: where(false) }
}

/** Those that are as wanted already are not written again. */
async function setActive(records: LooseRecords, ids: Ids, active: boolean): Promise<void> {
  if (ids.length) await records.browse(ids).invoke('write', { vals: { [activeField(records)]: active } })
}

/** Links become one command 6; new lines stay. */
function normalised(commands: ReturnType<typeof parseCommands>): unknown[] {
  const linked = commands.flatMap((c) => (c.code === 6 ? c.ids : c.code === 4 ? [c.id] : []))
  const created = commands.flatMap((c) => (c.code === 0 ? [[0, 0, c.vals]] : []))
  return created.length && linked.length === 0 ? created : [[6, 0, linked], ...created]
}
