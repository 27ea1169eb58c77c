// Money over the API: each value of each monetary field of all models, against the steps of its currency.
import assert from 'node:assert/strict'
import type { Answer } from '../support/office.ts'

type Row = Record<string, unknown>

interface Fields {
  readonly model: string
  readonly names: ReadonlyMap<string, string>
}

/** An office with calls of its administrator, whatever other people it has. */
interface Administered {
  call(person: 'admin', path: string, body: object): Promise<Answer>
}

const MANY = 2000

/** Values that lie between the steps of their currencies, a line each; and how many values there were. */
export async function between(
  office: Administered,
): Promise<{ readonly flaws: string[]; readonly read: number }> {
  const ask = async <T>(path: string, body: object): Promise<T> => {
    const { status, body: answer } = await office.call('admin', path, body)
    assert.equal(status, 200, `${path}: ${JSON.stringify(answer)}`)
    return answer as T
  }
  const currencies = await ask<Row[]>('res.currency/search_read', {
    domain: [],
    fields: ['rounding'],
    context: { active_test: false },
  })
  const steps = new Map(currencies.map((row) => [row.id as number, row.rounding as number]))
  const fields = await ask<Row[]>('ir.model.fields/search_read', {
    domain: [['ttype', '=', 'monetary']],
    fields: ['model', 'name', 'currency_field'],
  })
  const byModel = [...Map.groupBy(fields, (field) => field.model as string)].map(
    ([model, rows]): Fields => ({
      model,
      names: new Map(
        rows.map((row) => [row.name as string, (row.currency_field || 'currency_id') as string]),
      ),
    }),
  )
  const flaws: string[] = []
  let read = 0
  for (const { model, names } of byModel) {
    const records = await ask<Row[]>(`${model}/search_read`, {
      domain: [],
      fields: [...new Set([...names.keys(), ...names.values()])],
      limit: MANY,
      order: 'id desc',
      load: null,
      context: { active_test: false },
    })
    for (const row of records)
      for (const [name, currency] of names) {
        const step = steps.get(row[currency] as number)
        const value = row[name]
        if (step === undefined || typeof value !== 'number' || value === 0) continue
        read++
        if (!isStep(value, step)) flaws.push(`${model} ${row.id} ${name}: ${value} in steps of ${step}`)
      }
  }
  return { flaws, read }
}

/** Decimals that doubles hold of amounts up to a thousand millions. */
const DIGITS = 6

/** Whether an amount is a multiple of the step, without an error of floating point. */
const isStep = (value: number, step: number): boolean => {
  const steps = Math.round(value / step)
  return Number((steps * step).toFixed(DIGITS)) === value
}
