// Contract of contacts (res.partner). Companies, people and addresses in one tree.

import type { AddressMixin, AvatarMixin } from '#models'
import {
  boolean,
  char,
  float,
  html,
  integer,
  many2many,
  many2one,
  model,
  type Of,
  one2many,
  optional,
  properties,
  returns,
  selection,
} from '#models'
import { languageNames } from '../places/lang-codes.ts'
import { timeZones } from '../places/time-zones.ts'

export const partner = model('res.partner', {
  label: 'Contact',
  mixins: ['format.address.mixin', 'avatar.mixin'],
  order: 'complete_name, id desc',
  recName: 'complete_name',
  recNamesSearch: ['complete_name', 'email', 'ref', 'vat', 'company_registry'],
  parent: 'parent_id',
  formsBySaving: true,
  rules: {
    // Distant pages, counts and groups of contacts read this index instead of the table: it includes what
    // their rule and the archive look at, and what groups are made of. A row of an index has 2,704 bytes, so
    // that it includes no second name.
    own_order: {
      index: ['complete_name', 'id desc'],
      include: ['active', 'partner_share', 'company_id', 'country_id', 'create_date'],
    },
    check_name: { check: "type <> 'contact' OR name IS NOT NULL", message: 'Contacts require a name' },
    // Equality on these is asked by imports and for every new contact; parts of them are what people type
    // (`recNamesSearch`).
    ref: { index: ['ref'], where: 'ref IS NOT NULL' },
    email: { index: ['email'] },
    vat: { index: ['vat'], where: 'vat IS NOT NULL' },
    // Imports look for the whole name, and lists are asked for by it more often than by any other field.
    names: { index: ['name', 'id'] },
    newest: { index: ['create_date desc', 'id'] },
    // Other systems ask for what changed since they asked last.
    changes: { index: ['write_date', 'id'] },
  },
  fields: {
    name: char({ label: 'Name', index: 'trigram', mustSend: true }),
    complete_name: char({ label: 'Complete Name', computed: true, stored: true, index: 'trigram' }),
    parent_id: many2one('res.partner', { label: 'Related Company', index: 'set' }),
    parent_name: char({ label: 'Parent name', related: 'parent_id.name' }),
    child_ids: one2many('res.partner', 'parent_id', {
      label: 'Contact',
      domain: [['active', '=', true]],
      context: { active_test: false },
    }),
    ref: char({ label: 'Reference', index: 'trigram' }),
    lang: selection(languageNames, {
      label: 'Language',
      help: 'Mails and documents for this contact are written in this language.',
    }),
    active_lang_count: integer({ label: 'Active Lang Count', computed: true }),
    tz: selection(timeZones, {
      label: 'Timezone',
      help: 'The zone in which dates and times are shown to this contact.',
    }),
    tz_offset: char({ label: 'Timezone offset', computed: true }),
    user_id: many2one('res.users', {
      label: 'Salesperson',
      index: 'set',
      help: 'The internal user in charge of this contact.',
    }),
    vat: char({
      label: 'Tax ID',
      index: 'trigram',
      commercial: true,
      help: 'The tax number; people have that of their company.',
    }),
    vat_label: char({ label: 'Tax ID Label', computed: true }),
    same_vat_partner_id: many2one('res.partner', { label: 'Partner with same Tax ID', computed: true }),
    same_company_registry_partner_id: many2one('res.partner', {
      label: 'Partner with same Company Registry',
      computed: true,
    }),
    company_registry: char({
      label: 'Company ID',
      index: 'trigram',
      commercial: true,
      help: 'The number in the register of companies.',
    }),
    bank_ids: one2many('res.partner.bank', 'partner_id', { label: 'Banks' }),
    website: char({ label: 'Website Link' }),
    comment: html({ label: 'Notes' }),
    category_id: many2many('res.partner.category', { label: 'Tags', default: [] }),
    active: boolean({ label: 'Active', default: true }),
    employee: boolean({ label: 'Employee', help: 'The contact is an employee.' }),
    function: char({ label: 'Job Position' }),
    type: selection(
      { contact: 'Contact', invoice: 'Invoice', delivery: 'Delivery', other: 'Other' },
      { label: 'Address Type', default: 'contact', help: 'The use of the address in documents.' },
    ),
    type_address_label: char({ label: 'Address Type Description', computed: true }),
    street: char({ label: 'Street' }),
    street2: char({ label: 'Street2' }),
    zip: char({ label: 'Zip' }),
    city: char({ label: 'City' }),
    state_id: many2one('res.country.state', { label: 'State', ondelete: 'restrict' }),
    country_id: many2one('res.country', { label: 'Country', ondelete: 'restrict' }),
    country_code: char({ label: 'Country Code', related: 'country_id.code' }),
    partner_latitude: float({ label: 'Geo Latitude', digits: [10, 7] }),
    partner_longitude: float({ label: 'Geo Longitude', digits: [10, 7] }),
    email: char({ label: 'Email', index: 'trigram' }),
    email_formatted: char({ label: 'Formatted Email', computed: true, help: '"Name" <email@domain>' }),
    phone: char({ label: 'Phone' }),
    is_company: boolean({ label: 'Is a Company', default: false, help: 'A company rather than a person.' }),
    is_public: boolean({ label: 'Is Public', computed: true }),
    industry_id: many2one('res.partner.industry', { label: 'Industry', commercial: true }),
    company_type: selection(
      { person: 'Person', company: 'Company' },
      { label: 'Company Type', computed: true },
    ),
    company_id: many2one('res.company', { label: 'Company', index: true }),
    color: integer({ label: 'Color Index', default: 0 }),
    user_ids: one2many('res.users', 'partner_id', { label: 'Users' }),
    main_user_id: many2one('res.users', {
      label: 'Main User',
      computed: true,
      help: 'User of the contact; if there are several, the main one.',
    }),
    partner_share: boolean({
      label: 'Share Partner',
      computed: true,
      stored: true,
      help: 'A customer without user, or with limited access.',
    }),
    contact_address: char({ label: 'Complete Address', computed: true }),
    commercial_partner_id: many2one('res.partner', {
      label: 'Commercial Entity',
      computed: true,
      stored: true,
      index: true,
    }),
    commercial_company_name: char({ label: 'Company Name Entity', computed: true, stored: true }),
    company_name: char({ label: 'Company Name' }),
    barcode: char({
      label: 'Barcode',
      companyDependent: true,
      index: true,
      help: 'Identifies the contact at a till.',
    }),
    self: many2one('res.partner', { label: 'Self', computed: true }),
    properties_base_definition_id: many2one('properties.base.definition', {
      label: 'Properties Base Definition',
      computed: true,
    }),
    properties: properties({
      label: 'Properties',
      definition: 'properties_base_definition_id.properties_definition',
    }),
  },
  methods: {
    address_get: {
      doc: 'Returns the nearest contact for each address type: below the contact, else below its company, else the contact itself.',
      readonly: true,
      params: {
        adr_pref: optional<readonly string[] | null>('strings', null, {
          doc: 'Kinds: contact, invoice, delivery, other',
          annotation: 'list[str] | None',
        }),
      },
      returns: returns<Record<string, number | false>>('object', 'dict[str, int]'),
    },
  },
})

declare module '#models' {
  interface Models {
    'res.partner': Partner
  }
  interface Partner extends Of<typeof partner>, AvatarMixin, AddressMixin {}
}
