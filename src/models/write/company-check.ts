// Companies that fit together: what a record of a company refers to by a field with `checkCompany` is of that
// company, of one above it, or of none.

import { UserError } from '../../errors.ts'
import { present } from '../../kit/present.ts'
import { and, id, join, raw, type Sql, sql, TRUE } from '../../sql/index.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { fieldOf, leadsToOne } from '../language/relations.ts'
import type { Scope } from '../language/scope.ts'
import { aboutRecords, fieldsShape } from '../row/plans.ts'
import { scopeOver } from '../row/scope.ts'
import { perModel } from '../unit/per-model.ts'
import { refusing } from '../unit/refusing.ts'
import { fitsByCache, type Links } from './company-fit.ts'

const COMPANY = 'company_id'

/**
 * Judges fields that changed, or all of them when the record's own company did (`null`: everything is
 * new). Records that all companies share refer to shared ones only. Users fit where they may act for the
 * company. Links that are known to fit (`links`: of new records) need no query. Refuses (`Unit.check`)
 * with a UserError that names the field but not the record that it refers to.
 */
export async function assertCompanies(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
  changed: ReadonlySet<string> | null,
  links?: Links,
): Promise<void> {
  if (ids.length === 0) return
  if (changed?.has(COMPANY)) assertFollowed(env, model, ids)
  const fields = checkedFields(model).filter(
    (field) =>
      (!changed || changed.has(field.name) || changed.has(COMPANY)) &&
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
  env.unit.post(statement, (wrong) => {
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
function assertFollowed(env: Environment, model: ModelDef, ids: readonly number[]): void {
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
  env.unit.post(statement, (wrong) => {
    const { label, model: referring } = present(fields[wrong])
    return new UserError(
      `The company of ${model.label} stays: "${label}" of ${referring.label} refers to it in another company. Make a new record for that company.`,
    )
  })
}

/** Whether the company of a model's records is that of another's, as variants have that of their product. */
const isOfCompanyOf = (comodel: ModelDef | undefined, model: ModelDef): boolean =>
  comodel === model || Boolean(comodel?.inherits.has(model.name) && comodel.fields.get(COMPANY)?.inherited)

/** The record that a target has its company of. */
function among(target: Scope, model: ModelDef): Sql {
  const via = target.model.inherits.get(model.name)
  return via === undefined ? target.id : present(target.value(fieldOf(target.model, via)))
}

/** Fields of a model by which its records refer to what must fit. */
export const checkedFields = perModel((model): readonly FieldDef[] =>
  [...model.fields.values()].filter(
    (field) =>
      (field.kind === 'many2one' || field.kind === 'many2many') &&
      field.options.checkCompany &&
      !field.inherited &&
      (field.kind === 'many2many' ? field.link : field.column),
  ),
)

/**
 * The field's `number` when it does not fit in some record; null when the field's model knows no companies.
 */
function wrongQuery(
  env: Environment,
  field: FieldDef,
  number: number,
  which: (own: Scope, target: Scope) => Sql,
): Sql | null {
  const referring = scopeOver(env.sudo(), field.model)
  const company = companyOf(referring)
  if (!company || !field.comodel) return null
  const target = leadsToOne(field) ? referring.join(field) : referring.nested(field.comodel)
  const fits = fitting(target, company)
  if (!fits) return null
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

/** A company is its own. */
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
  const link = target.model.fields.get('company_ids')?.link
  if (!link) return null
  return sql`(${company} IS NULL OR EXISTS (SELECT FROM ${id(link.table)} s
    WHERE s.${id(link.column)} = ${target.id} AND s.${id(link.other)} IN (${above})))`
}
