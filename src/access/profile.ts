// The profile of a user: one query for everything that rights, rules and the engine need to know about them.
import { columnKey, type RuleUser, type UserColumn } from '../models/rules/rule-user.ts'
import { id, join, literal, raw, type Sql, sql } from '../sql/index.ts'
import { type Ask, askJson } from './ask.ts'

/** A profile with the version of the rows that it was read from. */
export interface KnownUser extends RuleUser {
  /** Changes with every change of the user's own row or of their partner's. */
  readonly stamp: string
}

/** The version of a user's rows: `xmin` names the transaction that wrote a row last, whatever it changed. */
export const stampOf = (user: string, partner: string): Sql =>
  raw(`${user}.xmin::text || '.' || ${partner}.xmin::text`)

interface ProfileJson {
  readonly id: number
  readonly login: string
  readonly name: string | null
  readonly active: boolean
  readonly lang: string | null
  readonly tz: string | null
  readonly partner: number
  readonly commercial: number | null
  readonly company: number
  readonly companies: readonly number[]
  /** Places in the tree: of each company the ids from the root down to its own. */
  readonly places: readonly (readonly number[])[]
  readonly direct: readonly number[]
  readonly groups: readonly number[]
  readonly names: readonly string[]
  readonly columns: Readonly<Record<string, unknown>>
  readonly stamp: string
}

/**
 * Reads the profile of a user, archived ones too, with the further columns that rules name; null for an
 * unknown id.
 */
export async function loadProfile(
  ask: Ask,
  uid: number,
  columns: readonly UserColumn[] = [],
): Promise<KnownUser | null> {
  const profileJson = await askJson<ProfileJson>(ask, profileQuery(uid, columns))
  return profileJson && profileOf(profileJson)
}

function profileQuery(uid: number, columns: readonly UserColumn[]): Sql {
  const further = columns.map(
    (c) => sql`${literal(columnKey(c))}, ${id(c.owner === 'res.users' ? 'u' : 'p', c.name)}`,
  )
  return sql`WITH RECURSIVE member(gid) AS (
      SELECT gid FROM res_groups_users_rel WHERE uid = ${uid}::int
      UNION
      SELECT implied.hid FROM res_groups_implied_rel implied JOIN member ON implied.gid = member.gid
    )
    SELECT json_build_object(
      'id', u.id, 'login', u.login, 'name', p.name, 'active', u.active, 'lang', p.lang, 'tz', p.tz,
      'partner', u.partner_id, 'commercial', p.commercial_partner_id, 'company', u.company_id,
      'companies', ARRAY(SELECT cid FROM res_company_users_rel WHERE user_id = u.id ORDER BY cid),
      'places', (SELECT COALESCE(json_agg(string_to_array(rtrim(c.parent_path, '/'), '/')::int[]), '[]') FROM res_company c
        WHERE c.parent_path IS NOT NULL AND (c.id = u.company_id OR c.id IN (SELECT cid FROM res_company_users_rel WHERE user_id = u.id))),
      'direct', ARRAY(SELECT gid FROM res_groups_users_rel WHERE uid = u.id ORDER BY gid),
      'groups', ARRAY(SELECT gid FROM member ORDER BY gid),
      'names', ARRAY(SELECT module || '.' || name FROM ir_model_data WHERE model = 'res.groups' AND res_id IN (SELECT gid FROM member)),
      'columns', json_build_object(${join(further)}),
      'stamp', ${stampOf('u', 'p')}
    )::text
    FROM res_users u JOIN res_partner p ON p.id = u.partner_id WHERE u.id = ${uid}::int`
}

function profileOf(json: ProfileJson): KnownUser {
  return Object.freeze({
    id: json.id,
    login: json.login,
    name: json.name ?? '',
    partnerId: json.partner,
    commercialPartnerId: json.commercial ?? json.partner,
    active: json.active,
    lang: json.lang,
    tz: json.tz,
    companyId: json.company,
    companyIds: Object.freeze([
      json.company,
      ...json.companies.filter((company) => company !== json.company),
    ]),
    companiesAbove: new Map(json.places.map((line) => [line.at(-1) ?? 0, Object.freeze(line)])),
    directGroupIds: Object.freeze(json.direct),
    groupIds: Object.freeze(json.groups),
    groups: new Set(json.names),
    columns: new Map(Object.entries(json.columns)),
    stamp: json.stamp,
  })
}
