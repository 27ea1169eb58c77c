// Where business comes from: campaigns (utm.campaign) with their stages and tags, ways (utm.medium) and
// places (utm.source). Documents name them, and analyses group by them.
import {
  boolean,
  char,
  type DataSet,
  type Environment,
  implement,
  integer,
  many2many,
  many2one,
  model,
  type Of,
} from '#models'
import { present } from '../../kit/present.ts'

const stage = model('utm.stage', {
  label: 'Campaign Stage',
  order: 'sequence, id',
  fields: {
    name: char({ label: 'Name', required: true, translate: true }),
    sequence: integer({ label: 'Sequence', default: 10 }),
  },
})

const tag = model('utm.tag', {
  label: 'UTM Tag',
  order: 'name, id',
  rules: {
    name_uniq: { unique: ['name'], message: 'A tag with this name already exists: choose another name.' },
  },
  fields: {
    name: char({ label: 'Name', required: true, translate: true }),
    color: integer({ label: 'Color Index' }),
  },
})

const campaign = model('utm.campaign', {
  label: 'UTM Campaign',
  order: 'id desc',
  recName: 'title',
  rules: {
    unique_name: {
      unique: ['name'],
      message: 'A campaign with this identifier already exists: choose another one.',
    },
  },
  fields: {
    active: boolean({ label: 'Active', default: true }),
    name: char({
      label: 'Campaign Identifier',
      required: true,
      mustSend: false,
      help: 'The title, with a number where another campaign has it.',
    }),
    title: char({ label: 'Campaign Name', required: true, translate: true }),
    user_id: many2one('res.users', { label: 'Responsible', required: true, index: true }),
    stage_id: many2one('utm.stage', {
      label: 'Stage',
      required: true,
      ondelete: 'restrict',
      mustSend: false,
    }),
    tag_ids: many2many('utm.tag', { label: 'Tags' }),
    is_auto_campaign: boolean({ label: 'Automatically Generated Campaign' }),
    color: integer({ label: 'Color Index' }),
    company_id: many2one('res.company', { label: 'Company' }),
  },
})

const named = (message: string) => ({ unique_name: { unique: ['name'], message } })

const medium = model('utm.medium', {
  label: 'UTM Medium',
  order: 'name, id',
  rules: named('A medium with this name already exists: choose another name.'),
  fields: {
    name: char({ label: 'Medium Name', required: true }),
    active: boolean({ label: 'Active', default: true }),
  },
})

const source = model('utm.source', {
  label: 'UTM Source',
  order: 'name, id',
  rules: named('A source with this name already exists: choose another name.'),
  fields: { name: char({ label: 'Source Name', required: true }) },
})

declare module '#models' {
  interface Models {
    'utm.stage': UtmStage
    'utm.tag': UtmTag
    'utm.campaign': UtmCampaign
    'utm.medium': UtmMedium
    'utm.source': UtmSource
  }
  interface UtmStage extends Of<typeof stage> {}
  interface UtmTag extends Of<typeof tag> {}
  interface UtmCampaign extends Of<typeof campaign> {}
  interface UtmMedium extends Of<typeof medium> {}
  interface UtmSource extends Of<typeof source> {}
}

/** Titles as identifiers, each with the next number where another campaign has it. */
async function identifiers(env: Environment, titles: readonly string[]): Promise<string[]> {
  const campaigns = await env
    .sudo()
    .model('utm.campaign')
    .withContext({ active_test: false })
    .search([['title', 'in', [...titles]]])
  const rows = await campaigns.load(['name'])
  const taken = new Set(rows.map(({ name }) => name))
  return titles.map((title) => {
    let name = title
    for (let number = 2; taken.has(name); number++) name = `${title} [${number}]`
    taken.add(name)
    return name
  })
}

const utmCampaign = implement(campaign, {
  defaults: {
    user_id: (env) => env.uid,
    stage_id: async (env) => (await env.sudo().model('utm.stage').search([], { limit: 1 })).ids[0] ?? null,
    color: () => 1 + Math.floor(Math.random() * 11),
  },
  wrapCreate: (next) => async (campaigns, list) => {
    // One without a title is refused, as the required value is missing.
    const titles = list.map(({ title, name }) => String((title ?? name) || ''))
    const names = await identifiers(campaigns.env, titles)
    return next(
      campaigns,
      list.map((vals, n) =>
        titles[n] ? { ...vals, title: vals.title ?? titles[n], name: vals.name ?? present(names[n]) } : vals,
      ),
    )
  },
})

export const utmModels = [
  implement(stage),
  implement(tag, { defaults: { color: () => 1 + Math.floor(Math.random() * 11) } }),
  utmCampaign,
  implement(medium),
  implement(source),
]

export const utmData: readonly DataSet[] = [
  {
    model: 'utm.stage',
    noupdate: true,
    records: { default_utm_stage: { name: 'New', sequence: 10 } },
  },
  {
    model: 'utm.medium',
    noupdate: true,
    records: {
      utm_medium_website: { name: 'Website' },
      utm_medium_phone: { name: 'Phone' },
      utm_medium_direct: { name: 'Direct' },
      utm_medium_email: { name: 'Email' },
    },
  },
  {
    model: 'utm.source',
    noupdate: true,
    records: {
      utm_source_search_engine: { name: 'Search engine' },
      utm_source_newsletter: { name: 'Newsletter' },
    },
  },
]
