// Nomenclatures of barcodes (barcode.nomenclature, barcode.rule): what shops agreed that the digits of a code
// mean, such as a weight or a price within it.
import {
  char,
  implement,
  integer,
  many2one,
  model,
  type Of,
  one2many,
  type Records,
  required,
  returns,
  selection,
} from '#models'
import { parseCode, type Rule, sanitizedEan, sanitizedUpc, valueIn } from './patterns.ts'
import { readUri } from './uri.ts'

const nomenclature = model('barcode.nomenclature', {
  label: 'Barcode Nomenclature',
  fields: {
    name: char({ label: 'Name', required: true }),
    rule_ids: one2many('barcode.rule', 'barcode_nomenclature_id', { label: 'Rules', copy: true }),
    upc_ean_conv: selection(
      { none: 'Never', ean2upc: 'EAN-13 to UPC-A', upc2ean: 'UPC-A to EAN-13', always: 'Always' },
      {
        label: 'Conversion of UPC and EAN',
        required: true,
        default: 'always',
        help: 'A UPC code is an EAN code with a zero in front: whether rules of one kind fit the other.',
      },
    ),
  },
  methods: {
    match_pattern: {
      doc: 'Returns whether a barcode matches a pattern, and the number in it.',
      readonly: true,
      params: { barcode: required<string>('string'), pattern: required<string>('string') },
      returns: returns<object>('object', 'dict'),
    },
    parse_barcode: {
      doc: 'Content of a barcode by the first rule that matches.',
      readonly: true,
      params: { barcode: required<string>('string') },
      returns: returns<object>('object', 'dict'),
    },
    parse_nomenclature_barcode: {
      doc: 'Content of a barcode by the first rule that matches.',
      readonly: true,
      params: { barcode: required<string>('string') },
      returns: returns<object>('object', 'dict'),
    },
    parse_uri: {
      doc: 'The parts of a GS1 URI of a radio tag: article and serial number or lot, or the number of a package. None for other texts.',
      level: 'model',
      readonly: true,
      params: { barcode: required<string>('string') },
      returns: returns<object[]>('array', 'list[dict]'),
    },
    sanitize_ean: {
      doc: 'Returns the EAN-13 code with the correct check digit.',
      level: 'model',
      readonly: true,
      params: { ean: required<string>('string') },
      returns: returns<string>('string', 'str'),
    },
    sanitize_upc: {
      doc: 'Returns the UPC-A code with the correct check digit.',
      level: 'model',
      readonly: true,
      params: { upc: required<string>('string') },
      returns: returns<string>('string', 'str'),
    },
  },
})

const rule = model('barcode.rule', {
  label: 'Barcode Rule',
  order: 'sequence, id',
  fields: {
    name: char({ label: 'Name', required: true }),
    barcode_nomenclature_id: many2one('barcode.nomenclature', {
      label: 'Nomenclature',
      ondelete: 'cascade',
      index: true,
    }),
    sequence: integer({ label: 'Sequence', help: 'Rules with small numbers are tried first.' }),
    encoding: selection(
      { any: 'Any', ean13: 'EAN-13', ean8: 'EAN-8', upca: 'UPC-A', 'gs1-128': 'GS1-128' },
      { label: 'Encoding', required: true, default: 'any' },
    ),
    type: selection(
      {
        alias: 'Alias',
        product: 'Product',
        quantity: 'Quantity',
        weight: 'Weighed Product',
        location: 'Place',
        location_dest: 'Destination',
        lot: 'Lot',
        package: 'Package',
        use_date: 'Best Before',
        expiration_date: 'Expiration',
        package_type: 'Type of Package',
        pack_date: 'Day of Packing',
        price: 'Priced Product',
        discount: 'Discounted Product',
        client: 'Customer',
        cashier: 'Cashier',
        coupon: 'Coupon',
      },
      { label: 'Type', required: true, default: 'product' },
    ),
    pattern: char({
      label: 'Pattern',
      required: true,
      default: '.*',
      help: 'Prefix of the barcodes. {NNDDD} is a number with two digits and three decimals.',
    }),
    alias: char({ label: 'Alias', required: true, default: '0', help: 'The code that is meant instead.' }),
  },
})

declare module '#models' {
  interface Models {
    'barcode.nomenclature': BarcodeNomenclature
    'barcode.rule': BarcodeRule
  }
  interface BarcodeNomenclature extends Of<typeof nomenclature> {}
  interface BarcodeRule extends Of<typeof rule> {}
}

async function parsed(
  nomenclatures: Records<'barcode.nomenclature'>,
  { barcode }: { readonly barcode: string },
): Promise<object> {
  const { upc_ean_conv, rule_ids } = await nomenclatures.one([
    'upc_ean_conv',
    'rule_ids.type',
    'rule_ids.encoding',
    'rule_ids.pattern',
    'rule_ids.alias',
  ])
  const rules: readonly Rule[] = rule_ids
  return parseCode(barcode, rules, upc_ean_conv)
}

export const barcodeNomenclatures = [
  implement(nomenclature, {
    methods: {
      match_pattern: (_nomenclatures, { barcode, pattern }) => valueIn(barcode, pattern),
      parse_barcode: parsed,
      parse_nomenclature_barcode: parsed,
      parse_uri: (_nomenclatures, { barcode }) => [...readUri(barcode)],
      sanitize_ean: (_nomenclatures, { ean }) => sanitizedEan(ean),
      sanitize_upc: (_nomenclatures, { upc }) => sanitizedUpc(upc),
    },
  }),
  implement(rule),
] as const
