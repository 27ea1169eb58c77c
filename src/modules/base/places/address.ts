// Postal addresses: which fields make one, how a country lays them out on lines, and the mixin that models
// with an address share.

import { abstract, implement, type Of } from '#models'
import { present } from '../../../kit/present.ts'

/** The fields that travel together as an address (spec/models-api.md section 6). */
export const addressFields = ['street', 'street2', 'zip', 'city', 'state_id', 'country_id'] as const

/** Layout of addresses in countries without their own. */
export const DEFAULT_LAYOUT = '%(street)s\n%(street2)s\n%(city)s %(state_code)s %(zip)s\n%(country_name)s'

const PLACES = [
  'street',
  'street2',
  'zip',
  'city',
  'state_code',
  'state_name',
  'country_code',
  'country_name',
  'company_name',
] as const
type Place = (typeof PLACES)[number]
const PLACE = /%\((\w+)\)s/g

/** Parts of an address. */
export interface Address {
  readonly street: string | null
  readonly street2: string | null
  readonly zip: string | null
  readonly city: string | null
  readonly state_id: { readonly code: string; readonly name: string } | null
  readonly country_id: {
    readonly code: string
    readonly name: string
    readonly address_format: string | null
  } | null
}

/** Dependencies of `layOut`. */
export const addressPaths = [
  'street',
  'street2',
  'zip',
  'city',
  'state_id.code',
  'state_id.name',
  'country_id.code',
  'country_id.name',
  'country_id.address_format',
] as const

/** The address on lines, unset parts left empty; `company` stands on a line of its own above. */
export function layOut(address: Address, company: string | null = null): string {
  const { state_id: state, country_id: country } = address
  const parts: Record<Place, string | null | undefined> = {
    street: address.street,
    street2: address.street2,
    zip: address.zip,
    city: address.city,
    state_code: state?.code,
    state_name: state?.name,
    country_code: country?.code,
    country_name: country?.name,
    company_name: company,
  }
  const layout = country?.address_format || DEFAULT_LAYOUT
  const lines = company ? `%(company_name)s\n${layout}` : layout
  return lines.replace(PLACE, (_, place: Place) => parts[place] ?? '')
}

/** Places of a layout that no address has. */
export function unknownPlaces(layout: string): string[] {
  return [...layout.matchAll(PLACE)]
    .map((match) => present(match[1]))
    .filter((place) => !(PLACES as readonly string[]).includes(place))
}

const mixin = abstract('format.address.mixin', { label: 'Address Format', fields: {} })

declare module '#models' {
  interface Models {
    'format.address.mixin': AddressMixin
  }
  interface AddressMixin extends Of<typeof mixin> {}
}

export default implement(mixin)
