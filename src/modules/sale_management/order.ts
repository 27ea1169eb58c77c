// Orders that begin with a template (sale.order), and the template that a company's quotations begin with
// (res.company): terms of the template, its note and journal; forms take over its lines.
import {
  atOnce,
  computedFields,
  type Environment,
  extend,
  html,
  implement,
  many2one,
  type Of,
  type Records,
} from '#models'
import { byCompany, chosen } from '../base/index.ts'
import { termAsks, termFields, termsOfCompanies, validUntil } from '../sale/index.ts'

const company = extend('res.company', {
  fields: {
    sale_order_template_id: many2one('sale.order.template', {
      label: 'Default Sale Template',
      ondelete: 'set null',
      checkCompany: true,
    }),
  },
})

const kept = { computed: true, stored: true, precompute: true, copy: true } as const

const order = extend('sale.order', {
  fields: {
    sale_order_template_id: many2one('sale.order.template', {
      label: 'Quotation Template',
      ...kept,
      ondelete: 'set null',
      checkCompany: true,
    }),
    note: html({ label: 'Terms and conditions', ...kept }),
    journal_id: many2one('account.journal', {
      label: 'Invoicing Journal',
      ...kept,
      checkCompany: true,
      help: "The journal of its invoices; empty: the company's first journal of sales.",
    }),
  },
})

declare module '#models' {
  interface Company extends Of<typeof company> {}
  interface SaleOrder extends Of<typeof order> {}
}

export const templatedCompany = implement(company)

/** Fields that order and template have in common. */
const shared = ['require_signature', 'require_payment', 'prepayment_percent'] as const

type Link = { readonly id: number }

interface Templated {
  readonly id: number
  readonly company_id: Link
  readonly sale_order_template_id: Link | null
}

/** Templates of orders by the orders, as their companies have them. */
async function templatesOf(env: Environment, orders: readonly Templated[]) {
  const templated = orders.filter((row) => row.sale_order_template_id)
  const pairs = byCompany(templated, env).map(async ([seller, group]) => {
    const ids = [...new Set(group.flatMap((row) => row.sale_order_template_id?.id ?? []))]
    const rows = await seller
      .model('sale.order.template')
      .browse(ids)
      .load(['number_of_days', ...shared, 'note', 'journal_id'])
    const byId = new Map(rows.map((row) => [row.id, row]))
    return group.flatMap((row) => {
      const template = byId.get(row.sale_order_template_id?.id ?? 0)
      return template ? [[row.id, template] as const] : []
    })
  })
  return new Map((await Promise.all(pairs)).flat())
}

/** The template that quotations of the company begin with; another one there leaves orders as they are. */
const usual = computedFields(
  order,
  ['sale_order_template_id'],
  ['company_id'],
  async (orders, env) => {
    const companies = await env
      .sudo()
      .model('res.company')
      .browse([...new Set(orders.map((row) => row.company_id.id))])
      .load(['sale_order_template_id.active'])
    const templates = new Map(companies.map((row) => [row.id, row.sale_order_template_id]))
    return new Map(
      orders.map(({ id, company_id: { id: seller } }) => {
        const template = templates.get(seller)
        return [id, { sale_order_template_id: template?.active ? template.id : null }]
      }),
    )
  },
  { editable: true, asks: ['company_id.sale_order_template_id.active'] },
)

/** Terms of the quotation, as its template says them, else the company. */
const terms = computedFields(
  order,
  termFields,
  ['company_id', 'sale_order_template_id'],
  async (orders, env) => {
    const values = await termsOfCompanies(env, orders)
    for (const [id, template] of await templatesOf(env, orders)) {
      const { require_signature, require_payment, prepayment_percent, number_of_days: days } = template
      const validity_date = validUntil(env, days) ?? values.get(id)?.validity_date ?? null
      values.set(id, { validity_date, require_signature, require_payment, prepayment_percent })
    }
    return values
  },
  { editable: true, asks: termAsks },
)

/** Texts that only the template has: without one, what was typed stays. */
const texts = computedFields(
  order,
  ['note', 'journal_id'],
  ['company_id', 'sale_order_template_id'],
  async (orders, env, fresh) => {
    const templates = await templatesOf(env, orders)
    return new Map(
      orders.map(({ id }) => {
        const { note, journal_id: journal } = templates.get(id) ?? {}
        return [
          id,
          {
            ...(note || fresh ? { note: note ?? null } : {}),
            ...(journal || fresh ? { journal_id: journal?.id ?? null } : {}),
          },
        ]
      }),
    )
  },
  { editable: true },
)

/** The lines of a template as a form holds those of a new order. */
async function linesOf(env: Environment, template: number): Promise<object[]> {
  const [row] = await env
    .model('sale.order.template')
    .browse([template])
    .load([
      'sale_order_template_line_ids.sequence',
      'sale_order_template_line_ids.display_type',
      'sale_order_template_line_ids.name',
      'sale_order_template_line_ids.product_id',
      'sale_order_template_line_ids.product_uom_qty',
      'sale_order_template_line_ids.product_uom_id',
      'sale_order_template_line_ids.is_optional',
    ])
  return (row?.sale_order_template_line_ids ?? []).map((line) => ({
    sequence: line.sequence,
    product_uom_qty: line.product_uom_qty,
    is_optional: line.is_optional,
    ...(line.name ? { name: line.name } : {}),
    ...(line.display_type
      ? { display_type: line.display_type }
      : {
          product_id: line.product_id?.id,
          product_uom_id: line.product_uom_id?.id,
        }),
  }))
}

type Orders = Records<'sale.order'>

/** Confirms orders, and posts the mails that their templates name for their customers. */
async function confirmWithMail(orders: Orders, confirm: () => Promise<true>): Promise<true> {
  const confirmed = orders.sudo()
  const [rows, answer] = await atOnce(
    orders.env,
    () => confirmed.load(['sale_order_template_id.mail_template_id']),
    confirm,
  )
  for (const { id, sale_order_template_id: template } of rows)
    if (template?.mail_template_id)
      await confirmed
        .browse([id])
        .invoke('message_post_with_source', { source_ref: template.mail_template_id.id })
  return answer
}

export const templatedOrder = implement(order, {
  wrap: {
    action_confirm: (next) => (orders, params) => confirmWithMail(orders, () => next(orders, params)),
  },
  computed: {
    ...usual,
    ...terms,
    ...texts,
  },
  onchange: [
    {
      fields: ['sale_order_template_id'],
      run: async (values, env): Promise<Record<string, unknown>> => {
        const template = chosen(values.sale_order_template_id)
        if (!template) return {}
        const lines = await linesOf(env, template)
        const makeLines = lines.map((line, i) => [0, `virtual_${i + 1}`, line])
        return lines.length ? { order_line: [[5, 0, 0], ...makeLines] } : {}
      },
    },
  ],
})
