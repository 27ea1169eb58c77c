// Items and sums that forms which pay documents are about (account.payment.register).
import type { Environment } from '#models'
import { type Due, dueOf, loadItems } from './batches.ts'

export const itemsFor = async (
  env: Environment,
  forms: readonly { readonly line_ids: readonly { readonly id: number }[] }[],
) => {
  const rows = await loadItems(env, [...new Set(forms.flatMap((form) => form.line_ids.map(({ id }) => id)))])
  const rowById = new Map(rows.map((row) => [row.id, row]))
  return (form: { readonly line_ids: readonly { readonly id: number }[] }) =>
    form.line_ids.flatMap(({ id }) => rowById.get(id) ?? [])
}

export const duePaths = ['line_ids', 'currency_id.rounding', 'payment_date'] as const

/** Amounts that are due, by form. */
export async function dues(
  env: Environment,
  forms: readonly {
    readonly id: number
    readonly line_ids: readonly { readonly id: number }[]
    readonly currency_id: { readonly id: number; readonly rounding: number } | null
    readonly payment_date: string
  }[],
) {
  const itemsOf = await itemsFor(env, forms)
  const dueByForm = new Map<number, Due>()
  for (const form of forms) {
    const request = {
      currency: form.currency_id?.id ?? 0,
      step: form.currency_id?.rounding ?? 0.01,
      date: form.payment_date,
    }
    dueByForm.set(form.id, await dueOf(env, itemsOf(form), request))
  }
  return dueByForm
}

export const NOTHING: Due = { full: 0, proposed: 0, settled: 0, overdue: false }
