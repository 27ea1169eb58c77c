// Implementation of contacts (res.partner). Names: partner-names.ts; values shared in a company:
// partner-sync.ts, in which order: partner-rounds.ts, in memory: partner-settle.ts; users:
// partner-users.ts.
import { computed, computedTogether, type Environment, implement, type WriteChange } from '#models'
import { InvalidValue } from '../../../errors.ts'
import { choices, shown } from '../../../kit/text.ts'
import { join, literal, raw, sql } from '../../../sql/index.ts'
import { markCopies } from '../copied-names.ts'
import { addressFields, addressPaths, layOut } from '../places/address.ts'
import { chosen, placeChanges } from '../places/place-changes.ts'
import { offsetOf, timeZones } from '../places/time-zones.ts'
import { keptOnceListed } from '../rights/issued.ts'
import { renamed } from './bank-holders.ts'
import { partner } from './partner.contract.ts'
import { addressGet } from './partner-addresses.ts'
import { barcodeIsOwn, sameRegistry, sameVat } from './partner-duplicates.ts'
import { partnerDisplayName, storedCompleteName } from './partner-names.ts'
import { changesSharedFields, concernsContacts, roundsOf } from './partner-rounds.ts'
import { isComputableInMemory, type Settled, settle } from './partner-settle.ts'
import type { Partners } from './partner-shared.ts'
import { commercialBefore, copyToParents, syncAfterWrite, takeFromParents } from './partner-sync.ts'
import { formatEmail, parseNameAndEmail, withScheme } from './partner-text.ts'
import { assertNoActiveUser, guardIdentity, isPublic, mainUser, partnerShare } from './partner-users.ts'

const addressLabels: Readonly<Record<string, string>> = {
  invoice: 'Invoice Address',
  delivery: 'Delivery Address',
  other: 'Other Address',
}

/** Writes one after the other that a list of changes may take; beyond, their outcome is reckoned. */
const MOST_ROUNDS = 2

/** Language of new contacts, unless `ir.default` says otherwise. */
const BASE_LANGUAGE = 'en_US'

/** Label of tax numbers where the company's country has no word of its own. */
const VAT_LABEL = 'Tax ID'

/** The id of the definitions of contacts' properties: one record for all of them. */
const definitionId = sql`(SELECT d.id FROM properties_base_definition d JOIN ir_model_fields f ON f.id = d.properties_field_id WHERE f.model = 'res.partner' AND f.name = 'properties' LIMIT 1)`

export default implement(partner, {
  displayName: partnerDisplayName,
  defaults: {
    lang: () => BASE_LANGUAGE,
    tz: (env) => (env.tz !== null && env.tz in timeZones() ? env.tz : undefined),
  },
  computed: {
    complete_name: storedCompleteName,
    commercial_partner_id: computed(partner, ['is_company', 'parent_id.commercial_partner_id'], (p) =>
      p.is_company || !p.parent_id ? { id: p.id } : p.parent_id.commercial_partner_id,
    ),
    commercial_company_name: computed(
      partner,
      ['company_name', 'commercial_partner_id.is_company', 'commercial_partner_id.name'],
      ({ commercial_partner_id: entity, company_name }) => (entity?.is_company ? entity.name : company_name),
    ),
    company_type: computed(partner, ['is_company'], (p) => (p.is_company ? 'company' : 'person'), {
      sql: (scope) => sql`CASE WHEN ${scope.column('is_company')} THEN 'company' ELSE 'person' END`,
      searchable: false,
      inverse: writeCompanyType,
    }),
    partner_share: partnerShare,
    main_user_id: mainUser,
    is_public: isPublic,
    self: computed(partner, [], (p) => ({ id: p.id }), {
      searchable: false,
      sql: (scope) => scope.id,
    }),
    email_formatted: computed(partner, ['name', 'email'], (p) => formatEmail(p.name, p.email)),
    contact_address: computed(partner, [...addressPaths, 'commercial_company_name'], (p) =>
      layOut(p, p.commercial_company_name),
    ),
    type_address_label: computed(partner, ['type'], (p) => addressLabels[p.type ?? ''] ?? 'Address', {
      searchable: false,
      sql: (scope) => {
        const cases = Object.entries(addressLabels).map(
          ([type, label]) => sql`WHEN ${literal(type)} THEN ${literal(label)}`,
        )
        return sql`CASE ${scope.column('type')} ${join(cases, ' ')} ELSE 'Address' END`
      },
    }),
    tz_offset: computed(partner, ['tz'], (p, env) => offsetOf(p.tz, env.now())),
    active_lang_count: computed(partner, [], (_, env) => env.unit.rights.languages.size, {
      searchable: false,
      sql: ({ env }) => raw(String(env.unit.rights.languages.size)),
    }),
    vat_label: computedTogether(
      partner,
      [],
      async (partners, env) => {
        const [company] = await env
          .sudo()
          .model('res.company')
          .browse([env.companyId])
          .load(['partner_id.country_id.vat_label'])
        const label = company?.partner_id.country_id?.vat_label || VAT_LABEL
        return new Map(partners.map((p) => [p.id, label]))
      },
      {
        searchable: false,
        sql: (scope) => {
          const companyScope = scope.nested(scope.env.def('res.company'))
          const label = companyScope.path('partner_id.country_id.vat_label')
          return (
            label &&
            sql`COALESCE((SELECT NULLIF(${label}, '') FROM ${companyScope.from()} WHERE ${companyScope.id} = ${scope.env.companyId}::int), ${literal(VAT_LABEL)})`
          )
        },
      },
    ),
    same_vat_partner_id: sameVat,
    same_company_registry_partner_id: sameRegistry,
    properties_base_definition_id: computedTogether(
      partner,
      [],
      async (partners, env) => {
        const [row] = await env.rows(sql`SELECT ${definitionId}`, {
          reads: ['properties.base.definition', 'ir.model.fields'],
          row: ['int?'],
        })
        return new Map(partners.map((p) => [p.id, row?.[0] ? { id: row[0] } : null]))
      },
      { sql: () => definitionId },
    ),
  },
  checks: { 'Another partner already has this barcode': barcodeIsOwn },
  prepare(vals, env, ids) {
    // A new contact has no user yet; a user created for it changes that. Record rules read the value
    // before anything is computed.
    if (ids === null) vals.partner_share ??= true
    if (typeof vals.website === 'string') vals.website = withScheme(vals.website)
    if (vals.parent_id) vals.company_name = false
    if (vals.lang && !env.unit.rights.languages.has(String(vals.lang)))
      throw new InvalidValue(
        `Wrong value for lang: ${shown(vals.lang)}. Languages in use are ${choices([...env.unit.rights.languages.keys()])}.`,
      )
  },
  methods: { address_get: (partners, { adr_pref }) => addressGet(partners, adr_pref) },
  onchange: [
    ...placeChanges('country_id', 'state_id'),
    { fields: ['parent_id'], run: addressOfParent },
    { fields: ['company_type'], run: (values) => ({ is_company: values.company_type === 'company' }) },
    {
      fields: ['is_company'],
      run: (values) => ({ company_type: values.is_company ? 'company' : 'person' }),
    },
  ],
  concerns: {
    create: (names, { context }) => names.has('parent_id') || 'default_parent_id' in context,
    write: concernsContacts,
  },
  wrapWrite: (next) => async (partners, changes) => {
    guardIdentity(partners, changes)
    const archived = changes.filter(({ vals }) => 'active' in vals && !vals.active).flatMap(({ ids }) => ids)
    if (archived.length) await assertNoActiveUser(partners.browse(archived), 'archive')
    const holders = await renamed(partners, changes)
    if (reckoned.has(partners.env.unit)) return next(partners, changes)
    const rounds = await roundsOf(partners, changes)
    if (rounds.length > MOST_ROUNDS && isComputableInMemory(partners.env, changes)) {
      await writeSettled(partners, await settle(partners, changes), next)
      rounds.length = 0
    }
    for (const round of rounds) {
      const travelling = round.filter(
        ({ ids, vals }) => ids.length > 0 && changesSharedFields(partners.env, vals),
      )
      const alone = await commercialBefore(partners, travelling)
      await next(partners, round)
      if (travelling.length) await syncAfterWrite(partners, travelling, alone)
    }
    if (holders.size) await partners.env.sudo().model('res.partner.bank').writeEach(holders)
  },
  wrapGeneric: {
    create: (next) => async (partners, params) => {
      const taken = await takeFromParents(partners, params.vals_list as readonly unknown[])
      const createdPartners = (await next(partners, { ...params, vals_list: taken.list })) as typeof partners
      if (taken.bringing.length) await copyToParents(createdPartners, taken)
      return createdPartners
    },
    unlink: (next) => async (partners, params) => {
      if (partners.length) await assertNoActiveUser(partners, 'delete')
      return keptOnceListed(next as never)(partners as never, params)
    },
    copy_data: markCopies,
    name_create:
      () =>
      async (partners, { name }) => {
        const { name: parsedName, email } =
          typeof name === 'string' ? parseNameAndEmail(name) : { name, email: null }
        const createdPartner = await partners.create([
          { name: parsedName as string, ...(email ? { email } : {}) },
        ])
        const { display_name } = await createdPartner.sudo().one(['display_name'])
        return [createdPartner.ids[0], display_name]
      },
  },
})

/** Calls in which values that travel are reckoned already, and only to be written. */
const reckoned = new WeakSet<object>()

async function writeSettled(
  partners: Partners,
  { changes, asked: requested, passed }: Settled,
  next: (partners: Partners, changes: readonly WriteChange[]) => Promise<void>,
): Promise<void> {
  const { unit } = partners.env
  reckoned.add(unit)
  try {
    await next(partners, changes)
    if (requested.size) await partners.writeEach(requested as never)
    if (passed.size) await partners.sudo().writeEach(passed as never)
  } finally {
    reckoned.delete(unit)
  }
}

/** Companies and people by their type. */
async function writeCompanyType(env: Environment, values: ReadonlyMap<number, unknown>): Promise<void> {
  for (const type of ['company', 'person']) {
    const ids = [...values].filter(([, value]) => value === type).map(([id]) => id)
    if (ids.length)
      await env
        .model('res.partner')
        .browse(ids)
        .write({ is_company: type === 'company' })
  }
}

/** Choosing a parent brings its address to a contact. */
async function addressOfParent(
  values: Readonly<Record<string, unknown>>,
  env: Environment,
): Promise<Record<string, unknown>> {
  const parent = chosen(values.parent_id)
  if (!parent || (values.type && values.type !== 'contact')) return {}
  const [parentRow] = await env.model('res.partner').browse([parent]).load(addressFields)
  if (!parentRow || !addressFields.some((field) => parentRow[field])) return {}
  return Object.fromEntries(
    addressFields.map((field) => [
      field,
      chosen(parentRow[field]) ?? (typeof parentRow[field] === 'string' ? parentRow[field] : false),
    ]),
  )
}
