// Who may do what with products (spec/business-models.md section 11): every internal user reads, product
// creators do everything.
import { type DataSet, ref } from '#models'

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
    ['access_uom_uom_product_manager', line('uom.uom', 'uom', 'product.group_product_manager', true)],
  ]),
}

/** Records of a company, and those of none, for people of that company. */
const shared = (field: string) => `['|', ('${field}', '=', False), ('${field}', 'in', company_ids)]`
const rule = (model: string, field = 'company_id') => ({
  name: `${model} of the companies`,
  model_id: ref(`product.model_${model.replaceAll('.', '_')}`),
  domain_force: shared(field),
})

const rules: DataSet = {
  model: 'ir.rule',
  noupdate: true,
  records: {
    product_comp_rule: {
      ...rule('product.template'),
      domain_force: "['|', ('company_id', 'parent_of', company_ids), ('company_id', '=', False)]",
    },
    product_variant_comp_rule: rule('product.product', 'product_tmpl_id.company_id'),
    product_pricelist_comp_rule: rule('product.pricelist'),
    product_pricelist_item_comp_rule: rule('product.pricelist.item'),
    product_supplierinfo_comp_rule: rule('product.supplierinfo'),
    product_combo_comp_rule: rule('product.combo'),
    product_packaging_comp_rule: rule('product.uom'),
  },
}

export const rights: readonly DataSet[] = [access, rules]
