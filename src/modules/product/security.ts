// Access rights on products (spec/business-models.md section 11): every internal user reads, product
// creators do everything.
import { companyIds, type DataSet, recordRule, recordRules, ref } from '#models'
import { companyRule, ofCompaniesOrNone } from '../base/index.ts'

/** Models of products; lines of rights follow their order. */
const models = [
  'product.category',
  'product.template',
  'product.product',
  'product.attribute',
  'product.attribute.value',
  'product.template.attribute.line',
  'product.template.attribute.value',
  'product.template.attribute.exclusion',
  'product.combo',
  'product.combo.item',
  'product.supplierinfo',
  'product.tag',
  'product.uom',
  'product.document',
  'product.pricelist',
  'product.pricelist.item',
] as const

const everybody = [
  [4, ref('base.user_root')],
  [4, ref('base.user_admin')],
] as const

export const groups: readonly DataSet[] = [
  {
    model: 'res.groups.privilege',
    records: {
      res_groups_privilege_product: {
        name: 'Products',
        sequence: 30,
        category_id: ref('base.module_category_administration'),
      },
    },
  },
  {
    model: 'res.groups',
    records: {
      group_product_pricelist: { name: 'Pricelists' },
      group_product_variant: { name: 'Manage Product Variants' },
      group_product_manager: {
        name: 'Creation',
        privilege_id: ref('res_groups_privilege_product'),
        user_ids: everybody,
      },
    },
  },
]

const line = (model: string, module: string, group: string, all: boolean) => ({
  name: `${model} ${group}`,
  model_id: ref(`${module}.model_${model.replaceAll('.', '_')}`),
  group_id: ref(group),
  perm_read: true,
  perm_write: all,
  perm_create: all,
  perm_unlink: all,
})

const access: DataSet = {
  model: 'ir.model.access',
  records: Object.fromEntries([
    ...models.flatMap((model) => {
      const name = `access_${model.replaceAll('.', '_')}`
      return [
        [`${name}_user`, line(model, 'product', 'base.group_user', false)],
        [`${name}_manager`, line(model, 'product', 'product.group_product_manager', true)],
      ]
    }),
    ['access_product_label_layout', line('product.label.layout', 'product', 'base.group_user', true)],
    [
      'access_update_product_attribute_value',
      line('update.product.attribute.value', 'product', 'product.group_product_manager', true),
    ],
    ['access_uom_uom_product_manager', line('uom.uom', 'uom', 'product.group_product_manager', true)],
  ]),
}

const rules: DataSet = {
  model: 'ir.rule',
  noupdate: true,
  records: {
    product_comp_rule: recordRule(
      'product.template',
      ['|', ['company_id', 'parent_of', companyIds], ['company_id', '=', false]],
      { name: 'product.template of the companies' },
    ),
    product_variant_comp_rule: recordRule(
      'product.product',
      ['|', ['product_tmpl_id.company_id', '=', false], ['product_tmpl_id.company_id', 'in', companyIds]],
      { name: 'product.product of the companies' },
    ),
    ...recordRules(
      {
        'product.pricelist': ofCompaniesOrNone,
        'product.pricelist.item': ofCompaniesOrNone,
        'product.supplierinfo': ofCompaniesOrNone,
        'product.combo': ofCompaniesOrNone,
        'product.combo.item': ofCompaniesOrNone,
      },
      companyRule,
    ),
    product_packaging_comp_rule: recordRule('product.uom', ofCompaniesOrNone, {
      name: 'product.uom of the companies',
    }),
  },
}

export const rights: readonly DataSet[] = [access, rules]
