// A database with the module account and a server over it, for tests: clerk, biller and boss have
// accounting's levels of rights, admin all.
import { type Office, openOffice } from './office.ts'

const people = {
  clerk: [],
  biller: ['account.group_account_invoice'],
  boss: ['account.group_account_manager'],
} as const
export type Person = keyof typeof people | 'admin'

export type Accounting = Office<keyof typeof people>

export const openAccounting = (): Promise<Accounting> =>
  openOffice(['base', 'mail', 'uom', 'product', 'account'], people)
