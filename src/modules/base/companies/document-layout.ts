// The form that sets how a company's documents look (base.document.layout), and the layouts to choose from
// (report.layout): their templates name the layouts of the printer.
import {
  binary,
  boolean,
  char,
  computedTogether,
  type DataSet,
  type Environment,
  html,
  implement,
  integer,
  many2one,
  model,
  type Of,
  type Records,
  ref,
  selection,
  transient,
} from '#models'
import { UserError } from '../../../errors.ts'
import { html as markup } from '../../../kit/html.ts'
import type { PrintLayout } from '../../../kit/print/look.ts'
import { letterheads } from '../print.ts'
import { actionMethod, shownForm } from '../shown.ts'
import { documentFonts, pageBackgrounds } from './document-choices.ts'

const layout = model('report.layout', {
  label: 'Report Layout',
  order: 'sequence, id',
  fields: {
    name: char({ label: 'Name' }),
    sequence: integer({ label: 'Sequence', default: 50 }),
    view_id: many2one('ir.ui.view', { label: 'Document Template', required: true, ondelete: 'cascade' }),
    image: char({ label: 'Preview image src' }),
    pdf: char({ label: 'Preview pdf src' }),
  },
})

/** Settings of the company: the form shows those in force, and what is written to it is written there. */
const setting = <N extends string>(name: N) => ({ related: `company_id.${name}`, readonly: false }) as const
const fact = <N extends string>(name: N) => ({ related: `company_id.${name}` }) as const

const form = transient('base.document.layout', {
  label: 'Company Document Layout',
  recName: 'company_id',
  fields: {
    company_id: many2one('res.company', { label: 'Company', required: true, ondelete: 'cascade' }),
    from_invoice: boolean({ label: 'From Invoice', help: 'It was opened from an invoice.' }),
    report_layout_id: many2one('report.layout', { label: 'Report Layout', computed: true, readonly: false }),
    external_report_layout_id: many2one('ir.ui.view', {
      label: 'Document Template',
      ...setting('external_report_layout_id'),
    }),
    logo: binary({ label: 'Company Logo', ...setting('logo') }),
    preview_logo: binary({ label: 'Preview logo', ...fact('logo') }),
    report_header: html({ label: 'Company Tagline', ...setting('report_header') }),
    report_footer: html({ label: 'Report Footer', ...setting('report_footer') }),
    company_details: html({ label: 'Company Details', ...setting('company_details') }),
    is_company_details_empty: boolean({
      label: 'Is Company Details Empty',
      ...fact('is_company_details_empty'),
    }),
    primary_color: char({ label: 'Primary Color', ...setting('primary_color') }),
    secondary_color: char({ label: 'Secondary Color', ...setting('secondary_color') }),
    font: selection(documentFonts, { label: 'Font', ...setting('font') }),
    layout_background: selection(pageBackgrounds, {
      label: 'Layout Background',
      ...setting('layout_background'),
    }),
    layout_background_image: binary({ label: 'Background Image', ...setting('layout_background_image') }),
    paperformat_id: many2one('report.paperformat', { label: 'Paper format', ...setting('paperformat_id') }),
    partner_id: many2one('res.partner', { label: 'Partner', ...fact('partner_id') }),
    name: char({ label: 'Company Name', ...fact('name') }),
    phone: char({ label: 'Phone', ...fact('phone') }),
    email: char({ label: 'Email', ...fact('email') }),
    website: char({ label: 'Website', ...fact('website') }),
    vat: char({ label: 'Tax ID', ...fact('vat') }),
    country_id: many2one('res.country', { label: 'Country', ...fact('country_id') }),
    preview: html({ label: 'Preview', computed: true, help: 'The head and the foot of documents.' }),
  },
  methods: {
    document_layout_save: actionMethod(
      'Closes the form and returns `report_action` of the context. A company without a layout gets the first one.',
    ),
  },
})

declare module '#models' {
  interface Models {
    'report.layout': ReportLayout
    'base.document.layout': DocumentLayout
  }
  interface ReportLayout extends Of<typeof layout> {}
  interface DocumentLayout extends Of<typeof form> {}
}

const template = (layout: PrintLayout, name: string) =>
  ({ name, key: `base.external_layout_${layout}`, type: 'qweb' }) as const

export const layoutData: readonly DataSet[] = [
  {
    model: 'ir.ui.view',
    noupdate: true,
    records: {
      external_layout_standard: template('standard', 'Standard layout'),
      external_layout_boxed: template('boxed', 'Boxed layout'),
      external_layout_bold: template('bold', 'Bold layout'),
      external_layout_striped: template('striped', 'Striped layout'),
    },
  },
  {
    model: 'report.layout',
    noupdate: true,
    records: {
      report_layout_standard: { name: 'Standard', sequence: 1, view_id: ref('external_layout_standard') },
      report_layout_boxed: { name: 'Boxed', sequence: 2, view_id: ref('external_layout_boxed') },
      report_layout_bold: { name: 'Bold', sequence: 3, view_id: ref('external_layout_bold') },
      report_layout_striped: { name: 'Striped', sequence: 4, view_id: ref('external_layout_striped') },
    },
  },
]

type LayoutForms = Records<'base.document.layout'>

/**
 * `action`, or the form that leads to it where the company's layout was never chosen and the caller may
 * choose it.
 */
export async function layoutChosenFirst(
  env: Environment,
  companyId: number,
  action: object,
  context: object = {},
): Promise<object> {
  if (!env.hasGroup('base.group_system')) return action
  const company = await env.model('res.company').browse([companyId]).one(['external_report_layout_id'])
  if (company.external_report_layout_id) return action
  return shownForm('Configure your document layout', 'base.document.layout', {
    ...context,
    ...(companyId === env.companyId ? {} : { default_company_id: companyId }),
    report_action: action,
  })
}

const previews = computedTogether(form, ['company_id'], async (forms, env) => {
  const heads = await letterheads(
    env,
    forms.map(({ company_id }) => company_id.id),
  )
  return new Map(
    forms.map(({ id, company_id }) => {
      const { sender = [], footer = [] } = heads.get(company_id.id) ?? {}
      const lines = sender.map((line) => markup`<div>${line}</div>`)
      return [id, markup`<div>${lines}</div><div>${footer.join(' · ')}</div>`.toString()]
    }),
  )
})

/** The layout that draws the company's template. */
const chosenLayouts = computedTogether(
  form,
  ['external_report_layout_id'],
  async (forms, env) => {
    const viewIds = forms.flatMap(({ external_report_layout_id: view }) => view?.id ?? [])
    const layouts = await env.model('report.layout').search([['view_id', 'in', viewIds]])
    const byView = new Map((await layouts.load(['view_id'])).map(({ id, view_id }) => [view_id.id, id]))
    return new Map(
      forms.map(({ id, external_report_layout_id: view }) => [
        id,
        view ? (byView.get(view.id) ?? null) : null,
      ]),
    )
  },
  {
    inverse: async (env, values) => {
      const layoutIds = [...values.values()].filter((layoutId) => typeof layoutId === 'number')
      const layouts = await env.model('report.layout').browse(layoutIds).load(['view_id'])
      const views = new Map(layouts.map(({ id, view_id }) => [id, view_id.id]))
      await env
        .model('base.document.layout')
        .writeEach(
          new Map(
            [...values].map(([id, layoutId]) => [
              id,
              { external_report_layout_id: views.get(layoutId as number) ?? false },
            ]),
          ),
        )
    },
  },
)

/** Throws UserError while there is no layout to choose from. */
async function takeFirstLayout(forms: LayoutForms): Promise<void> {
  const layouts = await forms.env.model('report.layout').search([], { limit: 1 })
  if (layouts.length === 0) throw new UserError('There is no report layout: create one in report.layout.')
  await forms.write({ report_layout_id: layouts.ensureOne() })
}

export const layoutModels = [
  implement(layout),
  implement(form, {
    defaults: { company_id: (env) => env.companyId },
    computed: { preview: previews, report_layout_id: chosenLayouts },
    methods: {
      document_layout_save: async (forms) => {
        const rows = await forms.load(['external_report_layout_id'])
        const undecided = rows.flatMap(({ id, external_report_layout_id: view }) => (view ? [] : id))
        if (undecided.length) await takeFirstLayout(forms.browse(undecided))
        const { report_action: action } = forms.env.context
        return typeof action === 'object' && action !== null
          ? action
          : { type: 'ir.actions.act_window_close' }
      },
    },
  }),
] as const
