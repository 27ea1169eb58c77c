// What was read, in the form in which it is passed on: PostgreSQL rendered the JSON, and only fields without
// SQL form are filled in by code.

import { present } from '../../kit/present.ts'
import type { FieldDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { fieldOf } from '../language/relations.ts'
import { binarySizes, bytesIn, sizeText, wantsSize } from '../load/binaries.ts'
import { loadFields } from '../load/load.ts'
import { LongAnswer } from './long-answer.ts'
import { outwardValues } from './outward.ts'
import { Listed, Rendered, type WireRow } from './rendered.ts'
import type { Form } from './selection.ts'

export type Answer = Rendered | WireRow[] | LongAnswer

/** Rows as objects. Asked for by code, which never gets them in pieces. */
export function plainObjects(answer: Answer): WireRow[] {
  if (answer instanceof LongAnswer) throw new Error('Code reads rows whole.')
  return answer instanceof Rendered ? (JSON.parse(answer.json) as WireRow[]) : answer
}

/**
 * Fills in what needs code. Values of fields are read with the user's environment: rules were judged by the
 * query.
 */
export async function finish(
  env: Environment,
  json: string,
  slow: readonly FieldDef[],
  form: Form,
  count: number | null = null,
): Promise<Rendered | WireRow[]> {
  if (slow.length === 0) return count === null ? new Rendered(json) : new Listed(json, count)
  const rows = JSON.parse(json) as WireRow[]
  if (rows.length === 0) return rows
  const ids = [...new Set(rows.map((row) => row.id))]
  const { model } = present(slow[0])
  const known = env.unit.cache.of(fieldOf(model, 'id'), '')
  for (const record of ids) known.set(record, record)
  const sized = slow.filter((field) => wantsSize(env, field))
  const made = slow.filter((field) => !sized.includes(field))
  const { of } = await loadFields(env, model, ids, made)
  for (const field of sized) await fillSizes(env, rows, field, ids, form)
  for (const field of made) {
    const outward = await outwardValues(env, field, present(of.get(field)), ids, form)
    for (const row of rows) row[field.name] = outward(row.id)
  }
  return rows
}

async function fillSizes(
  env: Environment,
  rows: readonly WireRow[],
  field: FieldDef,
  ids: readonly number[],
  { typed }: Form,
): Promise<void> {
  const sizes = await sizesOf(env, field, ids)
  for (const row of rows) {
    const text = sizeText(sizes.get(row.id))
    row[field.name] = typed ? text || null : text
  }
}

/** Bytes of binary values; those that are made by code are made, unless their model knows better. */
async function sizesOf(
  env: Environment,
  field: FieldDef,
  ids: readonly number[],
): Promise<Map<number, number | null>> {
  const sizes = await binarySizes(env, field, ids)
  if (sizes) return sizes
  const { of } = await loadFields(env, field.model, ids, [field])
  return new Map(ids.map((record) => [record, bytesIn(of.get(field)?.get(record))]))
}
