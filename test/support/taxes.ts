// Taxes and documents for tests: made by hand, or by chance over all that a tax can say.
import fc from 'fast-check'
import type { TaxedLine } from '../../src/modules/account/tax-engine/line.ts'
import type { Tax } from '../../src/modules/account/tax-engine/tax.ts'

/** A percentage on top of the price, unless `given` says otherwise. */
export const tax = (id: number, amount: number, values: Partial<Tax> = {}): Tax => ({
  id,
  amountType: 'percent',
  amount,
  priceInclude: false,
  includeBaseAmount: false,
  isBaseAffected: true,
  hasNegativeFactor: false,
  taxGroupId: id,
  ...values,
})

export const included: Partial<Tax> = { priceInclude: true }

export const line = (priceUnit: number, quantity: number, ...taxes: readonly Tax[]): TaxedLine => ({
  priceUnit,
  quantity,
  taxes,
})

/** Decimals with up to `places` places. */
const decimal = (min: number, max: number, places: number) =>
  fc.integer({ min: min * 10 ** places, max: max * 10 ** places }).map((n) => n / 10 ** places)

const amountTypes = ['percent', 'percent', 'percent', 'fixed', 'division'] as const

export const anyTax = (id: number, values: Partial<Tax> = {}): fc.Arbitrary<Tax> =>
  fc
    .record({
      amountType: fc.constantFrom(...amountTypes),
      amount: decimal(0, 30, 3),
      priceInclude: fc.boolean(),
      includeBaseAmount: fc.boolean(),
      isBaseAffected: fc.boolean(),
      hasNegativeFactor: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
      taxGroupId: fc.integer({ min: 1, max: 3 }),
    })
    .map((generated) => ({ ...generated, id, ...values }))

/** Up to four taxes, of which each line takes some. */
const catalogue = (values: Partial<Tax>) => fc.tuple(...[1, 2, 3, 4].map((id) => anyTax(id, values)))

/** A document whose lines share their taxes. */
export const anyDocument = (values: Partial<Tax> = {}, most = 8): fc.Arbitrary<TaxedLine[]> =>
  catalogue(values).chain((taxes) =>
    fc.array(
      fc.record({
        priceUnit: decimal(-20, 2000, 2),
        quantity: decimal(-5, 40, 3),
        discount: fc.oneof(fc.constant(0), decimal(0, 100, 2)),
        taxes: fc.subarray(taxes),
      }),
      { minLength: 1, maxLength: most },
    ),
  )

/** Steps of currencies that there are, and some that there are not. */
export const anyStep = fc.constantFrom(0.01, 0.001, 0.1, 1, 0.05, 0.5, 10, 0.0001)
export const anyMethod = fc.constantFrom('round_globally' as const, 'round_per_line' as const)
