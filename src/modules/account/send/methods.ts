// Ways of sending documents: which one a contact wants, and what checkboxes choose.
import { UserError } from '../../../errors.ts'

export const sendingLabels = { manual: 'Download', email: 'by Email' } as const
type Method = keyof typeof sendingLabels

/** The way that the contact wants; where it says none, a mail if it has an address. */
export const methodFor = (
  partner: { readonly invoice_sending_method: Method | null; readonly email: string | null } | null,
): Method => partner?.invoice_sending_method ?? (partner?.email ? 'email' : 'manual')

export const checkboxesOf = (chosen: readonly string[]) =>
  Object.fromEntries(
    Object.entries(sendingLabels).map(([method, label]) => [
      method,
      { checked: chosen.includes(method), label },
    ]),
  )

/** Ways of sending that checkboxes choose. Throws UserError for those that are not there. */
export function methodsIn(checkboxes: unknown): string[] {
  const chosen = Object.entries<unknown>(Object(checkboxes || {})).flatMap(([method, box]) =>
    Object(box).checked === true ? method : [],
  )
  const wrong = chosen.find((method) => !Object.hasOwn(sendingLabels, method))
  if (wrong !== undefined)
    throw new UserError(`Invalid sending method ${JSON.stringify(wrong)}: use manual or email.`)
  return chosen
}
