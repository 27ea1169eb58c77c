// External ids, log fields and other facts about records, as clients ask for them.

import { turn } from '../../kit/turns.ts'
import { returns } from '../contract/param.ts'
import type { ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { loadPaths } from '../load/load.ts'
import { assertRecords } from '../row/access.ts'
import { externalIds } from '../transfer/external-ids.ts'
import { type GenericMethods, generic } from './generic.ts'

export const metadataMethods: GenericMethods = {
  get_metadata: generic(
    {
      doc: 'Authors, dates and external ids of records.',
      readonly: true,
      params: {},
      returns: returns<object[]>('array', 'list[dict]'),
    },
    async ({ env, def, ids }) => {
      await assertRecords(env, def, ids, 'read')
      const distinct = [...new Set(ids)]
      const facts = new Map<number, Metadata>()
      for (let from = 0; from < distinct.length; from += AT_ONCE) {
        for (const row of await metadataOf(env, def, distinct.slice(from, from + AT_ONCE)))
          facts.set(row.id, row)
        await turn()
      }
      env.unit.shown.add(ids.length * FACTS)
      return ids.flatMap((id) => facts.get(id) ?? [])
    },
  ),
  get_external_id: generic(
    {
      doc: 'External ids by record id, empty for records without one.',
      readonly: true,
      params: {},
      returns: returns<object>('object', 'dict[int, str]'),
    },
    async ({ env, def, ids }) => {
      await assertRecords(env, def, ids, 'read')
      const xmlids = await externalIds(env, def.name, ids)
      return Object.fromEntries(ids.map((id) => [String(id), xmlids.get(id)?.[0]?.xmlid ?? '']))
    },
  ),
}

/** Records whose facts are found out at a time, and how many facts there are. */
const AT_ONCE = 1000
const FACTS = 8

type Metadata = { readonly id: number } & Record<string, unknown>

async function metadataOf(env: Environment, model: ModelDef, ids: readonly number[]): Promise<Metadata[]> {
  const log = model.logAccess
    ? ['create_uid.display_name', 'create_date', 'write_uid.display_name', 'write_date']
    : ['id']
  const rows = await loadPaths(env.sudo(), model, ids, log)
  const xmlids = await externalIds(env, model.name, ids)
  return rows.map((row) => {
    const externalIdsOfRow = xmlids.get(row.id) ?? []
    return {
      id: row.id,
      create_uid: pair(row.create_uid),
      create_date: row.create_date ?? false,
      write_uid: pair(row.write_uid),
      write_date: row.write_date ?? false,
      xmlid: externalIdsOfRow[0]?.xmlid ?? false,
      noupdate: externalIdsOfRow[0]?.noupdate ?? false,
      xmlids: externalIdsOfRow,
    }
  })
}

function pair(user: unknown): [number, string] | false {
  const record = user as { id: number; display_name: string } | null | undefined
  return record ? [record.id, record.display_name] : false
}
