// Compares tables up to the choice of ids: where calls run at the same time, chance decides who gets which.
// Every row becomes a text without ids; a link becomes the text of the row that it leads to, so that rows
// which say the same of the same records are equal whatever their ids are. Then the texts of each table are
// counted.
import { createHash } from 'node:crypto'
import type pg from 'pg'
import type { Finding } from './answers.ts'
import type { Exchange } from './exchange.ts'
import type { Table, Tables } from './tables.ts'

/** Table → column → table that it refers to. */
export type Links = ReadonlyMap<string, ReadonlyMap<string, string>>

/** The number of links after which a difference between two records is noticed. */
const DEPTH = 3

/** Tables whose rows name records or transactions by number only, without a foreign key. */
const NUMBERS_ONLY = new Set(['comptoir_change', 'comptoir_change_before', 'comptoir_idempotency'])

/** Columns whose numbers are ids or positions although no foreign key says so. */
const ID_COLUMN = /(^|_)(ids?|seq|position|number|tx|image)$/

/** Reads the foreign keys of a database. */
export async function linksOf(db: pg.Client): Promise<Links> {
  const { rows } = await db.query<{ name: string; field: string; target: string }>(
    `SELECT t.relname::text AS name, a.attname::text AS field, f.relname::text AS target
     FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid JOIN pg_class f ON f.oid = c.confrelid
     JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
     WHERE c.contype = 'f' AND array_length(c.conkey, 1) = 1`,
  )
  const links = new Map<string, Map<string, string>>()
  for (const { name, field, target } of rows) {
    const fields = links.get(name) ?? new Map<string, string>()
    fields.set(field, target)
    links.set(name, fields)
  }
  return links
}

type Values = Readonly<Record<string, unknown>>
type Labels = ReadonlyMap<string, ReadonlyMap<number, string>>

const digest = (text: string): string => createHash('sha1').update(text).digest('base64url').slice(0, 16)

/** A text without what differs from run to run: numbers in it may be ids, moments are of the run. */
function plain(value: unknown, column: string): unknown {
  if (typeof value === 'string')
    return value.length >= 20 && /^[\w.+/=\\$-]+$/.test(value) ? 'secret' : value.replace(/\d+/g, '0')
  if (typeof value === 'number') return ID_COLUMN.test(column) ? 'id' : value
  if (Array.isArray(value)) return value.map((element) => plain(element, column))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, element]) => [key.replace(/\d+/g, '0'), plain(element, key)]),
  )
}

function textOf(
  name: string,
  row: Values,
  fields: ReadonlyMap<string, string> | undefined,
  labels: Labels,
): string {
  const parts = Object.entries(row).map(([column, value]) => {
    if (column === 'id') return null
    const target = fields?.get(column)
    if (target === undefined) return [column, plain(value, NUMBERS_ONLY.has(name) ? 'id' : column)]
    return [column, value === null ? null : (labels.get(target)?.get(Number(value)) ?? target)]
  })
  return JSON.stringify(parts.filter((part) => part !== null))
}

/** Texts of all rows, by table. */
function textsOf(tables: Tables, links: Links): ReadonlyMap<string, readonly string[]> {
  const rows = new Map(
    [...tables.values()].map((table: Table) => [
      table.name,
      table.rows.map((row) => JSON.parse(row.text) as Values),
    ]),
  )
  let labels: Labels = new Map()
  let texts = new Map<string, readonly string[]>()
  for (let round = 0; round <= DEPTH; round++) {
    const next = new Map<string, Map<number, string>>()
    texts = new Map()
    for (const [name, all] of rows) {
      const written = all.map((row) => textOf(name, row, links.get(name), labels))
      texts.set(name, written)
      next.set(
        name,
        new Map(
          all.flatMap((row, i) =>
            typeof row.id === 'number' ? [[row.id, digest(written[i] as string)] as const] : [],
          ),
        ),
      )
    }
    labels = next
  }
  return texts
}

/**
 * Items that only one of two lists has or has more often, for people; null where they are equal in any
 * order.
 */
function countedDifference(texts: readonly string[], others: readonly string[]): string | null {
  const left = new Map<string, number>()
  for (const text of texts) left.set(text, (left.get(text) ?? 0) + 1)
  for (const text of others) left.set(text, (left.get(text) ?? 0) - 1)
  const onlyOld = [...left].filter(([, count]) => count > 0)
  const onlyNew = [...left].filter(([, count]) => count < 0)
  if (onlyOld.length + onlyNew.length === 0) return null
  const shown = (rows: readonly (readonly [string, number])[]) => rows[0]?.[0].slice(0, 1500) ?? 'none'
  return `  ${onlyOld.length} only old, such as ${shown(onlyOld)}\n  ${onlyNew.length} only new, such as ${shown(onlyNew)}`
}

/** Compares pages of the change feed: their changes, up to ids and in any order. */
export function compareFeedsUpToIds(old: readonly Exchange[], other: readonly Exchange[]): Finding[] {
  const [texts, others] = [old, other].map((exchanges) =>
    exchanges.flatMap(({ body }) => {
      const { changes = [] } = JSON.parse(body.toString('utf8')) as { changes?: readonly unknown[] }
      return changes.map((change) => JSON.stringify(plain(change, 'id')))
    }),
  ) as [string[], string[]]
  const detail = countedDifference(texts, others)
  if (!detail) return []
  return [{ what: 'the change feed differs up to ids', request: 'all pages of /x/1/changes', detail }]
}

/** Rows that only one of two databases has, at most one difference for each table. */
export function compareUpToIds([old, other]: readonly [Tables, Tables], links: Links): Finding[] {
  const [ones, others] = [textsOf(old, links), textsOf(other, links)]
  const findings: Finding[] = []
  for (const [name, texts] of ones) {
    const difference = countedDifference(texts, others.get(name) ?? [])
    if (!difference) continue
    findings.push({
      what: `table ${name} differs up to ids`,
      request: 'unknown: several calls ran at the same time',
      detail: `rows without ids (links are digests of the rows they lead to)\n${difference}`,
    })
  }
  // Differences in a row itself come before those that follow from its links.
  return findings.sort((finding, two) => finding.detail.length - two.detail.length)
}
