// Which currencies are legal tender where, by CLDR.
import { AS_OF, type Packages } from './packages.ts'

interface Period {
  _from?: string
  _to?: string
  _tender?: string
}

/** Books of the years that are still open need the currency that has just gone. */
const KEPT_SINCE = '2023-01-01'

function periods(packages: Packages, territory: string): [string, Period][] {
  const { region } = packages.supplemental<{ region: Record<string, Record<string, Period>[]> }>(
    'currencyData',
  )
  return (region[territory] ?? []).flatMap((entry) => Object.entries(entry))
}

/** Codes of the currencies that are tender in a territory on the day of the data, the preferred one first. */
export function tenders(packages: Packages, territory: string): string[] {
  return periods(packages, territory)
    .filter(
      ([, period]) =>
        period._tender !== 'false' && (period._from ?? '') <= AS_OF && (period._to ?? '9') > AS_OF,
    )
    .map(([code]) => code)
}

/** Units that contracts and invoices are written in though nobody pays with them. */
const UNITS_OF_ACCOUNT = new Set(['CLF', 'CNH', 'COU', 'UYI', 'UYW'])

/**
 * Every currency that is tender somewhere or was lately, and units of account, with the territories that use
 * it.
 */
export function circulating(packages: Packages): Map<string, string[]> {
  const { region } = packages.supplemental<{ region: Record<string, unknown> }>('currencyData')
  const users = new Map<string, string[]>()
  for (const territory of Object.keys(region)) {
    for (const [code, period] of periods(packages, territory)) {
      if (UNITS_OF_ACCOUNT.has(code)) users.set(code, [territory])
      if (period._tender === 'false' || (period._from ?? '') > AS_OF || (period._to ?? '9') < KEPT_SINCE)
        continue
      users.set(code, [...(users.get(code) ?? []), territory])
    }
  }
  return users
}
