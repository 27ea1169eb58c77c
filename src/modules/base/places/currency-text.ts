// Amounts of currencies as texts (res.currency): in words, and with the symbol where people write it.
import { extend, implement, type Of, type Records, required, returns } from '#models'
import { UserError } from '../../../errors.ts'
import { numberInWords } from '../../../kit/number-words.ts'
import { roundHalfUp } from '../../../kit/rounding.ts'
import { languagesFor } from '../print.ts'

const amount = required<number>('number', { annotation: 'float' })

const currency = extend('res.currency', {
  fields: {},
  methods: {
    amount_to_text: {
      doc: 'The amount in words.',
      readonly: true,
      params: { amount },
      returns: returns<string>('string', 'str'),
    },
    format: {
      doc: "Formats the amount with the symbol, in the caller's language.",
      readonly: true,
      params: { amount },
      returns: returns<string>('string', 'str'),
    },
    get_all_currencies: {
      doc: 'Returns symbol, position and decimals of each active currency, by id.',
      level: 'model',
      readonly: true,
      params: {},
      returns: returns<Readonly<Record<string, object>>>('object', 'dict'),
    },
  },
})

declare module '#models' {
  interface Currency extends Of<typeof currency> {}
}

/** Names of the units of a currency. */
export interface Worded {
  readonly decimal_places: number
  readonly currency_unit_label: string | null
  readonly currency_subunit_label: string | null
}

/** Names of units are written as words of a title. */
const titled = (text: string): string => text.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase())

/** An amount in words: "Twelve Dollars and Fifty Cents". Throws UserError for amounts that have none. */
export function amountInWords(value: number, { decimal_places: places, ...labels }: Worded): string {
  const size = 10 ** places
  const parts = Math.round(Math.abs(value) * size)
  if (!Number.isSafeInteger(parts) || parts / size >= 10 ** 15)
    throw new UserError(
      'The amount is too large to be written in words: send one below 1,000,000,000,000,000.',
    )
  const inUnits = (count: number, label: string | null) =>
    [titled(numberInWords(count)), label].filter(Boolean).join(' ')
  const whole = inUnits(Math.floor(parts / size), labels.currency_unit_label)
  const rest = parts % size
  const text = rest ? `${whole} and ${inUnits(rest, labels.currency_subunit_label)}` : whole
  return value < 0 && parts ? `Minus ${text}` : text
}

async function single(currencies: Records<'res.currency'>) {
  currencies.ensureOne()
  return currencies.one([
    'rounding',
    'decimal_places',
    'symbol',
    'position',
    'currency_unit_label',
    'currency_subunit_label',
  ])
}

export default implement(currency, {
  methods: {
    amount_to_text: async (currencies, { amount: value }) => {
      const row = await single(currencies)
      return amountInWords(roundHalfUp(value, row.rounding), row)
    },
    format: async (currencies, { amount: value }) => {
      const { env } = currencies
      const row = await single(currencies)
      return (await languagesFor(env, [env.lang]))(env.lang).money(roundHalfUp(value, row.rounding), row)
    },
    get_all_currencies: async ({ env }) => {
      const rows = await (await env.model('res.currency').search([])).load([
        'name',
        'symbol',
        'position',
        'decimal_places',
      ])
      return Object.fromEntries(
        rows.map(({ id, name, symbol, position, decimal_places }) => [
          id,
          { name, symbol, position, digits: [69, decimal_places] },
        ]),
      )
    },
  },
})
