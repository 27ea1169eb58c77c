// The INSERT of new records.
import { present } from '../../kit/present.ts'
import { quote, raw } from '../../sql/index.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { byWeight } from '../load/weight.ts'
import { columnTypeIn, expressionIn, jsonValue } from '../row/columns.ts'
import { fieldsShape } from '../row/plans.ts'
import { type Sorted, weightOf } from '../row/values.ts'
import { perModel } from '../unit/per-model.ts'

/**
 * One statement for all rows unless their texts are long; gives their ids, `reserved` or made by the table,
 * in the order of `sorted`.
 */
export async function insert(
  env: Environment,
  model: ModelDef,
  reserved: readonly number[] | null,
  sorted: readonly Sorted[],
): Promise<number[]> {
  const given = new Set<FieldDef>()
  for (const { columns } of sorted) for (const field of columns.keys()) given.add(field)
  // In the order of the contract: functions that ran beside each other end in any, and a plan is made once.
  const fields: FieldDef[] = []
  for (const field of columnsOf(model)) if (given.has(field)) fields.push(field)
  const objects = sorted.map(({ columns }, n) => {
    const row: Record<string, unknown> = reserved ? { id: reserved[n] } : { n }
    for (const [i, field] of fields.entries()) row[`c${i}`] = jsonValue(env, field, columns.get(field))
    return row
  })
  const text = insertText(model, fields, reserved !== null)
  const ids: number[] = []
  const portions = byWeight(objects, (n) => weightOf(present(sorted[n])))
  for (const rows of portions) {
    const values = [...(model.logAccess ? [env.uid] : []), JSON.stringify(rows)]
    // Long texts are not kept until all of them have left.
    if (reserved && portions.length === 1) env.unit.postRows({ text, values })
    else for (const [id] of await env.unit.run<[number]>({ text, values })) ids.push(id)
  }
  env.unit.grew(model.table, sorted.length)
  return reserved ? [...reserved] : ids.sort((a, b) => a - b)
}

const columnsOf = perModel((model) => [...model.fields.values()].filter((field) => field.column))

/** Texts by the fields that are given. */
const insertTexts = perModel(() => new Map<string, string>())

/** Texts that are kept of a model: mostly the same fields are given. */
const MOST_TEXTS = 200

/** Ids that the table makes come back; rows with reserved ones are sent and not waited for. */
function insertText(model: ModelDef, fields: readonly FieldDef[], reserved: boolean): string {
  const texts = insertTexts(model)
  const key = `${reserved} ${fieldsShape(fields)}`
  const known = texts.get(key)
  if (known !== undefined) return known
  const now = `now() AT TIME ZONE 'UTC'`
  const log = model.logAccess
    ? { create_uid: '$1::int', create_date: now, write_uid: '$1::int', write_date: now }
    : {}
  const own = fields.map(
    (field, i) => [field.name, expressionIn(field, raw(`x.c${i}`)).compile().text] as const,
  )
  const columns = [...own, ...Object.entries(log), ...(reserved ? [['id', 'x.id'] as const] : [])]
  const definition = [
    reserved ? 'id int' : 'n int',
    ...fields.map((field, i) => `c${i} ${columnTypeIn(field)}`),
  ].join(', ')
  const rows = `jsonb_to_recordset($${model.logAccess ? 2 : 1}::jsonb) AS x(${definition})`
  const names = columns.map(([name]) => quote(name)).join(', ')
  const values = columns.map(([, value]) => value).join(', ')
  const into = `INSERT INTO ${quote(model.table)}${columns.length ? ` (${names})` : ''} SELECT ${values} FROM ${rows}`
  const text = reserved ? into : `${into} ORDER BY x.n RETURNING "id"`
  if (texts.size >= MOST_TEXTS) texts.clear()
  texts.set(key, text)
  return text
}
