// Countries (res.country): codes, currency, how addresses are written there.
import {
  boolean,
  char,
  computed,
  implement,
  integer,
  json,
  many2many,
  many2one,
  model,
  type Of,
  one2many,
  returns,
  selection,
  text,
} from '#models'
import { UserError } from '../../../errors.ts'
import { codeFirst } from '../contacts/search-names.ts'
import { DEFAULT_LAYOUT, unknownPlaces } from './address.ts'

const country = model('res.country', {
  label: 'Country',
  dictionary: true,
  order: 'name, id',
  recNamesSearch: ['name', 'code'],
  rules: {
    name_uniq: { unique: ['name'], message: 'The name of the country must be unique!' },
    code_uniq: { unique: ['code'], message: 'The code of the country must be unique!' },
  },
  fields: {
    name: char({ label: 'Country Name', required: true, translate: true }),
    code: char({
      label: 'Country Code',
      required: true,
      size: 2,
      help: 'The ISO country code in two characters.',
    }),
    address_format: text({
      label: 'Layout in Reports',
      default: DEFAULT_LAYOUT,
      help: 'Layout of addresses in this country, with placeholders such as %(street)s and %(zip)s.',
    }),
    currency_id: many2one('res.currency', { label: 'Currency' }),
    phone_code: integer({ label: 'Country Calling Code' }),
    country_group_ids: many2many('res.country.group', { label: 'Country Groups' }),
    state_ids: one2many('res.country.state', 'country_id', { label: 'States' }),
    name_position: selection(
      { before: 'Before Address', after: 'After Address' },
      { label: 'Customer Name Position', default: 'before', help: 'The position of the name in an address.' },
    ),
    vat_label: char({
      label: 'Vat Label',
      translate: true,
      help: 'The word for tax numbers in this country.',
    }),
    state_required: boolean({ label: 'State Required', default: false }),
    zip_required: boolean({ label: 'Zip Required', default: true }),
    address_view_id: many2one('ir.ui.view', {
      label: 'Input View',
      ondelete: 'set null',
      help: 'The view by which clients let people enter addresses.',
    }),
    image_url: char({ label: 'Flag', computed: true, help: 'Empty: the server has no pictures of flags.' }),
    country_group_codes: json({ label: 'Codes of Its Groups', computed: true }),
  },
  methods: {
    get_address_fields: {
      doc: 'Returns the names of the fields of an address of the country, in their order.',
      readonly: true,
      params: {},
      returns: returns<string[]>('array', 'list[str]'),
    },
  },
})

declare module '#models' {
  interface Models {
    'res.country': Country
  }
  interface Country extends Of<typeof country> {}
}

export default implement(country, {
  computed: {
    image_url: computed(country, [], () => null),
    country_group_codes: computed(country, ['country_group_ids.code'], (one) =>
      one.country_group_ids.flatMap(({ code }) => code ?? []),
    ),
  },
  methods: {
    get_address_fields: async (countries) => {
      const { address_format: layout } = await countries.one(['address_format'])
      return [...(layout ?? DEFAULT_LAYOUT).matchAll(/%\((\w+)\)/g)].map(([, field = '']) => field)
    },
  },
  prepare(vals) {
    if (typeof vals.code === 'string') vals.code = vals.code.toUpperCase()
    const wrong = typeof vals.address_format === 'string' ? unknownPlaces(vals.address_format) : []
    if (wrong.length) throw new UserError(`The layout contains unknown placeholders: ${wrong.join(', ')}`)
  },
  wrapGeneric: { name_search: codeFirst(2, 2) },
})
