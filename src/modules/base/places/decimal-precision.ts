// Named precisions (decimal.precision): how many decimals quantities, prices and the like have, by what they
// are used for. Fields declare which one is theirs.
import { char, type Environment, implement, integer, model, type Of, required, returns } from '#models'
import { sql } from '../../../sql/index.ts'
import { changingRights, writingRights } from '../rights/rights-changes.ts'

const precision = model('decimal.precision', {
  label: 'Decimal Precision',
  rules: {
    name_uniq: { unique: ['name'], message: 'Only one precision can be kept for each usage!' },
    digits_range: {
      check: 'digits BETWEEN 0 AND 15',
      message: 'The precision must be between 0 and 15 decimals.',
    },
  },
  fields: {
    name: char({ label: 'Usage', required: true }),
    digits: integer({ label: 'Digits', default: 2, required: true }),
  },
  methods: {
    precision_get: {
      doc: 'Number of decimals of a usage; 2 by default.',
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

/** Number of decimals of a usage such as `Product Unit`; 2 by default. */
export async function digitsOf(env: Environment, usage: string): Promise<number> {
  const rows = await env.rows(sql`SELECT digits FROM decimal_precision WHERE name = ${usage}`, {
    reads: ['decimal.precision'],
    row: ['int?'],
  })
  return rows[0]?.[0] ?? 2
}

/**
 * A changed number of decimals makes every process compose the fields of that usage again: as with
 * custom models, the version of the rights announces it.
 */
export default implement(precision, {
  wrapGeneric: { create: changingRights, unlink: changingRights },
  wrapWrite: writingRights,
  methods: { precision_get: ({ env }, { application }) => digitsOf(env, application) },
})
