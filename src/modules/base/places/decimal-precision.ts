// Named precisions (decimal.precision): how many decimals quantities, prices and the like have, by what they
// are used for. Fields declare which one is theirs.
import { char, type Environment, implement, integer, model, type Of, required, returns } from '#models'
import { sql } from '../../../sql/index.ts'
import { changingRights, writingRights } from '../rights/rights-changes.ts'

const precision = model('decimal.precision', {
  label: 'Decimal Precision',
  rules: {
    name_uniq: { unique: ['name'], message: 'Only one precision can be kept for each usage!' },
    digits_range: { check: 'digits BETWEEN 0 AND 15', message: 'A precision has between 0 and 15 decimals.' },
  },
  fields: {
    name: char({ label: 'Usage', required: true }),
    digits: integer({ label: 'Digits', default: 2, required: true }),
  },
  methods: {
    precision_get: {
      doc: 'How many decimals a usage has; 2 when nobody said.',
      level: 'model',
      readonly: true,
      params: { application: required<string>('string', { annotation: 'str' }) },
      returns: returns<number>('integer', 'int'),
    },
  },
})

declare module '#models' {
  interface Models {
    'decimal.precision': DecimalPrecision
  }
  interface DecimalPrecision extends Of<typeof precision> {}
}

/** Decimals that numbers of a usage such as `Product Unit` have: 2 when nobody said. */
export async function digitsOf(env: Environment, usage: string): Promise<number> {
  const rows = await env.rows(sql`SELECT digits FROM decimal_precision WHERE name = ${usage}`, {
    reads: ['decimal.precision'],
    row: ['int?'],
  })
  return rows[0]?.[0] ?? 2
}

/**
 * Every process composes the fields anew that have another number of decimals: it hears of that with the
 * version of the rights, as of made models.
 */
export default implement(precision, {
  wrapGeneric: { create: changingRights, unlink: changingRights },
  wrapWrite: writingRights,
  methods: { precision_get: ({ env }, { application }) => digitsOf(env, application) },
})
