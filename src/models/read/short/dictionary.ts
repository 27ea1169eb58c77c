// Lookup caches of small tables: the JSON of their records, kept in memory. An entry is used only under
// the version of the table that the statement of the rows returned with them (schema/tables.ts).

import { oncePer } from '../../../kit/once-per.ts'
import { only } from '../../../kit/present.ts'
import { Recent } from '../../../kit/recent.ts'
import { serial } from '../../../kit/serial.ts'
import { sha256 } from '../../../kit/sha256.ts'
import { join, limited, literal, quote, type Sql, type Statement, sql } from '../../../sql/index.ts'
import type { FieldDef, ModelDef } from '../../language/definitions.ts'
import type { Environment } from '../../language/environment.ts'
import type { Scope } from '../../language/scope.ts'
import type { Row } from '../../language/unit.ts'
import { lineCondition } from '../../load/links.ts'
import { ruleOf } from '../../row/access.ts'
import { compileOrder } from '../../row/order.ts'
import { scopeOver } from '../../row/scope.ts'

/** Records of a table that is small, and letters of what is shown of them. */
const MOST = 1000
const LETTERS = 100_000

/** Dictionaries that a process keeps of all its databases; those not used for the longest time go. */
const CAPACITY = 400

export interface Dictionary {
  readonly version: string
  /** JSON by id, as PostgreSQL makes it. */
  readonly texts: ReadonlyMap<number, string>
  /** The same without its spaces, of those that were asked for. */
  readonly tight: Map<number, string>
  /** Where a record stands in the order of its model. */
  readonly places: ReadonlyMap<number, number>
}

/** A dictionary that a list needs: how it is read, and the version that the list's rows bring. */
export interface Need {
  readonly model: ModelDef
  /** Version, id and JSON of each record, in order. */
  readonly statement: Statement
  /** The hash of the statement, which is too long to build and look up for every list. */
  readonly key: string
  readonly version: Sql
}

const kept = new Recent<string, Dictionary>(CAPACITY)

/**
 * The key in the cache. Versions distinguish states of one database only; a forged backup may claim any
 * version, and must not expose entries of another database.
 */
const nameOf = ({ unit: { database, registry } }: Environment, { key }: Need): string =>
  `${serial(database)} ${serial(registry)} ${key}`

/** Models that turned out to have too much for a dictionary. */
const sizeOf = oncePer((_: ModelDef) => ({ isLarge: false }))
let largeTables = 0

/** Part of the shape of what is planned with dictionaries: it changes when one turns out to be too large. */
export const largeTableCount = (): number => largeTables

const versionOf = ({ table }: ModelDef): Sql =>
  sql`(SELECT sum(mark)::text FROM dictionary_changes WHERE table_name = ${literal(table)})`

/** SQL whose value changes without the table. */
const fleeting = /\b(?:now|random|current_\w+|clock_timestamp|localtime\w*)\b/i

/** Whether SQL reads no table but one, as `FROM "table" "alias"`: its version then says all. */
function readsOnly(table: string, text: string): boolean {
  const ownTable = new RegExp(`\\b(?:FROM|JOIN) ${RegExp.escape(quote(table))} "\\w+"(?! *,)`, 'g')
  return !fleeting.test(text) && !/\b(?:from|join)\b/i.test(text.replaceAll(ownTable, ''))
}

/** `show` for each record of a small model, for all users; null if it needs more than the row. */
export function needOf(env: Environment, model: ModelDef, show: (target: Scope) => Sql | null): Need | null {
  if (!isSmall(model)) return null
  const target = scopeOver(env.sudo(), model)
  const json = show(target)
  return json && whole(target, model, sql`${target.id}, (${json})::text`, null)
}

/**
 * The dictionary of `show` for the lines of a relation, with the context of the user; null where rules
 * hide lines, or if it needs more than the row.
 */
export function lineNeedOf(
  env: Environment,
  field: FieldDef,
  show: (lines: Scope) => Sql | null,
): Need | null {
  const model = field.comodel
  if (!model || !isSmall(model) || !field.link || field.related || field.compute) return null
  const lines = scopeOver(env, model)
  if (ruleOf(lines, model, 'read')) return null
  const json = show(lines)
  return json && whole(lines, model, sql`${lines.id}, (${json})::text`, lineCondition(lines, field))
}

const isSmall = (model: ModelDef): boolean =>
  model.options.dictionary === true && model.hasTable && !sizeOf(model).isLarge

function whole(scope: Scope, model: ModelDef, columns: Sql, condition: Sql | null): Need | null {
  const where = condition ? sql` WHERE ${condition}` : sql``
  const order = join(compileOrder(scope, null))
  const from = sql`FROM ${scope.from()}`
  const { text, momentary } = sql`${columns} ${from}${where} ORDER BY ${order}`.compile()
  if (momentary || !readsOnly(model.table, text)) return null
  const version = versionOf(model)
  // A row comes in any case: it brings the version.
  const statement = sql`SELECT v.version, d.* FROM (SELECT ${version} AS version) AS v
      LEFT JOIN (SELECT ${columns}, row_number() OVER (ORDER BY ${order}) AS place ${from}${where}) AS d(id, json, place) ON TRUE
      ORDER BY d.place${limited(MOST + 1)}`.compile()
  const key = sha256(`${statement.text} ${JSON.stringify(statement.values)}`).toString('base64')
  return { model, statement, key, version }
}

/** The dictionaries of the versions in which a row ends; null where they are not known. */
export function dictionariesFor(
  env: Environment,
  needs: readonly Need[],
  row: Row,
): readonly Dictionary[] | null {
  const dictionaries = needs.map((need) => kept.get(nameOf(env, need)))
  return fits(row, dictionaries) ? dictionaries : null
}

/**
 * As `dictionariesFor`, with dictionaries that are read again, and the row too if it is of another moment.
 * Null where a table turns out to be too large for a dictionary: the caller must plan the statement again.
 */
export async function loadedFor(
  env: Environment,
  statement: Statement,
  needs: readonly Need[],
  row: Row,
): Promise<{ readonly row: Row; readonly dictionaries: readonly Dictionary[] } | null> {
  // From here on one snapshot holds for all that is read.
  const loaded = await Promise.all(needs.map((need) => load(env, need)))
  const dictionaries = loaded.flatMap((one) => one ?? [])
  if (dictionaries.length < needs.length) return null
  if (fits(row, dictionaries)) return { row, dictionaries }
  const [again = []] = await env.unit.run(statement)
  return { row: again, dictionaries }
}

function fits(
  row: Row,
  dictionaries: readonly (Dictionary | undefined)[],
): dictionaries is readonly Dictionary[] {
  const from = row.length - dictionaries.length
  return dictionaries.every((one, i) => one !== undefined && one.version === row[from + i])
}

async function load(env: Environment, need: Need): Promise<Dictionary | null> {
  const { model, statement } = need
  const rows = await env.unit.run<[string, number, string]>(statement)
  const letters = rows.reduce((sum, row) => sum + ((row[2] as string | null)?.length ?? 0), 0)
  if (rows.length > MOST || letters > LETTERS) {
    const size = sizeOf(model)
    if (!size.isLarge) largeTables++
    size.isLarge = true
    return null
  }
  const records = rows.filter((row) => row[1] !== null)
  const dictionary = {
    version: only(rows)[0],
    texts: new Map(records.map((row) => [row[1], row[2]])),
    tight: new Map<number, string>(),
    places: new Map(records.map((row, place) => [row[1], place])),
  }
  kept.set(nameOf(env, need), dictionary)
  return dictionary
}

export type TextOf = (dictionary: Dictionary, id: number) => string | undefined

export const postgresText: TextOf = ({ texts }, id) => texts.get(id)

export const compactText: TextOf = ({ texts, tight }, id) => {
  const cachedWord = tight.get(id)
  if (cachedWord !== undefined) return cachedWord
  const text = texts.get(id)
  if (text === undefined) return undefined
  const written = JSON.stringify(JSON.parse(text))
  tight.set(id, written)
  return written
}

/** JSON of linked records that are in a dictionary, in their order, in which the list is put too. */
export function linesIn(dictionary: Dictionary, ids: number[], textOf: TextOf): string {
  if (ids.length > 1) putInOrder(ids, dictionary.places)
  let text = '['
  for (const recordId of ids) {
    const line = textOf(dictionary, recordId)
    if (line !== undefined) text += text === '[' ? line : `,${line}`
  }
  return `${text}]`
}

/** Lists up to this length are put in order by moving what is too far in front, which takes no function. */
const FEW = 8

function putInOrder(ids: number[], places: Dictionary['places']): void {
  const placeOf = (one: number) => places.get(one) ?? 0
  if (ids.length > FEW) ids.sort((one, other) => placeOf(one) - placeOf(other))
  else
    for (const [i, recordId] of ids.entries()) {
      const place = placeOf(recordId)
      let at = i
      for (; at > 0; at--) {
        const before = ids[at - 1] ?? recordId
        if (placeOf(before) <= place) break
        ids[at] = before
      }
      ids[at] = recordId
    }
}
