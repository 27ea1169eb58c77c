// Orders from files, and the catalog of products (sale.order and its lines).
import { extend, implement, type Of, required, returns } from '#models'
import { documentsFromFiles } from '../account/index.ts'
import { catalogMethods, openCatalog } from '../product/index.ts'

const order = extend('sale.order', {
  fields: {},
  methods: {
    create_document_from_attachment: {
      doc: 'Creates a quotation for each file, with the file, and shows them. The customer is default_partner_id of the context.',
      params: { attachment_ids: required<readonly number[]>('ids', { annotation: 'list[int]' }) },
      returns: returns<object>('object', 'dict'),
    },
  },
})
const line = extend('sale.order.line', { fields: {}, methods: catalogMethods })

declare module '#models' {
  interface SaleOrder extends Of<typeof order> {}
  interface SaleOrderLine extends Of<typeof line> {}
}

export const orderFromFiles = implement(order, {
  methods: {
    create_document_from_attachment: ({ env }, { attachment_ids }) =>
      documentsFromFiles(env, attachment_ids, (count) =>
        env.model('sale.order').create(Array.from({ length: count }, () => ({}))),
      ),
  },
})
export const catalogLine = implement(line, {
  methods: {
    action_add_from_catalog: async (lines) => {
      const rows = await lines.load(['order_id'])
      const documents = rows.map(({ order_id: document }) => ({ document: document.id }))
      return openCatalog(lines.env.model('sale.order'), documents, 'sale_ok')
    },
  },
})
