// Documents of products (product.document): files that go with a product or one of its variants, such as data
// sheets. Each is an attachment of its product.
import {
  boolean,
  computedTogether,
  type Environment,
  extend,
  implement,
  integer,
  many2many,
  many2one,
  model,
  type Of,
} from '#models'
import { InvalidValue } from '../../errors.ts'
import { idList, sql } from '../../sql/index.ts'

const document = model('product.document', {
  label: 'Product Document',
  order: 'sequence, id',
  inherits: { 'ir.attachment': 'ir_attachment_id' },
  fields: {
    ir_attachment_id: many2one('ir.attachment', {
      label: 'Attachment',
      required: true,
      ondelete: 'cascade',
      index: true,
    }),
    active: boolean({ label: 'Active', default: true }),
    sequence: integer({ label: 'Sequence', default: 10 }),
  },
})

const documents = () =>
  many2many('product.document', {
    label: 'Documents',
    computed: true,
    asStored: true,
    asLines: true,
  })
const documentCount = () => integer({ label: 'Number of Documents', computed: true })

const template = extend('product.template', {
  fields: { product_document_ids: documents(), product_document_count: documentCount() },
})
const product = extend('product.product', {
  fields: { product_document_ids: documents(), product_document_count: documentCount() },
})

declare module '#models' {
  interface Models {
    'product.document': ProductDocument
  }
  interface ProductDocument extends Of<typeof document> {}
  interface Delegates {
    'product.document': 'ir.attachment'
  }
  interface ProductTemplate extends Of<typeof template> {}
  interface ProductProduct extends Of<typeof product> {}
}

interface Product {
  readonly id: number
}

/** Documents in their order by product; a variant has those of its product too. */
async function documentsOf(env: Environment, products: readonly Product[], areVariants: boolean) {
  const rows = await env.rows(
    sql`SELECT o.id, d.id FROM product_document d JOIN ir_attachment a ON a.id = d.ir_attachment_id
    JOIN (SELECT x.id, CASE WHEN ${areVariants}::bool THEN p.product_tmpl_id ELSE x.id END AS template
      FROM unnest(${idList(products.map(({ id }) => id))}) AS x(id) LEFT JOIN product_product p ON ${areVariants}::bool AND p.id = x.id) AS o
      ON (a.res_model = 'product.template' AND a.res_id = o.template)
        OR (a.res_model = 'product.product' AND a.res_id = o.id AND ${areVariants}::bool)
    WHERE d.active ORDER BY d.sequence, d.id`,
    { reads: ['product.document', 'ir.attachment', 'product.product'], row: ['int', 'int'] },
  )
  const byProduct = Map.groupBy(rows, ([id]) => id)
  return new Map(products.map(({ id }) => [id, (byProduct.get(id) ?? []).map((row) => row[1])]))
}

const refusal =
  'The list of documents of a product takes commands that create, change or remove its own documents, and links none.'

/**
 * Creates, changes and removes documents by commands on the lists of products; new ones are attached to
 * their product. Throws InvalidValue for other commands, and for documents that are not of the product.
 */
const carryOut =
  (model: 'product.template' | 'product.product') =>
  async (env: Environment, values: ReadonlyMap<number, unknown>): Promise<void> => {
    const products = [...values.keys()].map((id) => ({ id }))
    const listed = await documentsOf(env, products, model === 'product.product')
    const created: object[] = []
    const changed = new Map<number, object>()
    const removed = new Set<number>()
    for (const [res_id, commands] of values)
      for (const command of Array.isArray(commands) ? commands : []) {
        const [code, second, vals] = Array.isArray(command) ? command : []
        const id = Number(second)
        if (code === 0) created.push({ ...Object(vals), res_model: model, res_id })
        else if ((code !== 1 && code !== 2) || !listed.get(res_id)?.includes(id))
          throw new InvalidValue(refusal)
        else if (code === 1) changed.set(id, { ...changed.get(id), ...Object(vals) })
        else removed.add(id)
      }
    const documents = env.model('product.document')
    if (created.length) await documents.create(created)
    if (changed.size) await documents.writeEach(changed)
    if (removed.size) await documents.browse([...removed]).unlink()
  }

const lengths = (byProduct: ReadonlyMap<number, readonly number[]>) =>
  new Map([...byProduct].map(([id, list]) => [id, list.length]))

export const productDocuments = [
  implement(document),
  implement(template, {
    computed: {
      product_document_ids: computedTogether(
        template,
        [],
        (templates, env) => documentsOf(env, templates, false),
        { inverse: carryOut('product.template') },
      ),
      product_document_count: computedTogether(template, [], async (templates, env) =>
        lengths(await documentsOf(env, templates, false)),
      ),
    },
  }),
  implement(product, {
    computed: {
      product_document_ids: computedTogether(
        product,
        [],
        (products, env) => documentsOf(env, products, true),
        { inverse: carryOut('product.product') },
      ),
      product_document_count: computedTogether(product, [], async (products, env) =>
        lengths(await documentsOf(env, products, true)),
      ),
    },
  }),
] as const
