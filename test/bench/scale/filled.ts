// A database with so many contacts and lines of orders, filled in minutes: indexes and foreign keys are made
// when the rows are there.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Connection } from '../../../src/postgres/index.ts'
import { quote } from '../../../src/sql/index.ts'
import { fillContacts } from '../../explain/fill.ts'
import { fillOrders } from '../../explain/fill-orders.ts'
import { type Lean, openLean } from '../leanest/sides.ts'
import { timed } from '../timed.ts'
import type { Known } from './calls.ts'

const MODULES = ['base', 'mail', 'uom', 'product', 'account', 'sales_team', 'sale', 'sale_management']
const LINES = 3

export interface Filled {
  readonly lean: Lean
  readonly known: Known
}

/**
 * Opens a database that has so many of each. `keep`: a folder that it stays in, and where it is taken from
 * when it is there.
 */
export async function openFilled(rows: number, keep: string | null): Promise<Filled> {
  const folder = keep === null ? null : join(keep, `${rows}`)
  if (folder) mkdirSync(folder, { recursive: true, mode: 0o711 })
  const notes = folder && join(folder, 'known.json')
  const lean = await openLean(MODULES, folder ?? undefined)
  try {
    if (notes && existsSync(notes)) return { lean, known: JSON.parse(readFileSync(notes, 'utf8')) as Known }
    const ids = await fill(lean, rows)
    if (notes) writeFileSync(notes, JSON.stringify(ids))
    return { lean, known: ids }
  } catch (error) {
    await lean.close()
    throw error
  }
}

async function fill({ run, connection }: Lean, rows: number): Promise<Known> {
  let ids: Known | null = null
  const took = await timed(async () => {
    const contacts = await withoutIndexes(
      connection,
      ['res_partner', 'res_partner_res_partner_category_rel'],
      () => run((env) => fillContacts(env, rows)),
    )
    // The fill numbers its contacts itself.
    await connection.simple(`SELECT setval('res_partner_id_seq', (SELECT max(id) FROM res_partner))`)
    const orders = await fillOrders(run, Math.ceil(rows / LINES), (copy) =>
      withoutIndexes(connection, ['sale_order', 'sale_order_line'], copy),
    )
    await connection.simple('VACUUM ANALYZE')
    const { company, person, tag, topTag, country } = contacts
    const { customer, company: buyer, product, order, day } = orders
    ids = { rows, company, person, tag, topTag, country, customer, buyer, product, order, day }
  })
  console.error(`${rows} contacts and lines in ${(took / 1000).toFixed(0)} s`)
  if (!ids) throw new Error('the fill says what there is')
  return ids
}

/** Runs a load while indexes of these tables, and what refers from them, are away. */
async function withoutIndexes<T>(
  connection: Connection,
  tables: readonly string[],
  load: () => Promise<T>,
): Promise<T> {
  const indexes = (await connection.query(
    `SELECT i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid), obj_description(i.indexrelid, 'pg_class')
     FROM pg_index i WHERE i.indrelid = ANY ($1::regclass[])
       AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid)`,
    [tables],
  )) as [string, string, string | null][]
  const keys = (await connection.query(
    `SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid), obj_description(oid, 'pg_constraint')
     FROM pg_constraint WHERE contype = 'f' AND conrelid = ANY ($1::regclass[])`,
    [tables],
  )) as [string, string, string, string | null][]
  const note = (on: string, said: string | null) =>
    said === null ? [] : [`COMMENT ON ${on} IS '${said.replaceAll("'", "''")}'`]
  await connection.simple(
    [
      ...keys.map(([table, name]) => `ALTER TABLE ${table} DROP CONSTRAINT ${quote(name)}`),
      ...indexes.map(([name]) => `DROP INDEX ${name}`),
    ].join(';\n'),
  )
  const loaded = await load()
  await connection.simple(
    [
      `SET maintenance_work_mem = '512MB'`,
      ...indexes.flatMap(([name, definition, said]) => [definition, ...note(`INDEX ${name}`, said)]),
      ...keys.flatMap(([table, name, definition, said]) => [
        `ALTER TABLE ${table} ADD CONSTRAINT ${quote(name)} ${definition}`,
        ...note(`CONSTRAINT ${quote(name)} ON ${table}`, said),
      ]),
    ].join(';\n'),
  )
  return loaded
}
