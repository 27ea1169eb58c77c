// The choice of the form that pays documents (account.payment.register): instalments that are due, or all.
import { computed, computedFields, extend, html, implement, monetary, type Of, selection } from '#models'
import { hasInstalments } from './batches.ts'
import { duePaths, dues, NOTHING } from './register-dues.ts'

const register = extend('account.payment.register', {
  fields: {
    installments_mode: selection(
      {
        next: 'Next Installment',
        overdue: 'Overdue Amount',
        before_date: 'Before Next Payment Date',
        full: 'Full Amount',
      },
      { label: 'Installments Mode', computed: true, stored: true, readonly: false },
    ),
    installments_switch_amount: monetary({
      label: 'Installments Switch Amount',
      computed: true,
      help: 'Total of the other choice of instalments, if there is one.',
    }),
    installments_switch_html: html({ label: 'Installments Switch Html', computed: true }),
  },
})

declare module '#models' {
  interface PaymentRegister extends Of<typeof register> {}
}

/** Whether the amount pays the instalments due or all of the documents, and the amount of the other choice. */
const instalments = computedFields(
  register,
  ['installments_mode', 'installments_switch_amount'],
  [...duePaths, 'amount'],
  async (forms, env) => {
    const dueByForm = await dues(env, forms)
    return new Map(
      forms.map(({ id, amount }) => {
        const due = dueByForm.get(id) ?? NOTHING
        const isWhole = !hasInstalments(due) || amount === due.full
        const mode = isWhole ? 'full' : due.overdue ? 'overdue' : 'next'
        const other = isWhole ? due.proposed : due.full
        return [
          id,
          { installments_mode: mode, installments_switch_amount: hasInstalments(due) ? other : 0 } as const,
        ]
      }),
    )
  },
)

export default implement(register, {
  computed: { ...instalments, installments_switch_html: computed(register, [], () => null) },
})
