// Companies (res.company): a tree of branches, each a contact too (delegation). Branches share the currency
// of their root.

import { raiseRightsVersion } from '#engine'
import {
  binary,
  boolean,
  char,
  computed,
  html,
  implement,
  integer,
  many2many,
  many2one,
  model,
  type Of,
  one2many,
  type Records,
  selection,
} from '#models'
import { present } from '../../../kit/present.ts'
import { sql } from '../../../sql/index.ts'
import { markCopies } from '../copied-names.ts'
import { plainText } from '../print.ts'
import { keptOnceIssued } from '../rights/issued.ts'
import { auditWraps } from '../rights/rights-audit.ts'
import { assertSameParents, joinCompanies, shareCurrencies, withPartners } from './company-creation.ts'
import { documentFonts, pageBackgrounds } from './document-choices.ts'

const company = model('res.company', {
  label: 'Companies',
  dictionary: true,
  inherits: { 'res.partner': 'partner_id' },
  readsDelegates: true,
  order: 'sequence, name',
  recName: 'name',
  parent: 'parent_id',
  parentStore: true,
  rules: { name_uniq: { unique: ['name'], message: 'The company name must be unique!' } },
  fields: {
    name: char({
      label: 'Company Name',
      mustSend: true,
      related: 'partner_id.name',
      required: true,
      stored: true,
      computed: true,
      readonly: false,
      copy: true,
    }),
    active: boolean({ label: 'Active', default: true }),
    sequence: integer({
      label: 'Sequence',
      default: 10,
      help: 'Lower ones come first where companies are chosen.',
    }),
    parent_id: many2one('res.company', { label: 'Parent Company', ondelete: 'restrict', index: true }),
    child_ids: one2many('res.company', 'parent_id', { label: 'Branches' }),
    all_child_ids: one2many('res.company', 'parent_id', {
      label: 'All Branches',
      context: { active_test: false },
    }),
    parent_path: char({ label: 'Parent Path', index: true, copy: false }),
    parent_ids: many2many('res.company', { label: 'Parents', computed: true }),
    root_id: many2one('res.company', { label: 'Root', computed: true }),
    partner_id: many2one('res.partner', {
      label: 'Partner',
      required: true,
      ondelete: 'restrict',
      copy: false,
    }),
    report_header: html({
      label: 'Company Tagline',
      translate: true,
      help: 'Printed below the logo of documents.',
    }),
    report_footer: html({
      label: 'Report Footer',
      translate: true,
      help: 'Printed at the foot of documents.',
    }),
    company_details: html({
      label: 'Company Details',
      translate: true,
      help: 'Address and numbers as documents show them.',
    }),
    is_company_details_empty: boolean({ label: 'Is Company Details Empty', computed: true }),
    logo: binary({ label: 'Company Logo', related: 'partner_id.image_1920', readonly: false }),
    currency_id: many2one('res.currency', { label: 'Currency', required: true, ondelete: 'restrict' }),
    user_ids: many2many('res.users', {
      label: 'Accepted Users',
      relation: { table: 'res_company_users_rel', column: 'cid', other: 'user_id' },
      copy: false,
    }),
    color: integer({ label: 'Color', asStored: false, default: 0 }),
    primary_color: char({ label: 'Primary Color' }),
    secondary_color: char({ label: 'Secondary Color' }),
    font: selection(documentFonts, { label: 'Font', default: 'Lato' }),
    layout_background: selection(pageBackgrounds, {
      label: 'Layout Background',
      required: true,
      default: 'Blank',
      help: 'Kept for clients: documents are printed on a blank page.',
    }),
    layout_background_image: binary({ label: 'Background Image' }),
    external_report_layout_id: many2one('ir.ui.view', { label: 'Document Template', ondelete: 'set null' }),
    logo_web: binary({ label: 'Logo Web', related: 'partner_id.image_256', asStored: true }),
    uses_default_logo: boolean({
      label: 'Uses Default Logo',
      computed: true,
      asStored: true,
      help: 'The company has no logo of its own: a default picture is shown.',
    }),
  },
})

declare module '#models' {
  interface Models {
    'res.company': Company
  }
  interface Company extends Of<typeof company> {}
  interface Delegates {
    'res.company': 'res.partner'
  }
}

/** Ids along a stored path, the root first. */
const ancestors = (path: string | null): number[] => (path ?? '').split('/').filter(Boolean).map(Number)

const audited = auditWraps<Records<'res.company'>>('res.company')
/** The books are kept in it. */
const keepIssued = keptOnceIssued<'res.company'>(['currency_id'])

export default implement(company, {
  defaults: {
    currency_id: async (env) => {
      const [company] = await env.sudo().model('res.company').browse([env.companyId]).load(['currency_id'])
      return company?.currency_id.id
    },
  },
  computed: {
    uses_default_logo: computed(company, ['partner_id.image_256'], (c) => c.partner_id.image_256 === null),
    is_company_details_empty: computed(
      company,
      ['company_details'],
      (c) => plainText(c.company_details) === '',
    ),
    parent_ids: computed(company, ['parent_path'], (c) => ancestors(c.parent_path)),
    root_id: computed(company, ['parent_path'], (c) => ({ id: ancestors(c.parent_path)[0] ?? c.id }), {
      sql: (scope) => sql`NULLIF(split_part(${scope.column('parent_path')}, '/', 1), '')::int`,
    }),
  },
  wrapWrite: (next) =>
    audited.write(
      keepIssued(async (companies, changes) => {
        if (companies.length === 0) return next(companies, changes)
        raiseRightsVersion(companies.env)
        await assertSameParents(companies, changes)
        // The name is that of the contact: it comes back into the company from there.
        await next(
          companies,
          changes.map(({ ids, vals: { name: _name, ...vals } }) => ({ ids, vals })),
        )
        const names = new Map(
          changes.flatMap(({ ids, vals }) =>
            vals.name === undefined ? [] : ids.map((id) => [id, vals.name as string] as const),
          ),
        )
        if (names.size) {
          const rows = await companies.browse([...names.keys()]).load(['partner_id'])
          await companies.env
            .model('res.partner')
            .writeEach(new Map(rows.map((c) => [c.partner_id.id, { name: present(names.get(c.id)) }])))
        }
        await shareCurrencies(companies, changes)
      }),
    ),
  wrapGeneric: {
    create: (next) =>
      audited.create(async (companies, params) => {
        raiseRightsVersion(companies.env)
        const list = await withPartners(companies.env, params.vals_list as readonly unknown[])
        const createdCompanies = (await next(companies, { ...params, vals_list: list })) as typeof companies
        await joinCompanies(createdCompanies)
        return createdCompanies
      }),
    unlink: (next) =>
      audited.unlink(async (companies, params) => {
        raiseRightsVersion(companies.env)
        return next(companies, params)
      }),
    copy_data: markCopies,
  },
})
