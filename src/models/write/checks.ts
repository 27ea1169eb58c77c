// Written constraints: rules that must hold for every record after a change of what they look at.

import { UserError, ValidationError } from '../../errors.ts'
import { oncePer } from '../../kit/once-per.ts'
import { present } from '../../kit/present.ts'
import { and, id, join, raw, type Sql, sql, TRUE } from '../../sql/index.ts'
import type { Check, LooseRecord } from '../language/behaviour.ts'
import type { FieldDef, Ids, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { fieldOf, leadsToOne } from '../language/field-options.ts'
import type { Scope } from '../language/scope.ts'
import { type CachedColumns, cachedColumns } from '../load/decide.ts'
import { loadPaths } from '../load/load.ts'
import { aboutRecords, fieldsShape } from '../row/plans.ts'
import { scopeOver } from '../row/scope.ts'
import { refusing } from '../unit/refusing.ts'

/**
 * Runs the checks whose dependencies changed (`null`: all). Throws ValidationError with the check's message,
 * UserError where companies do not fit together. `links`: of records that were just made, as far as known.
 */
export async function runChecks(
  env: Environment,
  model: ModelDef,
  ids: Ids,
  changed: ReadonlySet<string> | null,
  links?: Links,
): Promise<void> {
  const wanted = model.hooks.checks.filter(
    ({ rule }) => changed === null || rule.depends.some((path) => changed.has(present(path.split('.')[0]))),
  )
  await assertCompanies(env, model, ids, changed, links)
  if (wanted.length === 0) return
  const paths = [...new Set(wanted.flatMap(({ rule }) => rule.depends))]
  const records = (await loadPaths(env.sudo(), model, ids, paths)) as LooseRecord[]
  await assertChecks(env, wanted, records)
}

async function assertChecks(
  env: Environment,
  checks: readonly Check[],
  records: readonly LooseRecord[],
): Promise<void> {
  for (const { message, rule } of checks) {
    const results = rule.run(records, env)
    const holds = results instanceof Promise ? await results : results
    if (records.some((record) => holds.get(record.id) === false)) throw new ValidationError(message)
  }
}

// Companies that fit together: what a record of a company refers to is of that company, of one above it, or
// of none. So is what a value by company (`companyDependent`) refers to, for the company that it is set in.

const COMPANY = 'company_id'
/** Of records that several companies share, such as accounts. */
const COMPANIES = 'company_ids'

/**
 * Judges fields that changed, or all of them when the record's own company did (`null`: everything is
 * new). Records that all companies share refer to shared ones only. Users fit where they may act for the
 * company. Links that are known to fit (`links`: of new records) need no query. Refuses (`Unit.check`)
 * with a UserError that names the field but not the record that it refers to.
 */
export async function assertCompanies(
  env: Environment,
  model: ModelDef,
  ids: Ids,
  changed: ReadonlySet<string> | null,
  links?: Links,
): Promise<void> {
  if (ids.length === 0) return
  if (changed?.has(COMPANY) || (changed?.has(COMPANIES) && !model.fields.has(COMPANY)))
    assertFollowed(env, model, ids)
  const fields = checkedFields(model).filter(
    (field) =>
      (!changed || changed.has(field.name) || (changed.has(COMPANY) && !field.options.companyDependent)) &&
      !(links && fitsByCache(env, model, field, ids, links)),
  )
  if (fields.length === 0) return
  // One statement, whatever the number of fields.
  const statement = aboutRecords(
    env.sudo(),
    `companies ${model.name} ${fieldsShape(fields)}`,
    ids,
    (records) => {
      const queries = fields.flatMap(
        (field, i) => wrongQuery(env, field, i, (own) => sql`${own.id} = ANY(${records})`) ?? [],
      )
      return queries.length ? refusing(join(queries, ' UNION ALL ')) : null
    },
  )
  if (!statement) return
  env.unit.buffer.post(statement, (wrong) => {
    const label = fields[wrong]?.label
    return new UserError(
      `Incompatible companies: "${label}" of ${model.label} belongs to another company than the record.`,
    )
  })
}

/**
 * Judges what refers to records whose company changed: documents keep the journals, lots and places of their
 * own company. Users may act for several companies, and their own one is where they begin.
 */
function assertFollowed(env: Environment, model: ModelDef, ids: Ids): void {
  if (model.name === 'res.users') return
  const fields = [...env.unit.registry.models.values()]
    .filter(({ hasTable }) => hasTable)
    .flatMap((referring) => checkedFields(referring).filter(({ comodel }) => isOfCompanyOf(comodel, model)))
  const statement = aboutRecords(env.sudo(), `companies of ${model.name}`, ids, (records) => {
    const queries = fields.flatMap(
      (field, i) =>
        wrongQuery(env, field, i, (_, target) => sql`${among(target, model)} = ANY(${records})`) ?? [],
    )
    return queries.length ? refusing(join(queries, ' UNION ALL ')) : null
  })
  if (!statement) return
  env.unit.buffer.post(statement, (wrong) => {
    const { label, model: referring } = present(fields[wrong])
    return new UserError(
      `The company of ${model.label} cannot change: "${label}" of ${referring.label} refers to it in another company. Create a new record for that company.`,
    )
  })
}

/** Whether the company of a model's records is that of another's, as variants have that of their product. */
const isOfCompanyOf = (comodel: ModelDef | undefined, model: ModelDef): boolean =>
  comodel === model || Boolean(comodel?.inherits.has(model.name) && comodel.fields.get(COMPANY)?.inherited)

function among(target: Scope, model: ModelDef): Sql {
  const via = target.model.inherits.get(model.name)
  return via === undefined ? target.id : present(target.value(fieldOf(target.model, via)))
}

/** Of a record that companies share: links that are declared as checked lead to shared ones. */
const mustBeShared = ({ kind, options }: FieldDef): boolean =>
  (kind === 'many2one' || kind === 'many2many') && options.checkCompany === true

export const checkedFields = oncePer((model: ModelDef): readonly FieldDef[] =>
  [...model.fields.values()].filter(
    (field) =>
      (field.kind === 'many2one' || field.kind === 'many2many') &&
      (field.options.checkCompany ?? isCheckedByDefault(field)) &&
      !field.inherited &&
      (field.kind === 'many2many' ? field.link : field.column),
  ),
)

/**
 * Links of set-up that people write to records that always are of a company, such as accounts, and all values
 * by company. Documents say which of theirs are checked, and what forms name is checked where it is written.
 * Shared records may name those of each company.
 */
function isCheckedByDefault(field: FieldDef): boolean {
  const { model, comodel, readonly, name, options } = field
  if (!comodel || comodel.name === 'res.users' || readonly || model.kind === 'transient') return false
  const { authority } = model
  if (authority && (authority.stateField || authority.partOf || !authority.gives(field))) return false
  if (options.companyDependent) return isOfCompanies(comodel) || comodel.fields.get(COMPANY) !== undefined
  const company = model.fields.get(COMPANY)
  if (model.name !== 'res.company' && company?.kind !== 'many2one') return false
  return company?.related?.[0] !== name && isOfCompanies(comodel)
}

/** Whether every record of the model is of a company, or of several. */
const isOfCompanies = oncePer((model: ModelDef): boolean => {
  if (model.name === 'res.company') return false
  const company = model.fields.get(COMPANY)
  if (company?.kind !== 'many2one') return Boolean(model.fields.get(COMPANIES)?.link)
  const through = company.related && model.fields.get(present(company.related[0]))?.comodel
  return through ? isOfCompanies(through) : company.required || company.compute !== null
})

/** The field's `number` where it does not fit; null when the field's model knows no companies. */
function wrongQuery(
  env: Environment,
  field: FieldDef,
  number: number,
  which: (own: Scope, target: Scope) => Sql,
): Sql | null {
  const referring = scopeOver(env.sudo(), field.model)
  const company = field.options.companyDependent ? sql`${raw(String(env.companyId))}` : companyOf(referring)
  if (!company || !field.comodel) return null
  const target = leadsToOne(field) ? referring.join(field) : referring.nested(field.comodel)
  const fitsCompany = fitting(target, company)
  if (!fitsCompany) return null
  const fits = mustBeShared(field) ? fitsCompany : sql`(${company} IS NULL OR ${fitsCompany})`
  const { link } = field
  const linked =
    leadsToOne(field) || !link
      ? TRUE
      : sql`EXISTS (SELECT FROM ${id(link.table)} l WHERE l.${id(link.column)} = ${referring.id} AND l.${id(link.other)} = ${target.id})`
  const from = target.alias.startsWith(`${referring.alias}j`)
    ? referring.from()
    : sql`${referring.from()} CROSS JOIN ${target.from()}`
  const wrong = and([which(referring, target), linked, sql`${target.id} IS NOT NULL`, sql`NOT ${fits}`])
  return sql`(SELECT ${raw(String(number))} FROM ${from} WHERE ${wrong} LIMIT 1)`
}

function companyOf(scope: Scope): Sql | null {
  if (scope.model.name === 'res.company') return scope.id
  const field = scope.model.fields.get(COMPANY)
  return field?.kind === 'many2one' ? scope.value(field) : null
}

function fitting(target: Scope, company: Sql): Sql | null {
  if (target.model.name === 'res.users')
    return sql`(${company} IS NULL OR EXISTS (SELECT FROM res_company_users_rel u WHERE u.user_id = ${target.id} AND u.cid = ${company}))`
  const above = sql`SELECT unnest(string_to_array(rtrim(c.parent_path, '/'), '/'))::int FROM res_company c WHERE c.id = ${company}`
  const theirs = companyOf(target)
  if (theirs) return sql`(${theirs} IS NULL OR ${theirs} IN (${above}))`
  // Records that several companies share, such as accounts, fit each of them.
  const link = target.model.fields.get(COMPANIES)?.link
  if (!link) return null
  return sql`(${company} IS NULL OR EXISTS (SELECT FROM ${id(link.table)} s
    WHERE s.${id(link.column)} = ${target.id} AND s.${id(link.other)} IN (${above})))`
}

// Companies that fit together by the cache: those of new records and of the records that they refer to.

/** Targets of a field of the new record at a place; undefined where the cache has none. */
export type Links = (field: FieldDef, record: number, place: number) => Ids | undefined

/**
 * Whether a field of new records refers only to records of the same company, or of none. Others may fit
 * too: PostgreSQL decides.
 */
export function fitsByCache(
  env: Environment,
  model: ModelDef,
  field: FieldDef,
  ids: Ids,
  links: Links,
): boolean {
  const { comodel } = field
  if (!comodel || comodel.name === 'res.users') return false
  const columns = cachedColumns(env)
  const isOne = leadsToOne(field) && !field.options.companyDependent
  return ids.every((id, place) => {
    const target = isOne ? cachedLink(columns, field, id) : null
    const targets = isOne ? null : links(field, id, place)
    if (isOne ? target === null : targets?.length === 0) return true
    const company = field.options.companyDependent ? env.companyId : cachedCompanyOf(columns, model, id)
    if (company === undefined) return false
    if (company === null && !mustBeShared(field)) return true
    const fits = (referred: number) => {
      const theirs = cachedCompanyOf(columns, comodel, referred)
      return theirs === null || theirs === company
    }
    return isOne ? target !== undefined && fits(target as number) : targets?.every(fits) === true
  })
}

function cachedCompanyOf(columns: CachedColumns, model: ModelDef, id: number): unknown {
  if (model.name === 'res.company') return id
  const field = model.fields.get('company_id')
  return field?.kind === 'many2one' ? cachedLink(columns, field, id) : undefined
}

/** A many2one by the cache, by way of others where it is related. */
function cachedLink(columns: CachedColumns, field: FieldDef, id: number): unknown {
  if (field.column) return columns(field, id)
  if (!field.related || field.compute) return undefined
  let [model, record]: [ModelDef | undefined, unknown] = [field.model, id]
  for (const name of field.related) {
    const step: FieldDef | undefined = model?.fields.get(name)
    record = step?.kind === 'many2one' ? cachedLink(columns, step, record as number) : undefined
    if (record === undefined || record === null) return record
    model = step?.comodel
  }
  return record
}
