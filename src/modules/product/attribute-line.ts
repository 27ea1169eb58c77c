// Lines of a product (product.template.attribute.line): an attribute that it has, with the values it comes
// in.
import {
  boolean,
  computed,
  idsWhere,
  implement,
  integer,
  many2many,
  many2one,
  model,
  type Of,
  one2many,
} from '#models'
import { UserError } from '../../errors.ts'
import { assertAllowed } from '../base/index.ts'
import { lineValues } from './attribute-value.ts'
import { turned } from './tag.ts'
import { postponeSettling, settlesLater, settleVariants } from './variants/settle.ts'

const line = model('product.template.attribute.line', {
  label: 'Product Template Attribute Line',
  order: 'sequence, attribute_id, id',
  recName: 'attribute_id',
  fields: {
    active: boolean({ label: 'Active', default: true }),
    product_tmpl_id: many2one('product.template', {
      label: 'Product Template',
      required: true,
      ondelete: 'cascade',
      index: true,
    }),
    sequence: integer({ label: 'Sequence', default: 10 }),
    attribute_id: many2one('product.attribute', {
      label: 'Attribute',
      required: true,
      ondelete: 'restrict',
      index: true,
    }),
    value_ids: many2many('product.attribute.value', {
      label: 'Values',
      mustSend: true,
      relation: turned(lineValues),
    }),
    value_count: integer({ label: 'Value Count', computed: true, stored: true }),
    product_template_value_ids: one2many('product.template.attribute.value', 'attribute_line_id', {
      label: 'Product Attribute Values',
      domain: [['ptav_active', '=', true]],
    }),
  },
})

declare module '#models' {
  interface Models {
    'product.template.attribute.line': ProductTemplateAttributeLine
  }
  interface ProductTemplateAttributeLine extends Of<typeof line> {}
}

export default implement(line, {
  computed: { value_count: computed(line, ['value_ids'], (line) => line.value_ids.length) },
  checks: {
    'An attribute of a product needs at least one value.': computed(
      line,
      ['active', 'value_ids'],
      (line) => !line.active || line.value_ids.length > 0,
    ),
    'The values of a line must be values of its attribute.': computed(
      line,
      ['attribute_id', 'value_ids.attribute_id'],
      (line) => line.value_ids.every((value) => value.attribute_id.id === line.attribute_id.id),
    ),
  },
  wrapWrite: (next) => async (lines, changes) => {
    const rows = new Map((await lines.load(['product_tmpl_id', 'attribute_id'])).map((row) => [row.id, row]))
    for (const [field, what] of [
      ['product_tmpl_id', 'product'],
      ['attribute_id', 'attribute'],
    ] as const) {
      if (
        changes.some(
          ({ ids, vals }) =>
            vals[field] !== undefined &&
            ids.some((id) => rows.has(id) && rows.get(id)?.[field].id !== vals[field]),
        )
      ) {
        throw new UserError(`The ${what} of a line cannot change: delete the line and create another.`)
      }
    }
    await next(lines, changes)
    const stale = idsWhere(changes, (vals) => 'value_ids' in vals || 'active' in vals)
    if (stale.length && !settlesLater(lines.env))
      await settleVariants(lines.env, await templatesOf(lines.browse(stale)))
  },
  wrapGeneric: {
    create: (next) => async (lines, params) => {
      const createdLines = (await next(lines, params)) as typeof lines
      if (!settlesLater(lines.env)) await settleVariants(lines.env, await templatesOf(createdLines))
      return createdLines
    },
    /**
     * Lines go when nothing hangs on them any more; those whose values archived variants still have are
     * archived.
     */
    unlink: () => async (lines) => {
      const { env } = lines
      await assertAllowed(lines, 'unlink')
      const templates = await templatesOf(lines)
      await lines.sudo().withContext(postponeSettling).write({ active: false })
      if (!settlesLater(env)) await settleVariants(env, templates)
      return true
    },
  },
})

async function templatesOf(lines: {
  load(paths: readonly ['product_tmpl_id']): Promise<{ product_tmpl_id: { id: number } }[]>
}): Promise<number[]> {
  return [...new Set((await lines.load(['product_tmpl_id'])).map((line) => line.product_tmpl_id.id))]
}
