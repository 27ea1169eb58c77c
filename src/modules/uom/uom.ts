// Units of measure (uom.uom): trees of units, each so many of the one it is expressed in. Converting is in
// conversion.ts.
import {
  boolean,
  char,
  computed,
  computedTogether,
  type Environment,
  float,
  idsWhere,
  implement,
  integer,
  many2one,
  model,
  type Of,
  one2many,
  optional,
  type Records,
  required,
  returns,
  type WriteChange,
} from '#models'
import { InvalidValue, UserError } from '../../errors.ts'
import { asDecimal, roundHalfUp } from '../../kit/rounding.ts'
import { idList, sql } from '../../sql/index.ts'
import { digitsOf, issuedWith, otherValues, refuse } from '../base/index.ts'
import type { UnitFactor } from './conversion.ts'

const uom = model('uom.uom', {
  label: 'Product Unit of Measure',
  dictionary: true,
  formsBySaving: true,
  order: 'sequence, relative_uom_id, id',
  parent: 'relative_uom_id',
  parentStore: true,
  rules: {
    factor_gt_zero: {
      check: 'relative_factor <> 0',
      message: 'The conversion ratio of a unit of measure cannot be 0!',
    },
  },
  fields: {
    name: char({ label: 'Unit Name', required: true, translate: true }),
    sequence: integer({
      label: 'Sequence',
      computed: true,
      stored: true,
      readonly: false,
      help: 'Smaller units come first.',
    }),
    relative_factor: float({
      label: 'Contains',
      default: 1,
      required: true,
      help: 'Number of reference units in this unit.',
    }),
    relative_uom_id: many2one('uom.uom', { label: 'Reference Unit', ondelete: 'cascade', index: true }),
    related_uom_ids: one2many('uom.uom', 'relative_uom_id', { label: 'Related UoMs' }),
    factor: float({
      label: 'Absolute Quantity',
      computed: true,
      stored: true,
      help: 'Number of root units in this unit.',
    }),
    rounding: float({ label: 'Rounding Precision', computed: true }),
    active: boolean({ label: 'Active', default: true }),
    parent_path: char({ label: 'Parent Path', index: true, copy: false }),
  },
  methods: {
    compare: {
      doc: 'Compares two quantities in the precision of the unit: -1, 0 or 1.',
      readonly: true,
      params: { value1: required<number>('number'), value2: required<number>('number') },
      returns: returns<number>('integer', 'int'),
    },
    is_zero: {
      doc: 'Whether a quantity is zero in the precision of the unit.',
      readonly: true,
      params: { value: required<number>('number') },
      returns: returns<boolean>('boolean', 'bool'),
    },
    round: {
      doc: 'Rounds a quantity to the precision of the unit.',
      readonly: true,
      params: {
        value: required<number>('number'),
        rounding_method: optional<string>('string', 'HALF-UP', {
          doc: 'HALF-UP, UP or DOWN',
          annotation: 'str',
        }),
      },
      returns: returns<number>('number', 'float'),
    },
  },
})

declare module '#models' {
  interface Models {
    'uom.uom': Uom
  }
  interface Uom extends Of<typeof uom> {}
}

/** Built-in units that may be deleted: nothing counts in them by default. */
const expendable = ['uom.product_uom_dozen', 'uom.product_uom_pack_6', 'uom.product_uom_hour']

/** Throws UserError when a root does not count as one. */
async function assertRoots(units: Records<'uom.uom'>): Promise<void> {
  const rows = await units.load(['relative_uom_id', 'relative_factor', 'name'])
  const wrong = rows.find((unit) => !unit.relative_uom_id && unit.relative_factor !== 1)
  if (wrong)
    throw new UserError(
      `${wrong.name} has a ratio of ${wrong.relative_factor} but no reference unit: set the reference unit, or the ratio 1.`,
    )
}

/** The units that get another ratio by these changes. */
export async function otherRatios(
  units: Records<'uom.uom'>,
  changes: readonly WriteChange[],
): Promise<number[]> {
  const others = await otherValues(units, changes, ['relative_factor', 'relative_uom_id'])
  return [...new Set(others.map(({ id }) => id))]
}

/** Throws UserError for another ratio of units that documents count in, or that such units refer to. */
async function assertUncounted(units: Records<'uom.uom'>, changes: readonly WriteChange[]): Promise<void> {
  const changed = await otherRatios(units, changes)
  if (changed.length === 0) return
  const all = units.sudo().withContext({ active_test: false })
  const label = await issuedWith(units.env, 'uom.uom', (await all.search([['id', 'child_of', changed]])).ids)
  if (label)
    await refuse(
      units,
      'write',
      `Records of ${label} use this unit, so its ratio cannot change. Archive the unit, and create a new one.`,
    )
}

/** Throws UserError for built-in units (spec/business-models.md section 1). */
async function assertRemovable(env: Environment, ids: readonly number[]): Promise<void> {
  const rows = await env.rows(
    sql`SELECT u.name->>'en_US' FROM ir_model_data d JOIN uom_uom u ON u.id = d.res_id WHERE d.model = 'uom.uom' AND d.module = 'uom'
    AND d.res_id = ANY(${idList(ids)}) AND NOT (d.module || '.' || d.name = ANY(${expendable}::text[])) LIMIT 1`,
    { reads: ['ir.model.data', 'uom.uom'], row: ['text'] },
  )
  if (rows[0])
    throw new UserError(`${rows[0][0]} is a unit that the server needs: archive it instead of deleting it.`)
}

/** Factors of units by id, in one statement. */
export async function factorsOf(env: Environment, ids: readonly number[]): Promise<Map<number, UnitFactor>> {
  const units = await env.sudo().model('uom.uom').browse(ids).load(['factor'])
  return new Map(units.map((unit) => [unit.id, { id: unit.id, factor: unit.factor }]))
}

export default implement(uom, {
  computed: {
    factor: computed(uom, ['relative_factor', 'relative_uom_id.factor'], (unit) =>
      asDecimal(unit.relative_factor * (unit.relative_uom_id?.factor ?? 1)),
    ),
    sequence: computed(uom, ['factor'], (unit) => Math.min(Math.trunc(asDecimal(unit.factor * 100)), 1000), {
      editable: true,
    }),
    rounding: computedTogether(uom, [], async (units, env) => {
      const step = 1 / 10 ** (await digitsOf(env, 'Product Unit'))
      return new Map(units.map((unit) => [unit.id, step]))
    }),
  },
  methods: {
    compare: async (units, { value1, value2 }) => {
      const { rounding } = await units.one(['rounding'])
      return Math.sign(roundHalfUp(value1, rounding) - roundHalfUp(value2, rounding))
    },
    is_zero: async (units, { value }) => roundHalfUp(value, (await units.one(['rounding'])).rounding) === 0,
    round: async (units, { value, rounding_method }) => {
      const { rounding } = await units.one(['rounding'])
      if (rounding_method === 'HALF-UP') return roundHalfUp(value, rounding)
      const steps = asDecimal(value / rounding)
      if (rounding_method === 'UP') return asDecimal(Math.sign(steps) * Math.ceil(Math.abs(steps)) * rounding)
      if (rounding_method === 'DOWN') return asDecimal(Math.trunc(steps) * rounding)
      throw new InvalidValue('Invalid rounding method: use HALF-UP, UP or DOWN.')
    },
  },
  wrapWrite: (next) => async (units, changes) => {
    await assertUncounted(units, changes)
    await next(units, changes)
    const hung = idsWhere(changes, (vals) => 'relative_uom_id' in vals || 'relative_factor' in vals)
    if (hung.length) await assertRoots(units.browse(hung))
  },
  wrapGeneric: {
    create: (next) => async (units, params) => {
      const createdUnits = (await next(units, params)) as typeof units
      await assertRoots(createdUnits)
      return createdUnits
    },
    unlink: (next) => async (units, params) => {
      await assertRemovable(units.env, units.ids)
      return next(units, params)
    },
  },
})
