// A database with orders and a server over it, for tests: own and mate sell, lead sees all documents, boss
// manages, clerk does neither, biller invoices, guest is a customer of the portal.
import { type Office, openOffice } from './office.ts'

const people = {
  own: ['sales_team.group_sale_salesman'],
  mate: ['sales_team.group_sale_salesman'],
  lead: ['sales_team.group_sale_salesman_all_leads'],
  boss: ['sales_team.group_sale_manager'],
  clerk: [],
  biller: ['account.group_account_invoice'],
  guest: ['base.group_portal'],
} as const

export type Seller = keyof typeof people | 'admin'

export interface Selling extends Office<keyof typeof people> {
  /** As `call`, for calls that must succeed: gives the body. Throws otherwise. */
  ask<T = unknown>(path: string, body: object, person?: Seller): Promise<T>
}

export async function openSelling(): Promise<Selling> {
  const office = await openOffice(
    ['base', 'mail', 'uom', 'product', 'account', 'sales_team', 'sale', 'sale_management'],
    people,
  )
  return {
    ...office,
    async ask<T>(path: string, body: object, person: Seller = 'admin') {
      const answer = await office.call(person, path, body)
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
      return answer.body as T
    },
  }
}
