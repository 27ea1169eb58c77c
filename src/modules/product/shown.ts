// Products as forms, shops and configurators ask for them (product.template, product.product): lines that
// offer a choice, the only variant, pictures of variants, properties of categories.
import {
  binary,
  boolean,
  computed,
  extend,
  implement,
  many2many,
  type Of,
  properties,
  propertiesDefinition,
  type Records,
  returns,
} from '#models'
import { readonlyActionMethod, shownRecords } from '../base/index.ts'

const object = returns<object>('object', 'dict')

const category = extend('product.category', {
  fields: { product_properties_definition: propertiesDefinition({ label: 'Properties of Products' }) },
})

const template = extend('product.template', {
  fields: {
    product_properties: properties({
      label: 'Properties',
      definition: 'categ_id.product_properties_definition',
    }),
    valid_product_template_attribute_line_ids: many2many('product.template.attribute.line', {
      label: 'Lines with Values',
      computed: true,
    }),
    can_image_1024_be_zoomed: boolean({
      label: 'Picture Can Be Enlarged',
      computed: true,
      asStored: true,
      help: 'It is larger than 1024 pixels.',
    }),
  },
  methods: {
    get_single_product_variant: {
      doc: 'Returns the only variant of a product without choices; empty for others.',
      readonly: true,
      params: {},
      returns: object,
    },
    has_dynamic_attributes: {
      doc: 'Whether variants of the product are created when they are first chosen.',
      readonly: true,
      params: {},
      returns: returns<boolean>('boolean', 'bool'),
    },
  },
})

const product = extend('product.product', {
  fields: {
    image_variant_1920: binary({ label: 'Picture of the Variant', image: true, maxWidth: 1920 }),
    image_variant_1024: sizeOf(1024),
    image_variant_512: sizeOf(512),
    image_variant_256: sizeOf(256),
    image_variant_128: sizeOf(128),
    can_image_variant_1024_be_zoomed: boolean({
      label: 'Picture of the Variant Can Be Enlarged',
      computed: true,
      asStored: true,
    }),
    is_in_selected_section_of_order: boolean({
      label: 'In the Section That Is Chosen',
      copy: false,
      help: 'Catalogues note it while somebody fills an order.',
    }),
  },
  methods: {
    get_product_multiline_description_sale: {
      doc: 'Name and sales description, as shown on order lines.',
      readonly: true,
      params: {},
      returns: returns<string>('string', 'str'),
    },
    open_product_template: readonlyActionMethod('Shows the product of a variant.'),
  },
})

declare module '#models' {
  interface ProductCategory extends Of<typeof category> {}
  interface ProductTemplate extends Of<typeof template> {}
  interface ProductProduct extends Of<typeof product> {}
}

function sizeOf(maxWidth: number) {
  return binary({
    label: `Picture of the Variant ${maxWidth}`,
    image: true,
    maxWidth,
    related: 'image_variant_1920',
    asStored: true,
  })
}

async function singleVariant(templates: Records<'product.template'>): Promise<object> {
  const {
    product_variant_ids: variants,
    has_configurable_attributes,
    type,
  } = await templates.one(['product_variant_ids.display_name', 'has_configurable_attributes', 'type'])
  const [only] = variants
  if (!only || variants.length > 1 || has_configurable_attributes) return {}
  return { product_id: only.id, product_name: only.display_name, is_combo: type === 'combo' }
}

export const productsShown = [
  implement(category),
  implement(template, {
    computed: {
      valid_product_template_attribute_line_ids: computed(
        template,
        ['attribute_line_ids.active', 'attribute_line_ids.value_ids'],
        (template) => template.attribute_line_ids.filter((line) => line.active && line.value_ids.length > 0),
      ),
      // A larger picture is made smaller for that size, and so is another one.
      can_image_1024_be_zoomed: computed(
        template,
        ['image_1920', 'image_1024'],
        (template) => template.image_1920 !== null && template.image_1920 !== template.image_1024,
      ),
    },
    methods: {
      get_single_product_variant: singleVariant,
      has_dynamic_attributes: async (templates) =>
        (await templates.one(['is_dynamically_created'])).is_dynamically_created,
    },
  }),
  implement(product, {
    computed: {
      can_image_variant_1024_be_zoomed: computed(
        product,
        ['image_variant_1920', 'image_variant_1024'],
        (product) =>
          product.image_variant_1920 !== null && product.image_variant_1920 !== product.image_variant_1024,
      ),
    },
    methods: {
      get_product_multiline_description_sale: async (products) => {
        const { display_name, product_tmpl_id: template } = await products.one([
          'display_name',
          'product_tmpl_id.description_sale',
        ])
        return [display_name, template.description_sale].filter(Boolean).join('\n')
      },
      open_product_template: async (products) => {
        const { product_tmpl_id: template } = await products.one(['product_tmpl_id'])
        return shownRecords('Product', 'product.template', [template.id])
      },
    },
  }),
] as const
